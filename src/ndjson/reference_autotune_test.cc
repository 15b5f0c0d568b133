#include "ndjson/reference_autotune.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "io/inputs.h"
#include "io/lines.h"
#include "ndjson/launch_text.h"
#include "run/interner.h"
#include "run/read.h"

namespace ks::ndjson {
namespace {

using trace::Value;

constexpr const char* kData = KS_SOURCE_DIR "/../shared/data/";
constexpr const char* kFixtures = KS_SOURCE_DIR "/tests/data/";

std::string data_path(const std::string& name) {
  const std::string fixture = kFixtures + name;
  return std::filesystem::exists(fixture) ? fixture : kData + name;
}

// What the NDJSON writer does around the class under test.
class Caller : public run::Observer {
 public:
  ReferenceAutotune autotune_;
  std::vector<std::string> labels;  // of all launches
  std::vector<ReferenceAutotune::Event> analyses;
  std::string summary;
  std::string stand_in_hash;  // of the first launch, if it has no compilation

  Result<> begin_block(const run::Run&, run::Id, const trace::DecodedBlock& block,
                       run::Prepared*) override {
    block_ = &block;
    return {};
  }
  Result<> compilation(const run::Run& run, run::Id id, const trace::Compilation& event,
                       size_t index) override {
    std::string python;
    const io::Line& line = block_->block.lines[block_->records[index].line];
    const auto raw = reader_.read_copy(block_->block.view(line));
    const Value* payload = raw->find("payload");
    if (const Value* source = payload->find("python_source")) python = trace::to_json(*source);
    if (hashes_.insert(event.hash).second) ++occurrence_;
    autotune_.compilation(run, run.compilations[id].stack, event, python);
    return {};
  }
  Result<> launch(const run::Run& run, const run::LaunchRow& row,
                  std::span<const uint64_t> pointers, size_t index) override {
    const auto& launch = std::get<trace::Launch>(block_->records[index].event);
    const uint64_t hash = *hasher_.hash(*block_, launch);
    labels.emplace_back(autotune_.launch(run, run.classes[row.launch_class], row.launch_class,
                                         pointers, launch.timestamp, hash, occurrence_++));
    return {};
  }
  Result<> autotune(const run::Run& run, run::Id stack, const trace::Autotune& event,
                    size_t) override {
    autotune_.autotune(run, stack, event);
    return {};
  }
  Result<> end_rank(const run::Run& run) override {
    if (!stand_in_hash.empty()) {
      trace::Compilation event;
      event.hash = stand_in_hash;
      event.metadata.kind = Value::Kind::object;
      autotune_.stand_in(run, run.classes.at(0).stack, event);
    }
    analyses = autotune_.analyses(run);
    summary = autotune_.summary(run);
    return {};
  }

