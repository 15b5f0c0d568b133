// Layouts before 2024 are written from their description: no real file of them was seen.

#include "profile/ncu_text.h"

#include <gtest/gtest.h>

#include "profile/ncu_test_data.h"
#include "profile/ncu_text_parts.h"

namespace ks::profile {
namespace {

using testing::metric;
using testing::parse;
using Dim = std::array<int64_t, 3>;

constexpr const char* k2020 =
    R"(==PROF== Connected to process 25 (/usr/bin/python3.8)
==PROF== Profiling "triton__0d1d2de" - 1: 0%....50%....100% - 35 passes
0.027ms    0.004GB    147.69GB/s
==PROF== Disconnected from process 25
[25] python3.8@127.0.0.1
  triton__0d1d2de, 2021-Apr-25 02:52:37, Context 1, Stream 25
    Section: GPU Speed Of Light
    ---------------------------------------------------------------------- --------------- ------------------------------
    DRAM Frequency                                                           cycle/nsecond                           1.21
    SM Frequency                                                             cycle/nsecond                           1.05
    Elapsed Cycles                                                                   cycle                        1645570
    Memory [%]                                                                           %                          91.70
    SOL DRAM                                                                             %                          91.70
    Duration                                                                       msecond                           1.56
    SM [%]                                                                               %                          12.01
    ---------------------------------------------------------------------- --------------- ------------------------------
    WRN   Memory is more heavily utilized than Compute: Look at the Memory Workload Analysis report section.

    Section: Memory Workload Analysis
    ---------------------------------------------------------------------- --------------- ------------------------------
    Memory Throughput                                                        Gbyte/second                         761.90
    Mem Busy                                                                             %                          41.00
    L2 Hit Rate                                                                          %                        (!) n/a
    ---------------------------------------------------------------------- --------------- ------------------------------

