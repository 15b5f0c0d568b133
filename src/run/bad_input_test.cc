// Whatever is wrong with a record costs that record (docs/trace-format.md, bad input).

#include <gmock/gmock.h>

#include "io/test_sources.h"
#include "run/test_dump.h"

namespace ks::run {
namespace {

using namespace testing;

std::string deep(size_t n) { return std::string(n, '[') + std::string(n, ']'); }

struct BadRecord {
  std::string what;
  std::string text;   // a whole line, or several
  uint64_t launches;  // that it adds to `h`
  uint64_t compiled;  // compilations that it adds
  Diag diag;          // counted at least once; kDiagCount: nothing is counted
};

constexpr Diag kNothing = static_cast<Diag>(kDiagCount);

std::string metadata(const std::string& more) {
  return R"({"event_type":"compilation","stack":[],"payload":{"metadata":{"hash":"h","name":"k"})" +
         more + "}}\n";
}

std::vector<BadRecord> bad_records() {
  const std::string launch =
      R"({"event_type":"launch","name":"k","compilation_metadata":{"hash":"h"})";
  return {
      {"no JSON", "not json\n", 0, 0, Diag::bad_json},
      {"JSON cut off", launch + "\n", 0, 0, Diag::bad_json},
      {"two objects on a line", launch + "} {}\n", 0, 0, Diag::bad_json},
      {"a list", "[1]\n", 0, 0, Diag::not_an_object},
      {"a number", "12\n", 0, 0, Diag::not_an_object},
      {"null", "null\n", 0, 0, Diag::not_an_object},
      {"a string", "\"launch\"\n", 0, 0, Diag::not_an_object},
      {"payload null",
       R"({"event_type":"compilation","payload":null})"
       "\n",
       0, 0, Diag::bad_field},
      {"payload missing",
       R"({"event_type":"compilation","stack":[]})"
       "\n",
       0, 0, Diag::compilation_without_hash},
      {"payload a list",
       R"({"event_type":"compilation","payload":[1]})"
       "\n",
       0, 0, Diag::bad_field},
      {"metadata null",
       R"({"event_type":"compilation","payload":{"metadata":null}})"
       "\n",
       0, 0, Diag::bad_field},
      {"hash a number",
       R"({"event_type":"compilation","payload":{"metadata":{"hash":5}}})"
       "\n",
       0, 0, Diag::compilation_without_hash},
      {"file_content null", metadata(R"(,"file_content":null)"), 0, 1, kNothing},
      {"file_path null", metadata(R"(,"file_path":null)"), 0, 1, Diag::bad_field},
      {"a text that is no string", metadata(R"(,"file_content":{"k.ttir":{"a":[1]}})"), 0, 1,
       kNothing},
      {"python_source without lines",
       metadata(R"(,"python_source":{"file_path":"/x"},"file_content":{"k.ttir":"module {\n}\n"})"),
       0, 1, kNothing},
      {"python_source a list", metadata(R"(,"python_source":[])"), 0, 1, kNothing},
      {"pt_info a number", metadata(R"(,"pt_info":3)"), 0, 1, kNothing},
      {"negative lines", metadata(R"(,"python_source":{"start_line":-5,"end_line":-9,"code":"x"})"),
       0, 1, kNothing},
      {"an empty text with a path",
       metadata(R"(,"file_content":{"k.ttir":""},"file_path":{"k.ttir":"/etc/passwd"})"), 0, 1,
       kNothing},
      {"compilation's stack null",
       R"({"event_type":"compilation","stack":null,"payload":{"metadata":{"hash":"h"}}})"
       "\n",
       0, 1, kNothing},
      {"times of odd types",
       metadata(R"(,"times":{"lowering_stages":[1,["a"],["b","c"],[3,4]],"store_results":"x"})"), 0,
       1, kNothing},
      {"compilation_metadata null",
       R"({"event_type":"launch","name":"k","function":1,"compilation_metadata":null})"
       "\n",
       1, 0, kNothing},
      {"compilation_metadata a string",
       R"({"event_type":"launch","name":"k","compilation_metadata":"x"})"
       "\n",
       1, 0, Diag::bad_field},
      {"launch's stack null",
       launch + R"(,"stack":null})"
                "\n",
       1, 0, kNothing},
      {"launch's stack an object",
       launch + R"(,"stack":{"a":1}})"
                "\n",
       1, 0, Diag::bad_field},
      {"frames that are none",
       launch + R"(,"stack":[1,null,[],{"line":"x","filename":3}]})"
                "\n",
       1, 0, kNothing},
      {"extracted_args null",
       launch + R"(,"extracted_args":null})"
                "\n",
       1, 0, kNothing},
      {"extracted_args a list",
       launch + R"(,"extracted_args":[1]})"
                "\n",
       1, 0, Diag::bad_field},
      {"an argument that is no object",
       launch + R"(,"extracted_args":{"x":5,"y":[{"a":1}],"z":null}})"
                "\n",
       1, 0, kNothing},
      {"grid of odd things",
       launch + R"(,"grid":["x",1.5,null,{}]})"
                "\n",
       1, 0, kNothing},
      {"grid a number",
       launch + R"(,"grid":5})"
                "\n",
       1, 0, Diag::bad_field},
      {"name a number",
       launch + R"(,"name":5})"
                "\n",
       1, 0, Diag::bad_field},
      {"bad JSON inside a field",
       launch + R"(,"extracted_args":{"x":{"v":tru}}})"
                "\n",
       0, 0, Diag::bad_json},
      {"NaN",
       launch + R"(,"extracted_args":{"x":{"v":NaN}}})"
                "\n",
       0, 0, Diag::bad_json},
      {"not UTF-8", launch + ",\"x\":\"\xff\xfe\"}\n", 0, 0, Diag::bad_utf8},
      {"half a surrogate",
       launch + R"(,"x":"\ud800"})"
                "\n",
       0, 0, Diag::bad_json},
      {"absurd numbers",
       launch +
           R"(,"extracted_args":{"n":{"value":99999999999999999999999},"m":{"value":1e308},"z":{"value":18446744073709551615}},"grid":[9223372036854775807,-1]})"
           "\n",
       1, 0, kNothing},
      {"an infinite number",
       launch + R"(,"extracted_args":{"n":{"value":1e999}}})"
                "\n",
       0, 0, Diag::bad_json},
      {"deep nesting in an argument", launch + R"(,"extracted_args":{"x":)" + deep(5000) + "}}\n",
       0, 0, Diag::too_deep},
      {"deep nesting in a stack", launch + R"(,"stack":)" + deep(5000) + "}\n", 0, 0,
       Diag::too_deep},
      {"deep nesting in metadata",
       R"({"event_type":"compilation","payload":{"metadata":{"hash":"h","x":)" + deep(5000) +
           "}}}\n",
       0, 0, Diag::too_deep},
      {"very deep nesting", R"({"event_type":"launch","name":"k","x":)" + deep(2'000'000) + "}\n",
       0, 0, Diag::too_deep},
      {"never closed", R"({"event_type":"launch","x":)" + std::string(100'000, '[') + "\n", 0, 0,
       Diag::bad_json},
      {"an unknown event",
       R"({"event_type":"weather","a":1})"
       "\n",
       0, 0, Diag::unknown_event},
      {"no event type",
       R"({"a":1})"
       "\n",
       0, 0, Diag::unknown_event},
      {"event type a number",
       R"({"event_type":5})"
       "\n",
       0, 0, Diag::unknown_event},
      {"an earlier parser's event",
       R"({"event_type":"launch_diff","hash":"h"})"
       "\n",
       0, 0, Diag::derived_event},
      {"blank lines", "\n  \n\r\n", 0, 0, kNothing},
      {"CRLF", launch + "}\r\n", 1, 0, kNothing},
      {"U+2028 and U+0085 in a string", launch + ",\"x\":\"a\xe2\x80\xa8\xc2\x85z\"}\n", 1, 0,
       kNothing},
      {"spaces everywhere",
       R"({ "event_type" : "launch" , "name" : "k" , "compilation_metadata" : { "hash" : "h" } } )"
       "\n",
       1, 0, kNothing},
      {"keys with escapes",
       R"({"event\u005ftype":"launch","name":"k"})"
       "\n",
       1, 0, kNothing},
      {"empty keys",
       launch + R"(,"":1,"extracted_args":{"":{"":{"":2}}}})"
                "\n",
       1, 0, kNothing},
      {"NUL in a key",
       launch + R"(,"a\u0000b":1})"
                "\n",
       1, 0, kNothing},
      {"autotune of odd types",
       R"({"event_type":"autotune","kernel_name":1,"configs_timings":[1],"stack":5,"duration":"x"})"
       "\n",
       0, 0, Diag::unknown_event},
      {"unknown backend",
       R"({"event_type":"compilation","payload":{"metadata":{"hash":"h","backend_name":"abacus"},"file_content":{"k.beads":"x"}}})"
       "\n",
       0, 1, kNothing},
  };
}

class OneBadRecord : public ::testing::TestWithParam<BadRecord> {};

// Before and behind it stands a good launch; they must both be there, and nothing else but what
// the record itself is worth.
TEST_P(OneBadRecord, CostsThatRecord) {
  const BadRecord& bad = GetParam();
  const std::string good = launch_line(R"("grid":[1])", "good", "good");
  for (const std::string& text :
       {good + bad.text + good, bad.text + good + good, good + bad.text + bad.text + good}) {
    const auto run = read_text(text);
    EXPECT_EQ(run.kernels.at(kernel_with_hash(run, "good")).user_launches(), 2u) << bad.what;
    const uint64_t times = text.size() == 2 * good.size() + 2 * bad.text.size() ? 2 : 1;
    EXPECT_EQ(run.launches, 2 + times * bad.launches) << bad.what;
    EXPECT_EQ(run.compilations.size(), times * bad.compiled) << bad.what;
    if (bad.diag == kNothing) {
      EXPECT_TRUE(run.diagnostics.lossless()) << bad.what << "\n"
                                              << diagnostics_text(run.diagnostics);
    } else {
      // A bad field of a launch is seen once, however often the same text comes.
      const uint64_t least = bad.diag == Diag::bad_field ? 1 : times;
      EXPECT_GE(run.diagnostics[bad.diag].count, least) << bad.what << "\n"
                                                        << diagnostics_text(run.diagnostics);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Section38, OneBadRecord, ::testing::ValuesIn(bad_records()),
                         [](const auto& p) {
                           std::string name = p.param.what;
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

const std::string kGood = launch_line(R"("grid":[1])") + launch_line(R"("grid":[2])");

TEST(BadFiles, ByteOrderMarkIsIgnored) {
  const auto run = read_text("\xef\xbb\xbf" + kGood);
  EXPECT_EQ(run.launches, 2u);
  EXPECT_EQ(run.diagnostics[Diag::byte_order_mark].count, 1u);
}

TEST(BadFiles, EmptyFileIsARunWithoutAnything) {
  const auto run = read_text("");
  EXPECT_EQ(run.launches, 0u);
  EXPECT_TRUE(run.kernels.empty());
  EXPECT_EQ(run.files.size(), 1u);
  EXPECT_TRUE(run.diagnostics.lossless());
}

TEST(BadFiles, ALastLineWithoutItsEndCountsIfItIsWhole) {
  const auto run = read_text(kGood.substr(0, kGood.size() - 1));
  EXPECT_EQ(run.launches, 2u);
  EXPECT_TRUE(run.diagnostics.lossless());
}

TEST(BadFiles, CutAnywhereInTheLastLine) {
  const size_t first = kGood.find('\n') + 1;
  for (size_t cut = first + 1; cut + 1 < kGood.size(); cut += 7) {
    const auto run = read_text(kGood.substr(0, cut));
    EXPECT_EQ(run.launches, 1u) << cut;
    EXPECT_EQ(run.diagnostics[Diag::truncated_line].count, 1u) << cut;
  }
}

TEST(BadFiles, CutInsideTheLastMemberOrFrame) {
  const std::string a = launch_line(R"("grid":[1])"), b = launch_line(R"("grid":[2])");
  const std::string gzip = io::testing::gzip(a) + io::testing::gzip(b);
  const auto cut_gzip = read_files({{kTraceName, gzip.substr(0, gzip.size() - 30)}});
  EXPECT_EQ(cut_gzip.launches, 1u);
  EXPECT_EQ(cut_gzip.diagnostics[Diag::truncated_gzip].count, 1u);
  const std::string zstd = io::testing::zstd(a) + io::testing::zstd(b);
  const auto cut_zstd = read_files({{kTraceName, zstd.substr(0, zstd.size() - 30)}});
  EXPECT_EQ(cut_zstd.launches, 1u);
  EXPECT_EQ(cut_zstd.diagnostics[Diag::truncated_zstd].count, 1u);
}

TEST(BadFiles, OneFileOfSeveralIsRubbish) {
  const std::string name = "dedicated_log_triton_trace_u_rank_{}_pid_{}_host_h_.ndjson";
  const auto run =
      read_files({{fmt::format(fmt::runtime(name), 0, 1), kGood},
                  {fmt::format(fmt::runtime(name), 1, 2), std::string(5000, '\xff') + "\n" + kGood},
                  {fmt::format(fmt::runtime(name), 2, 3), kGood}});
  EXPECT_EQ(run.launches, 6u);
  EXPECT_FALSE(run.diagnostics.lossless());
}

TEST(BadFiles, AFileThatCannotBeOpenedIsCounted) {
  const TempFolder folder;
  const io::InputFile missing{(folder.path() / "gone.ndjson").string(), "gone.ndjson", {}};
  write_bytes(folder.path() / "good.ndjson", kGood);
  io::InputFile good{(folder.path() / "good.ndjson").string(), "good.ndjson", {}};
  auto run = read({{std::nullopt, {missing, good}}}, {}, {});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->launches, 2u);
  EXPECT_EQ(run->diagnostics[Diag::unreadable_file].count, 1u);
}

TEST(BadFiles, AHugeLineIsSkippedToTheNext) {
  ReadOptions options;
  options.limits.max_line = 10'000;
  const auto run =
      read_text(kGood + "{\"x\":\"" + std::string(3'000'000, 'x') + "\"}\n" + kGood, options);
  EXPECT_EQ(run.launches, 4u);
  EXPECT_EQ(run.diagnostics[Diag::line_too_long].count, 1u);
}

TEST(BadFiles, TheDepthLimitIsAnOption) {
  const std::string text = launch_line("\"x\":" + deep(50));
  ReadOptions options;
  options.limits.max_depth = 40;
  EXPECT_EQ(read_text(text, options).launches, 0u);
  EXPECT_EQ(read_text(text, options).diagnostics[Diag::too_deep].count, 1u);
  // Compilations are read by another reader, which lives longer than one run.
  const std::string compilation =
      compilation_line("h", "k", "\"x\":1,\"python_source\":" + deep(50));
  EXPECT_EQ(read_text(compilation, options).compilations.size(), 0u);
  options.limits.max_depth = 60;
  EXPECT_EQ(read_text(compilation, options).compilations.size(), 1u);
  EXPECT_EQ(read_text(text, options).launches, 1u);
}

TEST(BadFiles, InterruptionIsAnError) {
  const TempFolder folder;
  write_bytes(folder.path() / "a.ndjson", kGood);
  const std::atomic<bool> interrupted{true};
  ReadOptions options;
  options.interrupted = &interrupted;
  io::InputFile file{(folder.path() / "a.ndjson").string(), "a.ndjson", {}};
  const auto run = read({{std::nullopt, {file}}}, options, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::interrupted);
}

}  // namespace
}  // namespace ks::run
