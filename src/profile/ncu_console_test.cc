#include "profile/ncu_console.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ks::profile {
namespace {

using Times = std::vector<double>;

TEST(HarnessTimes, TheLineOfAKernelFile) {
  EXPECT_EQ(harness_times("0.027ms    0.004GB    147.69GB/s"), Times{0.027});
  EXPECT_EQ(harness_times("  12.5ms 1GB 2GB/s and more"), Times{12.5});
}

TEST(HarnessTimes, TheLineOfACompiledModule) {
  EXPECT_EQ(harness_times("llama  POI abc  0.027ms    \t0.004 GB \t  147.69GB/s   16 regs"),
            Times{0.027});
}

TEST(HarnessTimes, GluedToOtherText) {
  EXPECT_EQ(harness_times("0%....50%....100%0.124ms    0.001GB    6.36GB/s"), Times{0.124});
  EXPECT_EQ(harness_times("0%....50%....0.124ms    0.001GB    6.36GB/s - 13 passes"), Times{0.124});
  EXPECT_EQ(harness_times("loss in terms:0.1ms 0.2GB 3GB/s0.4ms 0.5GB 6GB/s"), (Times{0.1, 0.4}));
}

TEST(HarnessTimes, NotFinite) {
  ASSERT_EQ(harness_times("infms    0.004GB    0.00GB/s").size(), 1);
  EXPECT_TRUE(std::isinf(harness_times("100%infms    0.004GB    0.00GB/s")[0]));
  EXPECT_TRUE(std::isnan(harness_times("nanms    0.004GB    nanGB/s")[0]));
}

TEST(HarnessTimes, OtherLines) {
  for (const char* line : {"", "ms", "ms    0.004GB    147.69GB/s", "0.027ms", "0.027ms 0.004GB",
                           "0.027ms 0.004MB 1GB/s", "0.027ms0.004GB 1GB/s", "12 items GB/s"}) {
    EXPECT_EQ(harness_times(line), Times{}) << line;
  }
}

TEST(WithoutColours, DropsEscapeSequences) {
  EXPECT_EQ(without_colours("\x1b[31m0.027ms\x1b[0m"), "0.027ms");
  EXPECT_EQ(without_colours("a\x1b[1;31"), "a");
  EXPECT_EQ(without_colours("a\x1b"), "a");
}

NcuLog read(Console& console, std::initializer_list<const char*> lines) {
  for (const char* line : lines) console.add(line);
  NcuLog log;
  console.move_into(log);
  return log;
}

TEST(Console, ColouredHarnessLine) {
  Console console;
  const NcuLog log = read(console, {"\x1b[31m0.027ms    \t0.004 GB \t 147.69GB/s\x1b[0m\r"});
  EXPECT_EQ(log.harness_ms, Times{0.027});
}

TEST(Console, ProgressLinesOfAllVersions) {
  Console console;
  read(console,
       {"==PROF== Profiling \"triton_a\" - 0: 0%....50%....100% - 38 passes",
        "==PROF== Profiling \"triton_b\": 0%....50%....100% - 1 pass",
        "==PROF== Profiling \"triton_c_with_a_long_...\" - 2 (1/1): 0%....50%....100% - 7 passes",
        "words==PROF== Profiling \"triton_d\" - 3: 0%....50%....100%0.1ms 0.2GB 3GB/s",
        " - 13 passes"});
  ASSERT_EQ(console.profiled().size(), 4);
  const auto& lines = console.profiled();
  EXPECT_EQ(lines[0].name, "triton_a");
  EXPECT_EQ(lines[0].passes, 38);
  EXPECT_EQ(lines[1].passes, 1);
  EXPECT_EQ(lines[2].name, "triton_c_with_a_long_...");
  EXPECT_EQ(lines[2].passes, 7);
  EXPECT_EQ(lines[3].name, "triton_d");
  EXPECT_EQ(lines[3].passes, 13);
}

}  // namespace
}  // namespace ks::profile
