#include "run/launch_diff.h"

#include <gmock/gmock.h>

#include "run/test_dump.h"

namespace ks::run {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Diffed {
  Run run;
  LaunchDiff diff;
  std::string field(std::string_view dotted) const { return field_text(run, diff, dotted); }
};

Diffed diffed(const std::string& text) {
  Diffed d{read_text(text), {}};
  EXPECT_EQ(d.run.kernels.size(), 1u);
  d.diff = launch_diff(d.run, 0);
  return d;
}

std::string with_stack(const std::string& file, int line, const std::string& fields) {
  return launch_line(fmt::format(
      R"("stack":[{{"line":{},"name":"main","filename":"{}","loc":"k[g]"}},{{"line":7,"name":"run",)"
      R"("filename":"/v/site-packages/triton/runtime/jit.py","loc":""}}],{})",
      line, file, fields));
}

TEST(LaunchDiff, OneLaunchHasFieldsAndNoDifference) {
  const Diffed d = diffed(launch_with_args(R"("n":{"type":"int","value":16})", R"("grid":[4,1])"));
  EXPECT_EQ(d.diff.launches, 1u);
  EXPECT_EQ(d.field("grid"), "1/1: [4,1] x1 @0");
  EXPECT_EQ(d.field("extracted_args.n.value"), "1/1: 16 x1 @0");
  EXPECT_THAT(d.diff.varying, IsEmpty());
  EXPECT_THAT(configurations_text(d.run, d.diff), ElementsAre("x1 @0 | nowhere x1"));
}

TEST(LaunchDiff, AFieldOfOnlySomeLaunchesIsADifferenceThatSaysHowMany) {  // BUG 2
  const Diffed d =
      diffed(launch_with_args(R"("n":{"type":"int","value":1},"only0":{"type":"int","value":9})") +
             launch_with_args(R"("n":{"type":"int","value":1})") +
             launch_with_args(R"("n":{"type":"int","value":1})"));
  EXPECT_EQ(d.field("extracted_args.n.value"), "3/3: 1 x3 @0-2");
  EXPECT_EQ(d.field("extracted_args.only0.value"), "1/3: 9 x1 @0");
  EXPECT_THAT(lock_steps_text(d.run, d.diff),
              ElementsAre("2: extracted_args.only0.type extracted_args.only0.value"));
  EXPECT_THAT(
      configurations_text(d.run, d.diff),
      ElementsAre(
          "x2 @1-2 extracted_args.only0.type=- extracted_args.only0.value=- | nowhere x2",
          "x1 @0 extracted_args.only0.type=\"int\" extracted_args.only0.value=9 | nowhere x1"));
}

TEST(LaunchDiff, NamesMatchWhole) {  // BUG 3
  const auto line = [](int i) {
    return launch_with_args(
        fmt::format(
            R"("num_streams":{{"value":{0}}},"pid_m":{{"value":{0}}},"functional":{{"value":{0}}},)"
            R"("rapid":{{"value":{0}}},"launch_group_hash_out":{{"value":{0}}},"pid":{{"value":{0}}})",
            i),
        fmt::format(R"("stream":{0},"function":{0})", 100 + i));
  };
  const Diffed d = diffed(line(1) + line(2));
  for (const char* name :
       {"num_streams", "pid_m", "functional", "rapid", "launch_group_hash_out", "pid"}) {
    EXPECT_EQ(d.field(fmt::format("extracted_args.{}.value", name)), "2/2: 1 x1 @0; 2 x1 @1")
        << name;
  }
  ASSERT_EQ(d.diff.lock_steps.size(), 1u);
  EXPECT_EQ(d.diff.lock_steps[0].paths.size(), 6u)
      << "stream and function of the launch are volatile";
  EXPECT_EQ(d.field("stream"), "2/2: 101 x1 @0; 102 x1 @1");
}

TEST(LaunchDiff, DescriptorsAreComparedFieldByField) {  // BUG 5
  const auto line = [](const char* pointer, const char* shape) {
    return launch_with_args(fmt::format(
        R"("desc":{{"type":"TensorDescriptor","base":{{"type":"tensor","shape":{},"data_ptr":"{}"}},)"
        R"("block_shape":[16,16],"padding":"zero"}})",
        shape, pointer));
  };
  const Diffed d =
      diffed(line("0x1000", "[64,32]") + line("0x2008", "[64,32]") + line("0x2008", "[8,8]"));
  EXPECT_EQ(d.field("extracted_args.desc.base.data_ptr"), "3/3: 2 pointers, 1 aligned");
  EXPECT_EQ(d.field("extracted_args.desc.base.shape"), "3/3: [64,32] x2 @0-1; [8,8] x1 @2");
  EXPECT_EQ(d.field("extracted_args.desc.block_shape"), "3/3: [16,16] x3 @0-2");
  EXPECT_THAT(lock_steps_text(d.run, d.diff), ElementsAre("2: extracted_args.desc.base.shape"))
      << "a pointer makes no configuration";
}

TEST(LaunchDiff, ListsOfObjectsAreOpenedByIndexAndOthersAreOneValue) {
  const auto line = [](int b) {
    return launch_with_args(fmt::format(
        R"("t":[{{"type":"int","value":1}},{{"type":"int","value":{}}}],"deep":[[{{"v":{}}}],3],"flat":[1,2])",
        b, b));
  };
  const Diffed d = diffed(line(5) + line(6));
  EXPECT_EQ(d.field("extracted_args.t.0.value"), "2/2: 1 x2 @0-1");
  EXPECT_EQ(d.field("extracted_args.t.1.value"), "2/2: 5 x1 @0; 6 x1 @1");
  EXPECT_EQ(d.field("extracted_args.deep.0.0.v"), "2/2: 5 x1 @0; 6 x1 @1");
  EXPECT_EQ(d.field("extracted_args.deep.1"), "2/2: 3 x2 @0-1");
  EXPECT_EQ(d.field("extracted_args.flat"), "2/2: [1,2] x2 @0-1");
}

TEST(LaunchDiff, TheReferencesWayNeverOpensLists) {
  ReadOptions exact;
  exact.exact = true;
  const auto run = read_text(launch_with_args(R"("t":[{"value":1}])"), exact);
  EXPECT_EQ(field_text(run, launch_diff(run, 0), "extracted_args.t"),
            R"(1/1: [{"value":1}] x1 @0)");
}

TEST(LaunchDiff, DottedNamesStayApart) {
  const Diffed d = diffed(launch_with_args(R"("n.m":{"value":1},"n":{"m":{"value":5}})") +
                          launch_with_args(R"("n.m":{"value":2},"n":{"m":{"value":5}})"));
  std::vector<std::string> texts;
  for (const FieldDiff& field : d.diff.fields) {
    const Path& path = d.run.paths[field.path];
    if (path.dotted() != "extracted_args.n.m.value") continue;
    texts.push_back(path.parts[1] + " " + text_of(d.run, d.diff, field));
  }
  EXPECT_THAT(texts, ElementsAre("n.m 2/2: 1 x1 @0; 2 x1 @1", "n 2/2: 5 x2 @0-1"));
}

TEST(LaunchDiff, AScalarAgainstAMapIsADifference) {  // BUG 4
  const auto line = [](const char* options) {
    return launch_line(fmt::format(R"("options":{})", options));
  };
  const Diffed d = diffed(line("null") + line(R"({"O":3})") + line("null") + line("{}"));
  EXPECT_EQ(d.field("options"), "2/4: null x2 @0,2");
  EXPECT_EQ(d.field("options.O"), "1/4: 3 x1 @1");
  EXPECT_EQ(d.diff.configurations.size(), 3u);
}

TEST(LaunchDiff, NumbersOfOtherTypesAreOtherValues) {
  std::string text;
  for (const char* v : {"1", "1.0", "true", "1", "0.0", "-0.0"}) {
    text += launch_with_args(fmt::format(R"("v":{{"value":{}}})", v));
  }
  const Diffed d = diffed(text);
  EXPECT_EQ(d.field("extracted_args.v.value"),
            "6/6: 1 x2 @0,3; 1.0 x1 @1; true x1 @2; 0.0 x1 @4; -0.0 x1 @5");
}

TEST(LaunchDiff, KeyOrderOfAMapIsNoDifference) {
  const Diffed d = diffed(launch_with_args(R"("v":{"a":1,"b":[{"x":1,"y":2}]})") +
                          launch_with_args(R"("v":{"b":[{"y":2,"x":1}],"a":1})"));
  EXPECT_THAT(d.diff.varying, IsEmpty());
  EXPECT_EQ(d.diff.configurations.size(), 1u);
}

TEST(LaunchDiff, PointersKeepHowManyAndHowAligned) {
  std::string text;
  for (const char* pointer : {"0x1000", "0x1008", "0x1000", "0x0", "0xffffffffffffffff"}) {
    text += launch_with_args(fmt::format(R"("x":{{"type":"tensor","data_ptr":"{}"}})", pointer));
  }
  const Diffed d = diffed(text);
  EXPECT_EQ(d.field("extracted_args.x.data_ptr"), "5/5: 4 pointers, 3 aligned");
  EXPECT_EQ(d.run.classes.size(), 1u) << "addresses make no classes";
  EXPECT_EQ(d.diff.configurations.size(), 1u);
}

TEST(LaunchDiff, AlignmentCountsUserLaunchesOnly) {
  const char* bench =
      R"("stack":[{"line":1,"name":"f","filename":"/u.py","loc":""},{"line":2,"name":"_bench",)"
      R"("filename":"/v/site-packages/triton/runtime/autotuner.py","loc":""}])";
  const Diffed d = diffed(launch_with_args(R"("x":{"data_ptr":"0x10"})") +
                          launch_with_args(R"("x":{"data_ptr":"0x20"})", bench));
  EXPECT_EQ(d.field("extracted_args.x.data_ptr"), "1/1: 1 pointers, 1 aligned");
}

TEST(LaunchDiff, FieldsThatMoveTogetherAreOneFact) {
  const auto line = [](int n, const char* act) {
    return with_stack(
        "/w/run.py", n == 16 ? 3 : 4,
        fmt::format(
            R"("grid":[{}],"extracted_args":{{"x":{{"type":"tensor","shape":[{}],"numel":{},)"
            R"("data_ptr":"0x{:x}0"}},"n":{{"value":{}}},"act":{{"value":"{}"}}}})",
            n / 16, n, n, n + 1, n, act));
  };
  const Diffed d =
      diffed(line(16, "relu") + line(32, "relu") + line(48, "relu") + line(16, "gelu") +
             line(64, "relu") + line(16, "relu") + line(16, "relu"));
  EXPECT_THAT(
      lock_steps_text(d.run, d.diff),
      ElementsAre("4: grid extracted_args.x.shape extracted_args.x.numel extracted_args.n.value",
                  "2: extracted_args.act.value"));
  ASSERT_EQ(d.diff.configurations.size(), 5u);
  const auto texts = configurations_text(d.run, d.diff);
  EXPECT_EQ(texts[0],
            "x3 @0,5-6 grid=[1] extracted_args.x.shape=[16] extracted_args.x.numel=16 "
            "extracted_args.n.value=16 extracted_args.act.value=\"relu\" | /w/run.py:3 x3");
  EXPECT_EQ(texts[1].substr(0, 5), "x1 @1") << "equal counts: by first launch";
  EXPECT_EQ(texts[4].substr(0, 5), "x1 @4");
}

TEST(LaunchDiff, CallSitesAreCountedAndMakeNoConfiguration) {
  const Diffed d =
      diffed(with_stack("/w/a.py", 1, R"("grid":[1])") + with_stack("/w/b.py", 2, R"("grid":[1])") +
             with_stack("/w/b.py", 2, R"("grid":[1])"));
  EXPECT_THAT(configurations_text(d.run, d.diff),
              ElementsAre("x3 @0-2 | /w/b.py:2 x2, /w/a.py:1 x1"));
  EXPECT_THAT(d.diff.varying, IsEmpty());
}

TEST(LaunchDiff, TensorStatisticsMakeNoConfigurations) {
  const auto line = [](double min) {
    return launch_with_args(fmt::format(
        R"("x":{{"type":"tensor","shape":[4],"data_ptr":"0x10","min":{},"std":{},"tensor_hash":"{}"}})",
        min, min + 0.5, min));
  };
  const Diffed d = diffed(line(0.25) + line(0.5) + line(0.75));
  EXPECT_EQ(d.field("extracted_args.x.min"), "3/3: 0.25 x1 @0; 0.5 x1 @1; 0.75 x1 @2");
  EXPECT_THAT(d.diff.varying, IsEmpty());
  EXPECT_EQ(d.diff.configurations.size(), 1u);
}

TEST(LaunchDiff, AnArgumentCalledMinIsNoStatistic) {
  const Diffed d =
      diffed(launch_with_args(R"("min":{"value":1})") + launch_with_args(R"("min":{"value":2})"));
  EXPECT_EQ(d.diff.configurations.size(), 2u);
}

TEST(LaunchDiff, RangesOfInterleavedLaunchesOfTwoKernels) {
  const auto run = read_text(launch_line(R"("grid":[1])", "a") + launch_line(R"("grid":[1])", "b") +
                             launch_line(R"("grid":[2])", "a") + launch_line(R"("grid":[1])", "a") +
                             launch_line(R"("grid":[1])", "b"));
  const Id a = kernel_with_hash(run, "a"), b = kernel_with_hash(run, "b");
  EXPECT_EQ(field_text(run, launch_diff(run, a), "grid"), "3/3: [1] x2 @0,2; [2] x1 @1");
  EXPECT_EQ(field_text(run, launch_diff(run, b), "grid"), "2/2: [1] x2 @0-1");
}

TEST(LaunchDiff, AKernelWithoutUserLaunchesHasNothing) {
  const auto run = read_text(compilation_line("h"));
  const LaunchDiff diff = launch_diff(run, 0);
  EXPECT_EQ(diff.launches, 0u);
  EXPECT_THAT(diff.configurations, IsEmpty());
}

TEST(LaunchDiff, UnionSortsAndJoins) {
  EXPECT_EQ(text_of(union_of({{7, 9}, {0, 1}, {4, 4}, {2, 3}})), "0-4,7-9");
  EXPECT_EQ(text_of(union_of({})), "");
}

TEST(LaunchDiff, RealKernelsConfigurations) {
  const auto run = read_paths({committed("traces/triton")});
  uint64_t of_add = 0;
  for (Id k = 0; k < run.kernels.size(); ++k) {
    if (run.kernels[k].name != "add_kernel") continue;
    const LaunchDiff diff = launch_diff(run, k);
    of_add += diff.launches;
    if (diff.launches < 100) continue;
    // A loop of 200 launches over seven sizes; statistics of the tensors must not split these.
    std::vector<uint64_t> counts;
    for (const Configuration& c : diff.configurations) counts.push_back(c.count);
    ASSERT_GE(counts.size(), 9u);
    counts.resize(9);
    EXPECT_THAT(counts, ElementsAre(29, 29, 29, 29, 28, 28, 28, 2, 2));
    EXPECT_THAT(
        lock_steps_text(run, diff),
        ::testing::Contains(::testing::AllOf(::testing::HasSubstr("extracted_args.x_ptr.shape"),
                                             ::testing::HasSubstr("extracted_args.y_ptr.numel"))));
  }
  EXPECT_EQ(of_add, 212u);
}

}  // namespace
}  // namespace ks::run
