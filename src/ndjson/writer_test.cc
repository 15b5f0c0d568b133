// The mended folder, and its determinism.

#include "ndjson/writer.h"

#include <gmock/gmock.h>

#include "io/test_sources.h"
#include "ndjson/test_output.h"

namespace ks::ndjson {
namespace {

using namespace testing;

// Launch events by the hash of the compilation in front of them.
std::map<std::string, size_t> launches_by_kernel(const Events& events) {
  std::map<std::string, size_t> counts;
  std::string hash;
  for (const Value& e : events) {
    if (e.text("event_type") == "compilation") {
      hash = e.find("payload")->find("metadata")->text("hash");
      counts[hash];
    }
    counts[hash] += e.text("event_type") == "launch";
  }
  return counts;
}

// One member only: the page of the reference cannot be relied on for more.
bool is_one_gzip_member(const std::string& bytes) {
  if (!bytes.starts_with("\x1f\x8b")) return false;
  z_stream z{};
  inflateInit2(&z, 15 + 16);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  std::vector<Bytef> out(1U << 16);
  int status = Z_OK;
  while (status == Z_OK) {
    z.next_out = out.data();
    z.avail_out = static_cast<uInt>(out.size());
    status = inflate(&z, Z_NO_FLUSH);
  }
  const bool whole = status == Z_STREAM_END && z.avail_in == 0;
  inflateEnd(&z);
  return whole;
}

void expect_opens(const Output& output) {
  ASSERT_TRUE(output.listing.is_object());
  std::set<std::string> listed;
  for (const auto& [rank, entry] : output.listing.members) {
    if (!entry.is_object()) continue;
    const std::string folder(entry.text("rank_suffix"));
    for (const Value& name : entry.find("regular_files")->items)
      listed.insert(folder + name.string);
    if (entry.find("mapped_file")) listed.insert(folder + std::string(entry.text("mapped_file")));
  }
  std::set<std::string> written;
  for (const auto& [name, bytes] : output.bytes) {
    if (name == "log_file_list.json") continue;
    written.insert(name);
    EXPECT_TRUE(is_one_gzip_member(bytes)) << name;
  }
  EXPECT_EQ(listed, written)
      << "every file that the list names is where it says, and nothing else is left";
  for (const auto& [name, events] : output.files) {
    std::set<int64_t> occurrences;
    for (const Value& e : events) {
      const std::string_view type = e.text("event_type");
      if (type == "compilation") {
        const Value* payload = e.find("payload");
        ASSERT_NE(payload, nullptr);
        EXPECT_FALSE(payload->find("metadata")->text("hash").empty());
        EXPECT_TRUE(payload->find("file_path")->is_object());
        EXPECT_TRUE(payload->find("file_content")->is_object());
      }
      if (type == "launch_diff") {
        EXPECT_FALSE(e.text("hash").empty());
      }
      if (type == "ir_analysis") continue;
      EXPECT_TRUE(occurrences.insert(e.number("occurrence_id", -1)).second) << name << " " << type;
    }
  }
}

std::string frame_info(int frame) {
  return fmt::format(R"("pt_info":{{"frame_id":{},"frame_compile_id":0,"attempt":2}})", frame);
}

TEST(Writer, AKernelOfTwoFramesIsInBothFiles) {  // BUG 19
  const Output output = write_text(compilation_line("h", "k", frame_info(3)) +
                                   compilation_line("h", "k", frame_info(4)) + launch_line("") +
                                   launch_line(R"("grid":[1])"));
  expect_opens(output);
  ASSERT_EQ(output.files.size(), 2u);
  for (const char* name :
       {"f3_fc0_a2_cai-.ndjson", "f4_fc0_a2_cai-.ndjson"}) {  // BUG 7: the attempt
    ASSERT_TRUE(output.files.contains(name)) << name;
    EXPECT_EQ(launches_by_kernel(output.files.at(name)), (std::map<std::string, size_t>{{"h", 2}}));
    EXPECT_EQ(output.files.at(name).back().text("event_type"), "launch_diff");
  }
}

TEST(Writer, TheReferenceKnowsTheFirstFrameAndNoAttempt) {
  const Output output = write_text(compilation_line("h", "k", frame_info(3)) +
                                       compilation_line("h", "k", frame_info(4)) + launch_line(""),
                                   exactly());
  ASSERT_EQ(output.files.size(), 1u);
  EXPECT_EQ(output.files.begin()->first, "f3_fc0_a0_cai-.ndjson");
}

TEST(Writer, LaunchesWithoutAHashAreWithTheirKernelOrStandAlone) {  // BUG 20
  const std::string text = compilation_line("h1") + bare_launch("k", "5") + bare_launch("k", "5") +
                           bare_launch("orphan", "6") + bare_launch("orphan", "7") +
                           bare_launch("orphan", "6");
  const Output output = write_text(text);
  expect_opens(output);
  const auto counts = launches_by_kernel(output.files.begin()->second);
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts.at("h1"), 2u);
  size_t fakes = 0;
  for (const Value& e : output.of_type("compilation")) {
    if (!e.flag("is_fake")) continue;
    ++fakes;
    EXPECT_EQ(e.find("payload")->find("metadata")->text("name"), "orphan");
  }
  EXPECT_EQ(fakes, 2u);
  EXPECT_EQ(output.of_type("launch_diff").size(), 3u);
  const Output exact = write_text(text, exactly());
  EXPECT_EQ(exact.of_type("launch").size(), 0u) << "the reference loses them";
}

TEST(Writer, RankSuffixIsWhereTheFilesAre) {  // BUG 11
  const std::string name = "dedicated_log_triton_trace_u_rank_{}_pid_{}_host_h_.ndjson";
  const std::vector<TextFile> files = {
      {fmt::format(fmt::runtime(name), 0, 1), compilation_line("h") + launch_line("")},
      {fmt::format(fmt::runtime(name), 1, 2),
       compilation_line("h") + launch_line("") + launch_line("")},
      {fmt::format(fmt::runtime(name), "none", 3), launch_line("", "other")}};
  const Output output = write_files(files);
  expect_opens(output);
  EXPECT_EQ(output.listing.find("rank_0")->text("rank_suffix"), "rank_0/");
  EXPECT_EQ(output.listing.find("rank_1")->text("rank_suffix"), "rank_1/");
  EXPECT_EQ(output.listing.find("rank_none")->text("rank_suffix"), "");
  size_t launches = 0;
  for (const auto& [file, events] : output.files) {
    if (file.starts_with("rank_1/")) launches += launches_by_kernel(events)["h"];
  }
  EXPECT_EQ(launches, 2u) << "each rank has its own launches";
  EXPECT_EQ(write_files(files, exactly()).listing.find("rank_1")->text("rank_suffix"), "");
  Options one = exactly();
  one.requested_rank = "1";
  EXPECT_EQ(write_files({files[1]}, one).listing.find("rank_1")->text("rank_suffix"), "rank_1/");
}

TEST(Writer, ALineGoesOutAsItCameIn) {
  const std::string odd =
      R"({ "event_type" : "launch", "name":"k","compilation_metadata":{"hash":"h"}, "x" : 1.50, "u":"\u00e9" } )"
      "\r\n";
  const Output output = write_text(odd);
  const Events launches = output.of_type("launch");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(canonical(*launches[0].find("u")), "\"\xc3\xa9\"");
  EXPECT_EQ(launches[0].number("occurrence_id", -1), 0);
  EXPECT_EQ(launches[0].text("launch_group_hash").size(), 16u);
}

TEST(Writer, BadRecordsAreNotInTheOutput) {
  const std::string text = launch_line("") + "rubbish\n" + launch_line(R"("x":tru)") +
                           launch_line(R"("x":null)") + launch_line(R"("extracted_args":null)") +
                           launch_line(R"("extracted_args":[1],"stack":7)");
  for (const Options& options : {Options{}, exactly()}) {
    const Output output = write_text(text, options);
    EXPECT_EQ(output.of_type("launch").size(), 4u);
    EXPECT_EQ(output.of_type("launch_diff").size(), 1u);
  }
}

TEST(Writer, NothingToWriteIsAnEmptyList) {
  const Output output = write_text("");
  EXPECT_TRUE(output.files.empty());
  EXPECT_EQ(trace::to_json(*output.listing.find("rank_none")),
            R"({"regular_files":[],"rank_suffix":""})");
}

TEST(Writer, TheSameBytesWhateverTheThreads) {
  const std::vector<std::string> paths = {committed("traces/triton"), committed("traces/ddp")};
  for (const bool exact : {false, true}) {
    Options options;
    options.exact = exact;
    options.threads = 1;
    const Output one = write_paths(paths, options);
    EXPECT_GT(one.bytes.size(), 4u);
    for (unsigned threads : {2u, 5u}) {
      options.threads = threads;
      const Output other = write_paths(paths, options);
      ASSERT_EQ(one.bytes.size(), other.bytes.size());
      for (const auto& [name, bytes] : one.bytes) {
        EXPECT_TRUE(other.bytes.at(name) == bytes) << name << " with " << threads << " threads";
      }
    }
  }
}

class MendedTraces : public ::testing::TestWithParam<std::pair<const char*, size_t>> {};

TEST_P(MendedTraces, OpenAndHoldEveryLaunch) {
  const auto [name, expected] = GetParam();
  std::string folder = committed(std::string("traces/") + name);
  if (!std::filesystem::exists(folder)) folder = shared_data(std::string("traces/") + name);
  if (folder.empty()) GTEST_SKIP() << "shared data is absent";
  const Output output = write_paths({folder});
  expect_opens(output);
  std::set<std::string> launches;  // a kernel of two frames has its launches twice
  std::map<std::string, std::map<std::string, size_t>> written, counted;  // by rank and hash
  for (const auto& [file, events] : output.files) {
    const std::string rank = std::filesystem::path(file).parent_path().string();
    for (const Value& e : events) {
      if (e.text("event_type") == "launch")
        launches.insert(fmt::format("{} {}", rank, e.number("occurrence_id")));
      if (e.text("event_type") == "launch_diff") {
        counted[rank][std::string(e.text("hash"))] =
            static_cast<size_t>(e.number("total_launches"));
      }
    }
    for (const auto& [hash, count] : launches_by_kernel(events)) {
      if (count > 0) written[rank][hash] = count;
    }
  }
  EXPECT_EQ(launches.size(), expected);
  EXPECT_EQ(written, counted) << "launch_diff counts what is in the file";
}

INSTANTIATE_TEST_SUITE_P(
    RealTraces, MendedTraces,
    ::testing::Values(std::pair{"triton", size_t{1189}}, std::pair{"ddp", size_t{2081}},
                      std::pair{"llama_most_compilations_missing", size_t{401}},
                      std::pair{"gpt2_launches_without_metadata", size_t{3956}}),
    [](const auto& p) { return std::string(p.param.first); });

TEST(Writer, ParsedTracesComeOutAsTheRawOnes) {
  const Output raw = write_paths({committed("traces/triton")}, exactly());
  const Output again = write_paths({committed("expected/triton")}, exactly());
  ASSERT_EQ(raw.files.size(), 1u);
  ASSERT_EQ(again.files.size(), 1u);
  const auto launches = [](const Output& output) {
    std::vector<std::string> out;
    for (Value e : output.of_type("launch")) {
      remove_member(e, "occurrence_id");
      out.push_back(canonical(e));
    }
    return out;
  };
  EXPECT_EQ(launches(raw).size(), 1189u);
  std::vector<std::string> a = launches(raw), b = launches(again);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    expect_same_text(a[i], b[i], fmt::format("launch {}", i));
  EXPECT_EQ(a.size(), b.size());
}

}  // namespace
}  // namespace ks::ndjson
