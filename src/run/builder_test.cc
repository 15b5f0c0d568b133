#include "run/builder.h"

#include <gtest/gtest.h>

#include "run/test_dump.h"

namespace ks::run {
namespace {

using namespace testing;

TEST(Seconds, OfATimestampAsTheTracerWritesIt) {
  EXPECT_EQ(parse_seconds("1970-01-02T00:00:01.%fZ"), 86401);
  EXPECT_EQ(parse_seconds("2026-03-01T10:00:00.%fZ"), 1772359200);
  EXPECT_EQ(parse_seconds("2024-02-29T23:59:59"), 1709251199);
  EXPECT_EQ(parse_seconds("2000-12-31T23:59:59"), 978307199);
  for (const char* bad : {"", "yesterday", "2026-03-01", "2026-13-01T10:00:00",
                          "1969-03-01T10:00:00", "2026-03-0xT10:00:00", "2026-03-01T10:00:-1"}) {
    EXPECT_EQ(parse_seconds(bad), 0) << bad;
  }
}

TEST(Build, LaunchesOfOneHashAreOneKernelWhateverElseTheyCarry) {
  const auto run =
      read_text(compilation_line("h") + launch_line(R"("grid":[1])") +
                launch_line(R"("grid":[2])") + launch_line(R"("grid":[1])", "h", "k", 5));
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_TRUE(run.kernels[0].compilation_seen);
  EXPECT_EQ(run.kernels[0].user_launches(), 3u);
  ASSERT_EQ(run.classes.size(), 2u) << "time is no difference";
  EXPECT_EQ(text_of(run.classes[0].positions), "0,2");
  EXPECT_EQ(run.classes[0].grid, (std::vector<int64_t>{1}));
  EXPECT_EQ(run.groups[0].last_time - run.groups[0].first_time, 5);
}

TEST(Build, AKernelWithoutItsCompilationStandsInWithWhatALaunchKnows) {
  const auto run = read_text(
      R"({"event_type":"launch","pid":7,"name":"k","compilation_metadata":{"hash":"h","name":"k",)"
      R"("num_warps":8,"num_stages":2,"target":{"backend":"cuda","arch":90,"warp_size":32},)"
      R"("triton_version":"3.6.0"},"extracted_args":{},"timestamp":"t"})"
      "\n");
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_FALSE(run.kernels[0].compilation_seen);
  EXPECT_EQ(run.kernels[0].name, "k");
  EXPECT_EQ(run.kernels[0].metadata.num_warps, 8);
  EXPECT_EQ(run.kernels[0].metadata.warp_size, 32);
  EXPECT_EQ(run.kernels[0].metadata.arch, "90");
  EXPECT_EQ(run.diagnostics[Diag::compilation_not_seen].count, 1u);
}

TEST(Build, ALateCompilationTakesOverFromTheStandIn) {
  const auto run = read_text(launch_line("") + compilation_line("h", "k"));
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_TRUE(run.kernels[0].compilation_seen);
  EXPECT_EQ(run.diagnostics[Diag::compilation_not_seen].count, 0u);
}

TEST(Build, OneHashInTwoFramesIsOneKernelWithTwoCompilations) {
  const std::string pt = R"("pt_info":{"frame_id":)";
  const auto run = read_text(
      compilation_line("h", "k", pt + R"(3,"frame_compile_id":0,"attempt":1})") +
      compilation_line("h", "k", pt + R"(4,"frame_compile_id":2,"compiled_autograd_id":9})"));
  ASSERT_EQ(run.kernels.size(), 1u);
  ASSERT_EQ(run.compilations.size(), 2u);
  EXPECT_EQ(*run.compilations[0].frame, (trace::FrameIds{3, 0, 1, std::nullopt}));
  EXPECT_EQ(*run.compilations[1].frame, (trace::FrameIds{4, 2, 0, 9}));
  EXPECT_EQ(run.kernels[0].compilations, (std::vector<Id>{0, 1}));
  EXPECT_EQ(run.diagnostics[Diag::duplicate_compilation].count, 1u);
}

TEST(Build, OneHashOnTwoRanksIsOneKernelLaunchedByTwoProcesses) {
  const std::string name = "dedicated_log_triton_trace_u_rank_{}_pid_{}_host_h_.ndjson";
  const std::string text = compilation_line("h") + launch_line(R"("grid":[1])") + launch_line("");
  const auto run = read_files({{fmt::format(fmt::runtime(name), 0, 10), text},
                               {fmt::format(fmt::runtime(name), 1, 11), text}});
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_EQ(run.kernels[0].compilations.size(), 2u);
  EXPECT_EQ(run.kernels[0].user_launches(), 4u);
  ASSERT_EQ(run.processes.size(), 2u);
  EXPECT_EQ(run.processes[0].rank, 0);
  EXPECT_EQ(run.processes[1].rank, 1);
  EXPECT_EQ(run.processes[1].pid, 11);
  EXPECT_EQ(run.processes[1].launches, 2u);
  // Classes are of one process, so that a diff can say which.
  EXPECT_EQ(run.classes.size(), 4u);
}

TEST(Build, WhatAProcessWroteBeforeItKnewItsRankIsThatRanks) {
  const std::string name = "dedicated_log_triton_trace_u_rank_{}_pid_10_host_h_.ndjson";
  const auto run = read_files({{fmt::format(fmt::runtime(name), "none"), compilation_line("h")},
                               {fmt::format(fmt::runtime(name), 3), bare_launch("k", "5")}});
  ASSERT_EQ(run.processes.size(), 1u) << "one process with two files";
  EXPECT_EQ(run.processes[0].rank, 3);
  ASSERT_EQ(run.files.size(), 2u);
  ASSERT_EQ(run.groups.size(), 1u);
  EXPECT_EQ(run.groups[0].attribution, Attribution::exact);
}

TEST(Build, TheFirstCompilationsTextsCountAndTheOthersTimesDoToo) {
  const auto line = [](int warm, const char* hit) {
    return fmt::format(
        R"({{"event_type":"compilation","stack":[],"timestamp":"t","payload":{{"metadata":{{"cache_hit":{},)"
        R"("hash":"h","name":"k","times":{{"ir_initialization":10,"lowering_stages":[["ttir",{}],["ptx",5]],)"
        R"("store_results":1}}}},"file_content":{{"k.ttir":"module {{\n}}\n"}},"file_path":{{"k.cubin":"/c/k"}}}}}})"
        "\n",
        hit, warm);
  };
  const auto run = read_text(line(100, "false") + line(0, "true"));
  ASSERT_EQ(run.compilations.size(), 2u);
  EXPECT_EQ(run.compilations[0].times.total(), 116);
  EXPECT_EQ(run.compilations[1].times.total(), 16);
  EXPECT_EQ(run.compilations[0].cache_hit, false);
  EXPECT_EQ(run.compilations[1].cache_hit, true);
  ASSERT_EQ(run.kernels[0].artifacts.size(), 1u);
  EXPECT_EQ(run.kernels[0].artifacts[0].bytes, 11u);
  EXPECT_EQ(run.kernels[0].file_paths.at(0).second, "/c/k");
  EXPECT_EQ(run.kernels[0].metadata.json.find("times"), std::string::npos);
}

TEST(Build, DuplicateKeysCountAsTheLastOne) {
  const auto run = read_text(
      R"({"event_type":"launch","grid":[1],"name":"k","compilation_metadata":{"hash":"old"},)"
      R"("compilation_metadata":{"hash":"a","hash":"h"},"grid":[2,2],"extracted_args":{"n":{"type":"int",)"
      R"("value":1,"value":2},"m":{"type":"int"},"m":{"type":"float"}}})"
      "\n");
  ASSERT_EQ(run.kernels.size(), 1u);
  EXPECT_EQ(run.kernels[0].hash, "h");
  const LaunchDiff diff = launch_diff(run, 0);
  EXPECT_EQ(field_text(run, diff, "grid"), "1/1: [2,2] x1 @0");
  EXPECT_EQ(field_text(run, diff, "extracted_args.n.value"), "1/1: 2 x1 @0");
  EXPECT_EQ(field_text(run, diff, "extracted_args.m.type"), "1/1: \"float\" x1 @0");
}

TEST(Build, PointersStayWithTheirArgumentsWhateverTheSpacing) {
  const std::string plain = R"("x":{"data_ptr":"0x10"},"y":{"data_ptr":"0x21"})";
  const std::string spaced = R"("x":{"data_ptr" :  "0x10"},"y":{"data_ptr":)"
                             "\t"
                             R"("0x21"})";
  for (const std::string& arguments : {plain, spaced}) {
    const auto run = read_text(launch_with_args(arguments));
    const LaunchDiff diff = launch_diff(run, 0);
    EXPECT_EQ(field_text(run, diff, "extracted_args.x.data_ptr"), "1/1: 1 pointers, 1 aligned")
        << arguments;
    EXPECT_EQ(field_text(run, diff, "extracted_args.y.data_ptr"), "1/1: 1 pointers, 0 aligned")
        << arguments;
  }
}

TEST(Build, ALaunchesOnlyProcessTakesItsPidFromTheFirstRecord) {
  const auto run = read_files({{"plain.ndjson", launch_line("")}});
  ASSERT_EQ(run.processes.size(), 1u);
  EXPECT_EQ(run.processes[0].pid, 7);
}

TEST(Build, RealTraceOfHandWrittenKernels) {
  Witness witness;
  const auto run = read_paths({committed("traces/triton")}, {}, {&witness});
  EXPECT_EQ(run.compilations.size(), 19u);
  EXPECT_EQ(run.launches, 1189u);
  EXPECT_GT(witness.mapped_lines(), 1000u);
  EXPECT_TRUE(run.diagnostics.lossless()) << diagnostics_text(run.diagnostics);
}

TEST(Build, RealTraceOfTwoRanks) {
  const auto run = read_paths({committed("traces/ddp")});
  ASSERT_EQ(run.processes.size(), 2u);
  EXPECT_EQ(run.processes[0].launches, 1448u);
  EXPECT_EQ(run.processes[1].launches, 633u);
  EXPECT_EQ(run.processes[0].pid, 1903);
  EXPECT_TRUE(run.diagnostics.lossless()) << diagnostics_text(run.diagnostics);
}

}  // namespace
}  // namespace ks::run
