#include "report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

run::Run example() {
  run::Run run;
  run.files = {{"a.ndjson", 0, 2'000'000, 10}};
  run.processes.resize(1);
  run.processes[0].rank = 3;
  run.kernels.resize(3);
  run.kernels[0].compilation_seen = true;
  run.kernels[0].launches = {5, 1, 20, 0, 0};
  run.kernels[1].compilation_seen = true;
  run.kernels[1].launches = {0, 0, 20, 0, 0};
  run.kernels[2].launches = {1, 0, 0, 0, 0};
  run.launches = 47;
  run.groups.resize(1);
  run.groups[0].attribution = run::Attribution::exact;
  run.groups[0].launches = {1, 0, 0, 0, 0};
  run.compilations.resize(2);
  run.compilations[1].cache_hit = true;
  run.kernels[0].artifacts = {{"k.ttir", "ttir", ir::Stage::ttir, 10, 4, {3, 1, 0}}};
  return run;
}

TEST(RunSummary, CountsEverything) {
  EXPECT_EQ(run_summary(example(), {}),
            "  input        1 file, 2.0 MB decoded, 1 process, 1 rank\n"
            "  kernels      3: 2 launched by the program, 1 autotune candidate not chosen\n"
            "  compilations 2: 1 cold, 1 from cache\n"
            "  launches     47: 7 by the program, 40 benchmark\n"
            "  attribution  launches without a hash: 1 exact\n"
            "  stand-ins    1 kernel known only by launches\n"
            "  source maps  ttir 75 % of code lines mapped\n");
}

TEST(DiagnosticsText, WorstFirstWithSamples) {
  Diagnostics diagnostics;
  diagnostics.add(Diag::derived_event, "x:1", 3);
  diagnostics.add(Diag::bad_json, "a.ndjson:7: \x1b[2J");
  diagnostics.add(Diag::unreadable_file, "b");
  const std::string text = diagnostics_text(diagnostics, {});
  EXPECT_LT(text.find("Failed\n"), text.find("Lost\n"));
  EXPECT_LT(text.find("Lost\n"), text.find("Noted\n"));
  EXPECT_THAT(text, HasSubstr("        1  bad_json: line that is not valid JSON; skipped\n"
                              "           a.ndjson:7: \\x1b[2J\n"));
  EXPECT_THAT(text, Not(HasSubstr("x:1")));
}

TEST(DiagnosticsText, NothingToSay) { EXPECT_EQ(diagnostics_text({}, {}), ""); }

TEST(TimingsText, RateAndPeak) {
  Timing timing;
  timing.wall_s = 0.5, timing.bytes = 100'000'000, timing.peak_rss_bytes = 42'000'000;
  const std::string text = timings_text(timing);
  EXPECT_THAT(text, HasSubstr("200.0 MB/s"));
  EXPECT_THAT(text, HasSubstr("42.0 MB\n"));
}

}  // namespace
}  // namespace ks::report