 private:
  const trace::DecodedBlock* block_ = nullptr;
  trace::JsonReader reader_;
  LaunchHasher hasher_;
  std::set<std::string> hashes_;
  uint64_t occurrence_ = 0;
};

void read_trace(const std::string& path, Caller& caller) {
  Diagnostics diagnostics;
  auto files = io::find_inputs({path}, diagnostics);
  ASSERT_TRUE(files) << files.error().message;
  run::ReadOptions options;
  options.exact = true;
  options.analyse = false;
  run::Observer* observers[] = {&caller};
  const auto run = run::read(io::group_by_rank(*files, true, diagnostics), options, observers);
  ASSERT_TRUE(run) << run.error().message;
}

Value parse(std::string_view json) {
  trace::JsonReader reader;
  auto value = reader.read_copy(json);
  EXPECT_TRUE(value) << json.substr(0, 500);
  return value ? *value : Value();
}

std::string canonical(Value value) {
  std::erase_if(value.members, [](auto& member) { return member.first == "occurrence_id"; });
  std::string text;
  trace::append_canonical(text, value);
  return text;
}

std::vector<std::string> canonical_of(const Caller& caller) {
  std::vector<std::string> events;
  for (const auto& event : caller.analyses) events.push_back(canonical(parse(event.json + "}")));
  if (!caller.summary.empty()) events.push_back(canonical(parse(caller.summary + "}")));
  return events;
}

struct Expected {
  std::vector<std::string> events;
  std::vector<std::string> labels;  // sorted: a parsed file has launches by kernel
};

template <typename Function>
void for_each_event(const std::string& path, Function function) {
  io::Limits limits;
  Diagnostics diagnostics;
  auto file = io::open_file(path);
  ASSERT_TRUE(file) << path;
  io::BlockReader reader(io::decoded(std::move(*file), limits, path, diagnostics), path, limits);
  io::Block block;
  for (auto more = reader.next(block); more && *more; more = reader.next(block)) {
    for (const io::Line& line : block.lines) function(parse(block.view(line)));
  }
}

Expected expected_in(const std::string& path) {
  Expected expected;
  for_each_event(path, [&](const Value& event) {
    const std::string_view type = event.text("event_type");
    if (type.starts_with("autotune_")) expected.events.push_back(canonical(event));
    if (type == "launch") expected.labels.emplace_back(event.text("autotune_launch_type"));
  });
  std::sort(expected.labels.begin(), expected.labels.end());
  return expected;
}

// The texts are long: shows where they part.
void expect_equal(const std::string& text, const std::string& expected) {
  const auto [a, b] = std::mismatch(text.begin(), text.end(), expected.begin(), expected.end());
  const size_t at = static_cast<size_t>(a - text.begin());
  const size_t from = at < 200 ? 0 : at - 200;
  EXPECT_TRUE(text == expected) << "at " << at << ":\n"
                                << text.substr(from, 400) << "\ninstead of\n"
                                << expected.substr(from, 400);
}

void expect_same(const std::string& trace, const std::string& parsed) {
  if (!std::filesystem::exists(trace) || !std::filesystem::exists(parsed)) {
    GTEST_SKIP() << "no " << trace;
  }
  Caller caller;
  read_trace(trace, caller);
  const Expected expected = expected_in(parsed);
  ASSERT_FALSE(expected.events.empty());
  const auto events = canonical_of(caller);
  ASSERT_EQ(events.size(), expected.events.size());
  for (size_t i = 0; i < events.size(); ++i) expect_equal(events[i], expected.events[i]);
  std::sort(caller.labels.begin(), caller.labels.end());
  EXPECT_EQ(caller.labels, expected.labels);
}

TEST(ReferenceAutotuneTest, ExampleWithCachedSession) {
  const std::string base = "launch_diff_examples/11_autotune.";
  expect_same(data_path(base + "raw.ndjson"),
              data_path(base + "parsed.dedicated_log_triton_trace_u__mapped.ndjson"));
}

TEST(ReferenceAutotuneTest, RealMatmul) {
  const std::string name =
      "triton/dedicated_log_triton_trace_unknown_rank_none_pid_1296_host_vm_.ndjson";
  expect_same(data_path("traces/" + name + ".gz"),
              data_path("expected/" + name + "_mapped.ndjson.gz"));
}

std::string write_temp(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// The website's own example is there only as parsed: back to what it was made from.
TEST(ReferenceAutotuneTest, RealAddAndMatmulOfTheWebsite) {
  const std::string parsed =
      std::string(kData) + "corpus/tritonparse/website_demo_mapped.ndjson.gz";
  if (!std::filesystem::exists(parsed)) GTEST_SKIP() << "no " << parsed;
  std::map<int64_t, std::string> lines;
  for_each_event(parsed, [&](Value event) {
    const std::string_view type = event.text("event_type");
    if (type != "launch" && type != "compilation") return;
    const int64_t number = event.number("occurrence_id");
    std::erase_if(event.members, [](auto& member) {
      return member.first == "occurrence_id" || member.first == "launch_group_hash" ||
             member.first == "autotune_launch_type";
    });
    lines[number] = trace::to_json(event) + "\n";
  });
  std::string trace;
  for (const auto& [number, line] : lines) trace += line;
  expect_same(write_temp("website_demo.ndjson", trace), parsed);
}

constexpr const char* kSession =
    R"("stack":[{"line":1,"name":"f","filename":"/a.py","loc":"x"},)"
    R"({"line":2,"name":"_bench","filename":"/sp/triton/runtime/autotuner.py","loc":""}])";

std::string compilation_line(const std::string& hash, const std::string& metadata) {
  return fmt::format(
      R"({{"event_type":"compilation","pid":1,{},"payload":{{"metadata":{{"hash":"{}",)"
      R"("name":"k",{}}},"file_path":{{}},"file_content":{{}}}}}})"
      "\n",
      kSession, hash, metadata);
}

std::string launch_line(const std::string& hash, const std::string& arguments) {
  return fmt::format(
      R"({{"event_type":"launch","pid":1,"name":"k",{},"compilation_metadata":{{"hash":)"
      R"("{}","name":"k"}},"extracted_args":{{{}}},"timestamp":"t"}})"
      "\n",
      kSession, hash, arguments);
}

// BUG 14 of the reference: absent and 128 are "the same"; 128 and absent are not.
TEST(ReferenceAutotuneTest, ParameterThatTheFirstConfigLacks) {
  const std::string first = compilation_line("aa", R"("num_warps":4)") + launch_line("aa", "");
  const std::string second =
      compilation_line("bb", R"("num_warps":4,"maxnreg":128)") + launch_line("bb", "");
  const auto configs = [](const std::string& trace) {
    Caller caller;
    read_trace(write_temp("params.ndjson", trace), caller);
    EXPECT_EQ(caller.analyses.size(), 1U);
    const Value event = parse(caller.analyses.at(0).json + "}");
    return trace::to_json(*event.find("autotune_args_summary")->find("autotune_configs"));
  };
  EXPECT_EQ(configs(first + second), R"({"sames":{"maxnreg":128,"num_warps":4},"varies":{}})");
  EXPECT_EQ(configs(second + first),
            R"({"sames":{"num_warps":4},"varies":{"maxnreg":{"bb":128,"aa":null}}})");
}

TEST(ReferenceAutotuneTest, ArgumentThatAConfigLacksAndNullArguments) {
  Caller caller;
  const std::string n = R"("n":{"type":"int","value":1})";
  read_trace(
      write_temp("arguments.ndjson", launch_line("aa", n + R"(,"z":null)") +
                                         launch_line("bb", R"("z":null,"t":{"type":"tensor"})")),
      caller);
  ASSERT_EQ(caller.analyses.size(), 1U);
  EXPECT_EQ(caller.analyses[0].kernel_hash, "aa");
  const Value event = parse(caller.analyses[0].json + "}");
  EXPECT_TRUE(event.find("compilation_analysis")->is_null());
  EXPECT_EQ(event.text("name"), "k");
  EXPECT_EQ(
      trace::to_json(*event.find("autotune_args_summary")->find("autotune_configs")),
      R"({"sames":{},"varies":{"n":{"aa":{"type":"int","value":1},"bb":null},"z":{"aa":null,"bb":null}}})");
  EXPECT_EQ(caller.summary, "");
}

// A session without compilations: possible_groups are those of others that compiled the winner.
TEST(ReferenceAutotuneTest, SessionThatOnlyLaunches) {
  const auto elsewhere = [](std::string line, bool benchmark) {
    line.replace(line.find(R"("line":1,)"), 8, R"("line":7)");
    if (!benchmark) line.replace(line.find("_bench"), 6, "run");
    return line;
  };
  Caller caller;
  read_trace(write_temp("launches.ndjson", compilation_line("aa", R"("num_warps":4)") +
                                               compilation_line("bb", R"("num_warps":8)") +
                                               elsewhere(launch_line("aa", ""), true) +
                                               elsewhere(launch_line("bb", ""), true) +
                                               elsewhere(launch_line("bb", ""), false)),
             caller);
  ASSERT_EQ(caller.analyses.size(), 2U);
  const Value event = parse(caller.analyses[1].json + "}");
  EXPECT_EQ(trace::to_json(*event.find("possible_groups")), R"([["aa","bb"]])");
  EXPECT_EQ(event.text("winner_compilation_hash"), "bb");
  EXPECT_EQ(caller.analyses[1].kernel_hash, "aa");
  EXPECT_EQ(trace::to_json(
                *event.find("autotune_args_summary")->find("autotune_configs")->find("varies")),
            R"({"num_warps":{"aa":4,"bb":8}})");
  EXPECT_EQ(caller.summary, R"({"event_type":"autotune_summary","winner_run_counts":{"bb":1})");
}

TEST(ReferenceAutotuneTest, StandInsComeFirst) {
  Caller caller;
  caller.stand_in_hash = "bb";
  read_trace(write_temp("stand_in.ndjson",
                        launch_line("bb", "") + compilation_line("aa", R"("num_warps":4)")),
             caller);
  ASSERT_EQ(caller.analyses.size(), 1U);
  EXPECT_EQ(caller.analyses[0].kernel_hash, "bb");
  const Value event = parse(caller.analyses[0].json + "}");
  EXPECT_EQ(trace::to_json(*event.find("possible_groups")), R"([["bb","aa"]])");
}

TEST(ReferenceAutotuneTest, FileIsThatOfTheFirstCompilation) {
  Caller caller;
  const std::string trace = data_path("launch_diff_examples/11_autotune.raw.ndjson");
  if (!std::filesystem::exists(trace)) GTEST_SKIP();
  read_trace(trace, caller);
  ASSERT_EQ(caller.analyses.size(), 1U);
  EXPECT_EQ(caller.analyses[0].kernel_hash, std::string(64, 'a'));
  EXPECT_EQ(caller.labels,
            (std::vector<std::string>{"benchmark", "benchmark", "benchmark", "benchmark", "winner",
                                      "winner", "cached_winner"}));
}

TEST(ReferenceAutotuneTest, IdRunsAsTheVectorsHaveThem) {
  const std::string path = data_path("vectors/misc_vectors.json");
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Value vectors = parse(text);
  const Value* cases = vectors.find("id_ranges");
  ASSERT_TRUE(cases && !cases->items.empty());
  for (const Value& c : cases->items) {
    std::vector<uint64_t> ids;
    for (const Value& id : c.items[0].items) ids.push_back(static_cast<uint64_t>(id.integer));
    std::sort(ids.begin(), ids.end());
    IdRuns runs;
    for (uint64_t id : ids) runs.add(id);
    EXPECT_EQ(runs.text(), c.items[1].string);
    EXPECT_EQ(runs.json(), fmt::format("[{}]", fmt::join(ids, ",")));
    EXPECT_EQ(runs.count(), ids.size());
  }
}

TEST(ReferenceAutotuneTest, SessionsAsTheVectorsHaveThem) {
  const std::string path = data_path("vectors/misc_vectors.json");
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  std::ifstream file(path);
  const Value vectors =
      parse(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
  const Value* cases = vectors.find("autotune_session");
  ASSERT_TRUE(cases && !cases->items.empty());
  for (const Value& c : cases->items) {  // stack, session id, its frames, benchmark
    trace::Compilation a, b;
    a.hash = "a", b.hash = "b";
    a.metadata.kind = b.metadata.kind = Value::Kind::object;
    a.stack = b.stack = c.items[0];
    run::Run run;
    const run::Id stack = run::Interner(run, {.exact = true}).stack(a.stack);
    ReferenceAutotune autotune;
    autotune.compilation(run, stack, a, "");
    autotune.compilation(run, stack, b, "");
    const auto events = autotune.analyses(run);
    ASSERT_EQ(events.size(), c.items[1].is_null() ? 0U : 1U);
    if (events.empty()) continue;
    const Value event = parse(events[0].json + "}");
    EXPECT_EQ(event.text("session_id"), c.items[1].string);
    EXPECT_EQ(canonical(*event.find("session_stack")), canonical(c.items[2]));
  }
}

}  // namespace
}  // namespace ks::ndjson
