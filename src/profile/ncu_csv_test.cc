#include "profile/ncu_csv.h"

#include <gtest/gtest.h>

#include "profile/ncu_test_data.h"

namespace ks::profile {
namespace {

using testing::metric;
using testing::parse;
using testing::shared_text;
using Dim = std::array<int64_t, 3>;

constexpr const char* kPreamble =
    "==PROF== Connected to process 1 (/usr/bin/python3)\n"
    "==WARNING== Note: Running with unmodified GPU clocks. If not ...\n"
    "Available Kernels:\n"
    "1. f(float, int, double)\n"
    "\"quoted\", and never closed \"\n"
    "==PROF== Profiling \"f\" - 0: 0%....50%....100%0.124ms    0.001GB    6.36GB/s\n"
    " - 13 passes\n";

TEST(NcuCsv, RawPageBehindOtherOutput) {
  const NcuLog log =
      parse(std::string(kPreamble) +
            "\"ID\",\"Kernel Name\",\"Block Size\",\"CC\",\"thread Domain:Push/Pop\","
            "\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"a__b.ratio\","
            "\"device__attribute_display_name\"\n"
            "\"\",\"\",\"\",\"\",\"\",\"us\",\"Kbyte\",\"\",\"\"\n"
            "\"0\",\"f(float, int)\",\"(128, 1, 1)\",\"9.0\",\"7\",\"44.5\",\"1,234.5\","
            "\"nan\",\"NVIDIA H200\"\n"
            "0.5 words of the application, and more\n"
            "\"1\",\"g\",\"(1, 2, 3)\",\"9.0\",\"\",\"(!) n/a\",\"1\"\n");
  EXPECT_EQ(log.form, "csv raw");
  ASSERT_EQ(log.kernels.size(), 2);
  const NcuKernel& f = log.kernels[0];
  EXPECT_EQ(f.launch.kernel, "f(float, int)");
  EXPECT_EQ(f.launch.block, (Dim{128, 1, 1}));
  EXPECT_EQ(f.launch.grid, std::nullopt);
  EXPECT_EQ(f.passes, 13);
  EXPECT_EQ(f.circumstances.device, "NVIDIA H200");
  EXPECT_EQ(f.circumstances.clock_control, "none");
  EXPECT_EQ(f.metrics, (std::map<std::string, double>{{"gpu__time_duration.sum", 44500},
                                                      {"dram__bytes_read.sum", 1234500}}));
  EXPECT_EQ(log.kernels[1].launch.block, (Dim{1, 2, 3}));
  EXPECT_EQ(log.kernels[1].metrics,
            (std::map<std::string, double>{{"dram__bytes_read.sum", 1000}}));
  EXPECT_EQ(log.harness_ms, std::vector<double>{0.124});
}

TEST(NcuCsv, RawPageWithoutUnitsIsInBaseUnits) {
  const NcuLog log = parse("ID,Kernel Name,gpu__time_duration.sum\r\n0,f,2464\r\n");
  ASSERT_EQ(log.kernels.size(), 1);
  EXPECT_EQ(metric(log.kernels[0], "gpu__time_duration.sum"), 2464);
}

TEST(NcuCsv, TwoPagesInOneFileAreReadWithTheirOwnHeaders) {
  const NcuLog log = parse(
      "\"ID\",\"Kernel Name\",\"a__b.sum\"\n\"\",\"\",\"us\"\n\"0\",\"f\",\"1\"\n"
      "==PROF== Disconnected from process 1\n"
      "\"ID\",\"Kernel Name\",\"c__d.sum\"\n\"\",\"\",\"\"\n\"0\",\"g\",\"2\"\n");
  ASSERT_EQ(log.kernels.size(), 2);
  EXPECT_EQ(metric(log.kernels[0], "a__b.sum"), 1000);
  EXPECT_EQ(metric(log.kernels[1], "c__d.sum"), 2);
}

TEST(NcuCsv, SummaryGivesTheAverage) {  // not seen in a real file
  const NcuLog log = parse(
      "\"ID\",\"Kernel Name\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Minimum\",\"Maximum\",\"Average\"\n"
      "\"0\",\"f\",\"3\",\"GPU Speed Of Light\",\"Duration\",\"nsecond\",\"1\",\"3\",\"2\"\n");
  ASSERT_EQ(log.kernels.size(), 1);
  EXPECT_EQ(metric(log.kernels[0], "gpu__time_duration.sum"), 2);
}

TEST(NcuCsv, DetailsOfTwoProcessesBetweenOneAnother) {
  const std::string row = "\",\"Memory Workload Analysis\",\"Memory Throughput\",\"Gbyte/s\",\"";
  const NcuLog log = parse(
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\"\n"
      "\"0\",\"10\",\"f" +
      row + "1.5\"\n" + "\"0\",\"11\",\"g" + row + "2.5\"\n" +
      "\"0\",\"10\",\"f\",\"GPU Speed Of Light\",\"Duration\",\"us\",\"3\"\n" +
      "\"0\",\"11\",\"g\",\"GPU Speed Of Light\"\n");  // ragged
  ASSERT_EQ(log.kernels.size(), 2);
  EXPECT_EQ(metric(log.kernels[0], "dram__bytes.sum.per_second"), 1.5e9);
  EXPECT_EQ(metric(log.kernels[0], "gpu__time_duration.sum"), 3000);
  EXPECT_EQ(log.kernels[1].launch.kernel, "g");
  EXPECT_EQ(metric(log.kernels[1], "dram__bytes.sum.per_second"), 2.5e9);
}

TEST(NcuCsv, OtherTablesAreNone) {
  EXPECT_EQ(find_ncu_csv("ID,name\n1,x\n"), std::nullopt);
  EXPECT_EQ(find_ncu_csv("model_name,kernel_name\n"), std::nullopt);
  EXPECT_EQ(find_ncu_csv("x\nID,Kernel Name\n"), 2);
}

TEST(NcuCsv, All307) {
  const std::string text = shared_text("ncu/all307_raw.csv.gz");
  if (text.empty()) GTEST_SKIP() << "no shared data";
  const NcuLog log = parse(text);
  ASSERT_EQ(log.kernels.size(), 307);
  const NcuKernel& first = log.kernels[0];
  EXPECT_EQ(first.launch.kernel, "triton_poi_fused_add_arange_0");
  EXPECT_EQ(first.launch.grid, (Dim{2, 1, 1}));
  EXPECT_EQ(metric(first, "gpu__time_duration.sum"), 1664);
  EXPECT_EQ(metric(first, "dram__bytes_read.sum"), 2560);
  EXPECT_EQ(first.passes, 9);
  EXPECT_EQ(first.circumstances.device, "NVIDIA H200");
  EXPECT_EQ(first.circumstances.clock_control, "none");
  EXPECT_EQ(first.circumstances.peak_dram_bytes_per_second, 3201e6 * 2 * 6016 / 8);
  for (const NcuKernel& kernel : log.kernels) {
    EXPECT_GT(metric(kernel, "gpu__time_duration.sum"), 0);
    EXPECT_TRUE(kernel.launch.registers.has_value());
  }
}

TEST(NcuCsv, PagesOf47Kernels) {
  if (shared_text("ncu/llama_4metrics_raw_base.csv").empty()) GTEST_SKIP() << "no shared data";
  for (const char* name : {"ncu/llama_4metrics_raw_base.csv", "ncu/llama_8metrics_raw_base.csv",
                           "one_run/llama/ncu/run1.csv.gz", "one_run/llama/ncu/run2.csv.gz",
                           "one_run/llama/ncu/run3.csv.gz"}) {
    const NcuLog log = parse(shared_text(name));
    ASSERT_EQ(log.kernels.size(), 47) << name;
    EXPECT_EQ(log.kernels[0].launch.kernel, "triton_poi_fused__to_copy_add_arange_unsqueeze_0");
    for (const NcuKernel& kernel : log.kernels) {
      EXPECT_GT(metric(kernel, "gpu__time_duration.sum"), 1000) << name;
      EXPECT_GE(metric(kernel, "dram__bytes_read.sum"), 0) << name;
    }
  }
  const NcuLog run = parse(shared_text("one_run/llama/ncu/run1.csv.gz"));
  EXPECT_EQ(metric(run.kernels[0], "lts__t_bytes.sum"), 127072);
  EXPECT_EQ(metric(run.kernels[0], "sm__cycles_elapsed.avg"), 3685.5);
  EXPECT_EQ(run.kernels[0].passes, 1);
}

TEST(NcuCsv, DetailsOfOtherPeople) {
  const std::string text = shared_text("corpus/ncu/copy_blocked_details_rules.csv");
  if (text.empty()) GTEST_SKIP() << "no corpus";
  const NcuLog log = parse(text);
  EXPECT_EQ(log.form, "csv details");
  ASSERT_EQ(log.kernels.size(), 1);
  const NcuKernel& k = log.kernels[0];
  EXPECT_TRUE(k.launch.kernel.starts_with("copy_blocked[v1,"));
  EXPECT_EQ(k.launch.grid, (Dim{1024, 1, 1}));
  EXPECT_EQ(k.circumstances.capability, "7.5");
  EXPECT_EQ(k.circumstances.sm_count, 40);
  EXPECT_EQ(metric(k, "gpu__time_duration.sum"), 21058944);
  EXPECT_EQ(metric(k, "dram__bytes.sum.per_second"), 196456177859.63);
  EXPECT_EQ(metric(k, "dram__cycles_elapsed.avg.per_second"), 4963609951.19);
  EXPECT_EQ(metric(k, "profiler__pmsampler_interval_cycles"), 40000);
}

TEST(NcuCsv, HandMadePagesOfOtherPeople) {
  if (shared_text("corpus/ncu/kerndiff_v1_ncu.csv").empty()) GTEST_SKIP() << "no corpus";
  const NcuLog v1 = parse(shared_text("corpus/ncu/kerndiff_v1_ncu.csv"));
  ASSERT_EQ(v1.kernels.size(), 1);
  EXPECT_EQ(v1.kernels[0].launch.kernel, "chunked_scan_kernel");
  EXPECT_EQ(metric(v1.kernels[0], "gpu__time_duration.sum"), 247300);
  EXPECT_EQ(metric(v1.kernels[0], "dram__bytes.sum.per_second"), 412.3e9);
  EXPECT_EQ(v1.kernels[0].launch.static_shared, 16384);
  const NcuLog v2 = parse(shared_text("corpus/ncu/kerndiff_v2_ncu.csv"));
  EXPECT_EQ(metric(v2.kernels.at(0), "gpu__time_duration.sum"), 189100);
  const NcuLog tall = parse(shared_text("corpus/ncu/kernelpilot_ncu_long.csv"));
  ASSERT_EQ(tall.kernels.size(), 1);
  EXPECT_EQ(metric(tall.kernels[0], "gpu__time_duration.sum"), 183200);
  EXPECT_EQ(tall.kernels[0].launch.registers, 32);
  const NcuLog wide = parse(shared_text("corpus/ncu/kernelpilot_ncu_wide.csv"));
  ASSERT_EQ(wide.kernels.size(), 2);
  EXPECT_EQ(metric(wide.kernels[1], "gpu__time_duration.sum"), 46000);
  EXPECT_EQ(metric(wide.kernels[1], "launch__shared_mem_per_block"), 1024);
}

}  // namespace
}  // namespace ks::profile
