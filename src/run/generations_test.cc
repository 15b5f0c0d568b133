// Field generations (docs/trace-format.md) and traces that another parser has been over.

#include <gmock/gmock.h>

#include "run/test_dump.h"

namespace ks::run {
namespace {

using namespace testing;

const std::string kHash = "6f1c" + std::string(60, 'a');

TEST(Generations, TheBareListUnderMetadataHoldsTheHash) {  // 2025-06
  const auto run = read_text(
      compilation_line(kHash) +
      R"({"event_type":"launch","name":"k","function":1,"stream":0,"grid":[1],"metadata":[)"
      R"(false,"cuda",[1,1,1],")" +
      kHash +
      R"(",3,"k",[["libdevice","/x"]]],)"
      R"("extracted_args":{},"stack":[]})"
      "\n");
  ASSERT_EQ(run.groups.size(), 1u);
  EXPECT_EQ(run.groups[0].hash, kHash);
  EXPECT_EQ(run.groups[0].attribution, Attribution::hash);
  EXPECT_EQ(run.kernels.size(), 1u);
}

TEST(Generations, AListWithoutAHashLeavesTheHandle) {
  const auto run = read_text(compilation_line("h") +
                             R"({"event_type":"launch","name":"k","function":1,"metadata":[1,"x"]})"
                             "\n");
  EXPECT_EQ(run.groups.at(0).attribution, Attribution::exact);
}

TEST(Generations, TimesBesideOrInTheMetadata) {  // 2025-08
  const auto run = read_text(
      compilation_line(
          "old", "k",
          R"("times":{"ir_initialization":7,"lowering_stages":[["ttir",5]],"store_results":1})") +
      R"({"event_type":"compilation","payload":{"metadata":{"hash":"new","times":{"ir_initialization":9}}}})"
      "\n");
  ASSERT_EQ(run.compilations.size(), 2u);
  EXPECT_EQ(run.compilations[0].times.total(), 13);
  EXPECT_EQ(run.compilations[1].times.total(), 9);
  EXPECT_EQ(run.compilations[1].times.store_results, std::nullopt);
}

TEST(Generations, AttemptUnderBothItsNames) {  // BUG 7
  const auto attempt = [](const char* name) {
    const auto run = read_text(compilation_line(
        "h", "k", fmt::format(R"("pt_info":{{"frame_id":1,"frame_compile_id":2,"{}":3}})", name)));
    return run.compilations.at(0).frame.value_or(trace::FrameIds{}).attempt;
  };
  EXPECT_EQ(attempt("attempt"), 3);
  EXPECT_EQ(attempt("attempt_id"), 3);
}

TEST(Generations, SourceTextUnderBothItsNames) {  // BUG 10
  for (const char* name : {"code", "content"}) {
    const auto run = read_text(compilation_line(
        "h", "k",
        fmt::format(
            R"("python_source":{{"file_path":"/w/k.py","start_line":3,"end_line":4,"{}":"def k"}})",
            name)));
    ASSERT_EQ(run.sources.size(), 1u) << name;
    EXPECT_EQ(run.sources[0], "def k") << name;
    EXPECT_EQ(run.kernels[0].source, 0u);
    EXPECT_EQ(run.kernels[0].python->start_line, 3);
  }
}

TEST(Generations, FileNamesWithoutProcessAreOneProcessEach) {
  const auto run = read_files(
      {{"dedicated_log_triton_trace_u_.ndjson", bare_launch("k", "1")},
       {"log.source.dedicated_log_triton_trace_u_rank_1_.bin.ndjson", bare_launch("k", "1")}});
  ASSERT_EQ(run.processes.size(), 2u);
  EXPECT_EQ(run.processes[0].rank, 1);
  EXPECT_EQ(run.processes[1].rank, std::nullopt) << "without a rank: last";
}

TEST(Generations, ParsedLinesReadLikeRawOnes) {
  const std::string raw = launch_line(R"("grid":[1])");
  std::string parsed = raw;
  parsed.insert(
      parsed.rfind('}'),
      R"(,"launch_group_hash":"00ff","occurrence_id":4,"autotune_launch_type":"winner_run")");
  const auto run =
      read_text(raw + parsed +
                R"({"event_type":"compilation","is_fake":true,"payload":{"metadata":{"hash":"h"}}})"
                "\n" +
                R"({"event_type":"launch_diff","hash":"h"})"
                "\n");
  EXPECT_EQ(run.classes.size(), 1u);
  EXPECT_EQ(run.kernels[0].user_launches(), 2u);
  EXPECT_FALSE(run.kernels[0].compilation_seen) << "a stand-in is no compilation";
  EXPECT_EQ(run.diagnostics[Diag::derived_event].count, 2u);
}

class ParsedTraces : public ::testing::TestWithParam<const char*> {};

TEST_P(ParsedTraces, GiveTheSameRunAsTheRawOnes) {
  const std::string name = GetParam();
  const auto raw = kernels_text(read_paths({committed("traces/" + name)}));
  const auto parsed_run = read_paths({committed("expected/" + name)});
  const auto parsed = kernels_text(parsed_run);
  EXPECT_TRUE(parsed_run.diagnostics.lossless()) << diagnostics_text(parsed_run.diagnostics);
  EXPECT_EQ(raw.size(), parsed.size());
  for (const auto& [kernel, text] : raw) {
    ASSERT_TRUE(parsed.contains(kernel)) << kernel;
    EXPECT_EQ(parsed.at(kernel), text) << kernel;
  }
}

INSTANTIATE_TEST_SUITE_P(RealTraces, ParsedTraces, ::testing::Values("triton", "ddp"),
                         [](const auto& p) { return std::string(p.param); });

}  // namespace
}  // namespace ks::run