    Section: Launch Statistics
    ---------------------------------------------------------------------- --------------- ------------------------------
    Block Size                                                                                                        128
    Grid Size                                                                                                       1,024
    Registers Per Thread                                                   register/thread                             32
    Waves Per SM                                                                                                     1.58
    ---------------------------------------------------------------------- --------------- ------------------------------
)";

TEST(NcuText, LayoutOf2019To2021) {
  const NcuLog log = parse(k2020);
  EXPECT_EQ(log.form, "text");
  ASSERT_EQ(log.kernels.size(), 1);
  const NcuKernel& k = log.kernels[0];
  EXPECT_EQ(k.launch.kernel, "triton__0d1d2de");
  EXPECT_EQ(k.launch.grid, std::nullopt);
  EXPECT_EQ(k.launch.registers, 32);
  EXPECT_EQ(k.passes, 35);
  EXPECT_EQ(metric(k, "gpu__time_duration.sum"), 1560000);
  EXPECT_EQ(metric(k, "dram__bytes.sum.per_second"), 761.9e9);
  EXPECT_EQ(metric(k, "dram__cycles_elapsed.avg.per_second"), 1.21e9);
  EXPECT_EQ(metric(k, "gpc__cycles_elapsed.max"), 1645570);
  EXPECT_EQ(metric(k, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"), 91.7);
  EXPECT_EQ(metric(k, "sm__throughput.avg.pct_of_peak_sustained_elapsed"), 12.01);
  EXPECT_EQ(metric(k, "launch__grid_size"), 1024);
  EXPECT_EQ(metric(k, "launch__waves_per_multiprocessor"), 1.58);
  EXPECT_FALSE(k.metrics.contains("lts__t_sector_hit_rate.pct"));
  EXPECT_EQ(log.harness_ms, std::vector<double>{0.027});
  ASSERT_EQ(log.notes.size(), 1);
  EXPECT_NE(log.notes[0].find("lts__t_sector_hit_rate.pct"), std::string::npos);
}

TEST(NcuText, LayoutOf2022And2023) {
  const NcuLog log = parse(
      R"([7] python@host
  triton_poi_fused_add_0_0d1d2d (8, 2, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.0
    Section: GPU Speed Of Light Throughput
    ----------------------- ------------- ------------
    Metric Name               Metric Unit Metric Value
    ----------------------- ------------- ------------
    DRAM Frequency          cycle/nsecond         1.51
    Memory Throughput                   %        50.00
    Duration                      usecond        12.67
    ----------------------- ------------- ------------

    OPT   Estimated Speedup: 6.875%

    Section: Memory Workload Analysis
    ----------------- ------------ ------------
    Metric Name        Metric Unit Metric Value
    ----------------- ------------ ------------
    Memory Throughput Tbyte/second         1.31
    ----------------- ------------ ------------
)");
  ASSERT_EQ(log.kernels.size(), 1);
  const NcuKernel& k = log.kernels[0];
  EXPECT_EQ(k.launch.kernel, "triton_poi_fused_add_0_0d1d2d");
  EXPECT_EQ(k.launch.grid, (Dim{8, 2, 1}));
  EXPECT_EQ(k.launch.block, (Dim{256, 1, 1}));
  EXPECT_EQ(k.circumstances.capability, "8.0");
  EXPECT_EQ(k.circumstances.chip, "GA100");
  EXPECT_EQ(metric(k, "gpu__time_duration.sum"), 12670);
  EXPECT_EQ(metric(k, "dram__bytes.sum.per_second"), 1.31e12);
  EXPECT_EQ(metric(k, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"), 50);
}

TEST(NcuText, MetricsOfTheCommandLine) {
  const NcuLog log = parse(
      R"(  f(float *, int) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
    Section: Command line profiler metrics
    --------------------- ----------- -----------
    Metric Name           Metric Unit Metric Value
    --------------------- ----------- -----------
    dram__bytes_read.sum        Kbyte        3.07
    dram__bytes_write.sum        byte           0
    gpu__no_such.sum                      (!) n/a
    sm__ratio.ratio                           nan
    launch__func_cache_config     CachePreferNone
    --------------------- ----------- -----------
)");
  ASSERT_EQ(log.kernels.size(), 1);
  EXPECT_EQ(log.kernels[0].launch.kernel, "f(float *, int)");
  EXPECT_EQ(log.kernels[0].metrics, (std::map<std::string, double>{{"dram__bytes_read.sum", 3070},
                                                                   {"dram__bytes_write.sum", 0}}));
}

TEST(NcuText, WindowsLineEndsAndSeveralKernels) {
  std::string text = k2020;
  text += "  other, 2021-Apr-25 02:52:38, Context 1, Stream 25\n" +
          text.substr(text.find("    Section: Memory"));
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\r');
  }
  const NcuLog log = parse(text);
  ASSERT_EQ(log.kernels.size(), 2);
  EXPECT_EQ(metric(log.kernels[0], "gpu__time_duration.sum"), 1560000);
  EXPECT_EQ(log.kernels[1].launch.kernel, "other");
  EXPECT_FALSE(log.kernels[1].metrics.contains("gpu__time_duration.sum"));
  EXPECT_EQ(metric(log.kernels[1], "dram__bytes.sum.per_second"), 761.9e9);
}

TEST(NcuText, CutAnywhereGivesWhatWasThere) {
  const std::string text = k2020;
  size_t with_duration = 0;
  for (size_t n = 0; n < text.size(); ++n) {
    const NcuLog log = parse(text.substr(0, n));
    ASSERT_LE(log.kernels.size(), 1);
    if (log.kernels.empty() || !log.kernels[0].metrics.contains("gpu__time_duration.sum")) continue;
    ++with_duration;
  }
  EXPECT_GT(with_duration, 1000);
  const NcuLog cut = parse(text.substr(0, text.find("    Mem Busy")));
  ASSERT_FALSE(cut.notes.empty());
  EXPECT_NE(cut.notes.back().find("cut"), std::string::npos);
}

TEST(NcuTextParts, RowsThatOverrunTheirColumns) {
  const TableRule rule = *read_rule("    ----- ---- -----");
  const auto check = [&](const char* line, const char* name, const char* unit, const char* value) {
    const auto row = read_row(line, rule);
    ASSERT_TRUE(row.has_value()) << line;
    EXPECT_EQ(row->name, name);
    EXPECT_EQ(row->unit, unit);
    EXPECT_EQ(row->value, value);
  };
  check("    # SMs SM       132", "# SMs", "SM", "132");
  check("    Abc              1", "Abc", "", "1");
  check("    smsp__long_metric_name.sum  inst  12", "smsp__long_metric_name.sum", "inst", "12");
  check("    smsp__long_metric_name.sum  12", "smsp__long_metric_name.sum", "", "12");
  EXPECT_FALSE(read_row("    alone", rule).has_value());
  EXPECT_FALSE(read_row("      deeper 1", rule).has_value());
  EXPECT_FALSE(read_row("    ", rule).has_value());
}

TEST(NcuTextParts, KernelLines) {
  const auto kernel = read_kernel_line(
      "  void f<(int)2>(A (*)(int), B) (65535, 2, 1)x(32, 4, 2), Context 1, Stream 7, Device 3, CC "
      "12.0");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->launch.kernel, "void f<(int)2>(A (*)(int), B)");
  EXPECT_EQ(kernel->launch.grid, (Dim{65535, 2, 1}));
  EXPECT_EQ(kernel->launch.block, (Dim{32, 4, 2}));
  EXPECT_EQ(kernel->circumstances.capability, "12.0");
  EXPECT_FALSE(read_kernel_line("  see f, Context 1, and more").has_value());
  EXPECT_FALSE(read_kernel_line("   f, Context 1, Stream 7").has_value());
  EXPECT_FALSE(read_kernel_line("  , Context 1, Stream 7").has_value());
}

TEST(NcuTextParts, RulesHaveThreeGroups) {
  EXPECT_TRUE(read_rule("    --- -- -   ").has_value());
  EXPECT_FALSE(read_rule("    ----- --------").has_value());
  EXPECT_FALSE(read_rule("    - - - -").has_value());
  EXPECT_FALSE(read_rule("    ").has_value());
  EXPECT_FALSE(read_rule("--- -- -").has_value());
}

}  // namespace
}  // namespace ks::profile
