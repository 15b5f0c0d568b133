// Launch kinds and autotune sessions.

#include <gmock/gmock.h>

#include "run/interner.h"
#include "run/test_dump.h"

namespace ks::run {
namespace {

using namespace testing;

constexpr const char* kTriton = "/v/lib/site-packages/triton/runtime/autotuner.py";
constexpr const char* kInductor =
    "/v/lib/site-packages/torch/_inductor/runtime/triton_heuristics.py";

struct At {
  std::string file, function;
  int line = 1;
};

std::string stack(const std::vector<At>& frames) {
  std::string out = "\"stack\":[";
  for (size_t i = 0; i < frames.size(); ++i) {
    out += fmt::format(R"({}{{"line":{},"name":"{}","filename":"{}","loc":""}})", i > 0 ? "," : "",
                       frames[i].line, frames[i].function, frames[i].file);
  }
  return out + "]";
}

LaunchKind kind_of(const std::string& fields) {
  const auto run = read_text(launch_line(fields));
  EXPECT_EQ(run.classes.size(), 1u);
  return run.classes.at(0).kind;
}

TEST(LaunchKinds, ByTheFramesOfTheAutotuners) {
  const At user{"/w/run.py", "main", 3};
  EXPECT_EQ(kind_of(stack({user})), LaunchKind::user);
  EXPECT_EQ(kind_of(stack({user, {kTriton, "_bench"}})), LaunchKind::benchmark);
  EXPECT_EQ(kind_of(stack({user, {kTriton, "run"}})), LaunchKind::user);
  EXPECT_EQ(kind_of(stack({user, {kInductor, "benchmark_all_configs"}})), LaunchKind::benchmark);
  EXPECT_EQ(kind_of(stack({user, {kInductor, "bench"}})), LaunchKind::benchmark);
  EXPECT_EQ(kind_of(stack({user, {kInductor, "coordinate_descent_tuning"}})),
            LaunchKind::benchmark);
  EXPECT_EQ(kind_of(stack({user, {kInductor, "run"}})), LaunchKind::user);
  EXPECT_EQ(kind_of(stack({{"/w/mine.py", "_bench"}, {"/w/mine.py", "bench"}})), LaunchKind::user);
  EXPECT_EQ(kind_of(R"("stack":null)"), LaunchKind::user);
}

TEST(LaunchKinds, GraphCaptureByTheTracersNote) {
  const std::string note =
      R"("extracted_args":{"_note":"argument extraction skipped during CUDA graph capture"})";
  EXPECT_EQ(kind_of(note), LaunchKind::graph_capture);
  // The same text is looked up, not read, the second time.
  const auto run =
      read_text(launch_line(note) + launch_line(note + R"(,"stream":3)") + launch_line(""));
  EXPECT_EQ(text_of(run.kernels[0].launches), "user 1 winner 0 benchmark 0 warm_up 0 captured 2");
  EXPECT_EQ(launch_diff(run, 0).launches, 1u);
}

TEST(LaunchKinds, AnArgumentCalledNoteIsNoGraphCapture) {
  EXPECT_EQ(kind_of(R"("extracted_args":{"_note":{"type":"int","value":1}})"), LaunchKind::user);
}

TEST(LaunchKinds, TheNoteOfARealExample) {
  const auto run = read_paths({committed("launch_diff_examples/07_graph_capture_note.raw.ndjson")});
  EXPECT_GT(launch_kinds(run)[4], 0u);
  EXPECT_GT(launch_kinds(run)[0], 0u);
}

TEST(Autotune, TheWinnerIsWhatTheProgramLaunchedAfterTheBenchmarks) {
  const At user{"/w/run.py", "main", 3};
  const std::string bench = stack({user, {kTriton, "run"}, {kTriton, "_bench"}});
  const std::string use = stack({user, {kTriton, "run"}});
  const auto run =
      read_text(compilation_line("a") + compilation_line("b") + launch_line(bench, "a") +
                launch_line(bench, "a") + launch_line(bench, "b") + launch_line(use, "b") +
                launch_line(use, "b") + launch_line(stack({{"/w/other.py", "f"}}), "b"));
  const Kernel& a = run.kernels[kernel_with_hash(run, "a")];
  const Kernel& b = run.kernels[kernel_with_hash(run, "b")];
  EXPECT_EQ(text_of(a.launches), "user 0 winner 0 benchmark 2 warm_up 0 captured 0");
  EXPECT_EQ(text_of(b.launches), "user 1 winner 2 benchmark 1 warm_up 0 captured 0");
  ASSERT_EQ(run.sessions.size(), 1u);
  const AutotuneSession& session = run.sessions[0];
  EXPECT_FALSE(session.inductor);
  EXPECT_EQ(session.user_frames, 1u);
  EXPECT_EQ(session.session_id.size(), 16u);
  EXPECT_TRUE(session.tuned);
  ASSERT_EQ(session.configs.size(), 2u);
  EXPECT_FALSE(session.configs[0].winner);
  EXPECT_TRUE(session.configs[1].winner);
  EXPECT_EQ(session.configs[1].benchmark_launches, 1u);
  EXPECT_EQ(session.configs[1].user_launches, 2u);
  EXPECT_EQ(launch_diff(run, kernel_with_hash(run, "b")).launches, 3u)
      << "winners are user launches";
}

TEST(Autotune, SessionsAreApartByThePlaceInTheProgram) {
  const auto text = [](int line, const char* hash) {
    const At user{"/w/run.py", "main", line};
    return launch_line(stack({user, {kTriton, "_bench"}}), hash) +
           launch_line(stack({user, {kTriton, "run"}}), hash);
  };
  const auto run = read_text(text(3, "a") + text(4, "a"));
  EXPECT_EQ(run.sessions.size(), 2u);
  EXPECT_NE(run.sessions[0].session_id, run.sessions[1].session_id);
}

TEST(Autotune, OneConfigWithoutBenchmarksIsNoTuning) {
  const auto run = read_text(launch_line(stack({{"/w/run.py", "main"}, {kTriton, "run"}})));
  ASSERT_EQ(run.sessions.size(), 1u);
  EXPECT_FALSE(run.sessions[0].tuned);
  EXPECT_EQ(text_of(run.kernels[0].launches), "user 1 winner 0 benchmark 0 warm_up 0 captured 0");
}

TEST(Autotune, InductorsSessionIsTheWrappersLine) {
  const At wrapper{"/tmp/torchinductor_u/ab/cab.py", "call", 90};
  const std::string bench =
      stack({{"/w/a.py", "f"}, wrapper, {kInductor, "run"}, {kInductor, "bench"}});
  const std::string use = stack({{"/w/elsewhere.py", "g"}, wrapper, {kInductor, "run"}});
  const auto run =
      read_text(launch_line(bench, "a") + launch_line(bench, "b") + launch_line(use, "a"));
  ASSERT_EQ(run.sessions.size(), 1u) << "whichever way the program came to it";
  EXPECT_TRUE(run.sessions[0].inductor);
  EXPECT_EQ(text_of(run.kernels[kernel_with_hash(run, "a")].launches),
            "user 0 winner 1 benchmark 1 warm_up 0 captured 0");
}

std::string autotune_line(const std::string& stack_json) {
  return R"({"event_type":"autotune","pid":7,"kernel_name":"mm","cache_key":"3d","best_config":"B: 64",)"
         R"("configs_timings":{"B: 64":[0.01,0.009],"B: 128":"inf"},"duration":1.25,"cache_hit":false,)"
         R"("autotune_key":"1024,",)" +
         stack_json +
         R"(,"timestamp":"t"})"
         "\n";
}

TEST(Autotune, TheEventsTimingsAndBestConfig) {
  const auto run = read_text(autotune_line(stack({{"/w/run.py", "main", 3}, {kTriton, "run"}})));
  ASSERT_EQ(run.sessions.size(), 1u);
  const AutotuneSession& s = run.sessions[0];
  EXPECT_EQ(s.name, "mm");
  EXPECT_EQ(s.best_config, "B: 64");
  EXPECT_EQ(s.duration_s, 1.25);
  EXPECT_EQ(s.cache_hit, false);
  EXPECT_EQ(s.key, "1024,");
  ASSERT_EQ(s.configs.size(), 2u);
  EXPECT_EQ(s.configs[0].timings, "[0.01,0.009]");
  EXPECT_TRUE(s.configs[0].winner);
  EXPECT_EQ(s.configs[1].timings, "\"inf\"");
  EXPECT_EQ(s.configs[1].kernel, kNone);
}

TEST(Autotune, AnEventWithoutASessionIsCounted) {
  for (const char* none : {R"("stack":[])", R"("stack":null)", R"("stack":7)"}) {
    const auto run = read_text(autotune_line(none));
    EXPECT_TRUE(run.sessions.empty());
    EXPECT_EQ(run.diagnostics[Diag::unknown_event].count, 1u);
  }
}

TEST(CallSite, IsTheInnermostFrameOfTheUsersOwn) {
  const std::vector<StackFrame> frames = {
      {"/w/run.py", "main", "", 3},
      {"/w/model.py", "forward", "", 9},
      {"/v/site-packages/torch/nn/module.py", "__call__", "", 5},
      {"/v/site-packages/triton/runtime/jit.py", "run", "", 7}};
  std::vector<const StackFrame*> view;
  for (const StackFrame& f : frames) view.push_back(&f);
  EXPECT_EQ(user_call_site(view), 1u);
  view.erase(view.begin(), view.begin() + 2);
  EXPECT_EQ(user_call_site(view), 2u) << "none";
  EXPECT_EQ(user_call_site({}), 0u);
}

struct RealTrace {
  const char* name;
  uint64_t benchmarks, launches;
};

class RealKinds : public ::testing::TestWithParam<RealTrace> {};

// 3,034 launches of triton_mm are Inductor's timings of a template's choices: counting them as the
// program's own put them at the top of every list.
TEST(TemplateKinds, TheChoicesOfATemplateAreBenchmarks) {
  const std::string folder = shared_data("one_run/template/trace");
  if (folder.empty()) GTEST_SKIP() << "shared data is absent";
  ReadOptions options;
  options.analyse = false;
  const auto run = read_paths({folder}, options);
  const auto kinds = launch_kinds(run);
  EXPECT_EQ(kinds[0] + kinds[1], 61u);
  EXPECT_EQ(kinds[2], run.launches - 61);
}

TEST_P(RealKinds, Counts) {
  const RealTrace& expected = GetParam();
  const std::string name = std::string("traces/") + expected.name;
  std::string folder = committed(name);
  if (!std::filesystem::exists(folder)) folder = shared_data(name);
  if (folder.empty()) GTEST_SKIP() << "shared data is absent";
  ReadOptions options;
  options.analyse = false;
  const auto run = read_paths({folder}, options);
  const auto kinds = launch_kinds(run);
  EXPECT_EQ(run.launches, expected.launches);
  EXPECT_EQ(kinds[2], expected.benchmarks);
  EXPECT_GT(kinds[1], 0u) << "winners";
  EXPECT_EQ(kinds[0] + kinds[1] + kinds[2], expected.launches);
  for (const AutotuneSession& s : run.sessions) {
    EXPECT_EQ(s.inductor, std::string_view(expected.name) != "triton");
    const auto winners =
        std::count_if(s.configs.begin(), s.configs.end(), [](auto& c) { return c.winner; });
    EXPECT_LE(winners, 1) << s.name;
    for (const AutotuneConfig& c : s.configs) {
      if (c.kernel == kNone || c.benchmark_launches + c.user_launches == 0) continue;
      EXPECT_EQ(run.kernels[c.kernel].name, s.name);
    }
  }
  EXPECT_FALSE(run.sessions.empty());
}

INSTANTIATE_TEST_SUITE_P(RealTraces, RealKinds,
                         ::testing::Values(RealTrace{"gpt2", 1742, 2267},
                                           RealTrace{"llama", 2145, 2511},
                                           RealTrace{"ddp", 2051, 2081},
                                           RealTrace{"triton", 955, 1189},
                                           RealTrace{"llama_most_compilations_missing", 359, 401}),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace ks::run
