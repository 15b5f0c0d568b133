#include "profile/ncu_labels.h"

#include <gtest/gtest.h>

namespace ks::profile {
namespace {

TEST(NcuLabels, TheSectionDecidesBetweenRowsOfOneLabel) {
  EXPECT_EQ(metric_of_label("GPU Speed Of Light Throughput", "Memory Throughput", 90),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(metric_of_label("Memory Workload Analysis", "Memory Throughput", 90),
            "dram__bytes.sum.per_second");
  EXPECT_EQ(metric_of_label("Somebody's own section", "Memory Throughput", 90), "");
}

TEST(NcuLabels, OlderSectionsAndLabelsHaveTodaysNames) {
  EXPECT_EQ(metric_of_label("GPU Speed Of Light", "Duration", 70), "gpu__time_duration.sum");
  EXPECT_EQ(metric_of_label("GPU Speed Of Light", "SOL DRAM", 70),
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(metric_of_label("GPU Speed Of Light", "Memory [%]", 70),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(metric_of_label("GPU Speed Of Light", "SM [%]", 70),
            "sm__throughput.avg.pct_of_peak_sustained_elapsed");
}

TEST(NcuLabels, TheChipDecidesWhereALabelChangedItsMetric) {
  const std::string_view memory = "Memory Workload Analysis";
  EXPECT_EQ(metric_of_label(memory, "L2 Compression Ratio", 90),
            "lrc__average_ilc_output_sector_compression_achieved_rate.pct");
  EXPECT_EQ(metric_of_label(memory, "L2 Compression Ratio", 80),
            "lts__average_gcomp_output_sector_compression_achieved_rate.ratio");
  EXPECT_EQ(metric_of_label("PM Sampling", "Maximum Sampling Interval", 75),
            "profiler__pmsampler_interval_cycles");
  EXPECT_EQ(metric_of_label("PM Sampling", "Maximum Sampling Interval", 90),
            "profiler__pmsampler_interval_time");
  EXPECT_EQ(metric_of_label("PM Sampling", "Maximum Sampling Interval", 0), "");
}

TEST(NcuLabels, MetricNamesPassAsTheyAre) {
  EXPECT_EQ(metric_of_label("Command line profiler metrics", "dram__bytes_read.sum", 0),
            "dram__bytes_read.sum");
  EXPECT_EQ(metric_of_label("", "Duration (gpu__time_duration.sum)", 0), "gpu__time_duration.sum");
  EXPECT_EQ(metric_of_label("", "Compute (SM) Throughput", 0), "");
}

}  // namespace
}  // namespace ks::profile
