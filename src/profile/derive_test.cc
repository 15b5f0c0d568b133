#include "profile/derive.h"

#include <gtest/gtest.h>

namespace ks::profile {
namespace {

// Of triton_poi_fused__unsafe_view_mul_silu... on an H200, rounded.
Measurement silu() {
  Measurement m;
  m.status = Status::ok;
  m.metrics = {{"gpu__time_duration.sum", 10000},
               {"dram__bytes_read.sum", 20e6},
               {"dram__bytes_write.sum", 4e6},
               {"dram__bytes.sum.peak_sustained", 1536},
               {"dram__cycles_elapsed.avg.per_second", 3.125e9},
               {"gpc__cycles_elapsed.max", 19000},
               {"lts__t_sectors.sum", 1e6},
               {"smsp__issue_active.avg.pct_of_peak_sustained_active", 30},
               {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 0},
               {"sm__warps_active.avg.pct_of_peak_sustained_active", 75}};
  m.launch.grid = {1056, 1, 1};
  m.launch.block = {256, 1, 1};
  m.launch.blocks_per_sm = 8;
  m.circumstances.device = "NVIDIA H200";
  m.circumstances.capability = "9.0";
  m.circumstances.sm_count = 132;
  return m;
}

TEST(Derive, BytesBandwidthAndPeak) {
  const Derived d = derive(silu(), {12e6, {}, false});
  EXPECT_DOUBLE_EQ(*d.duration_us, 10);
  EXPECT_DOUBLE_EQ(*d.dram_bytes, 24e6);
  EXPECT_DOUBLE_EQ(*d.l2_bytes, 32e6);
  EXPECT_NEAR(*d.bandwidth, 2.4e12, 1);
  EXPECT_NEAR(*d.bandwidth_share, 0.5, 1e-9);  // 1536 B x 3.125 GHz = 4.8 TB/s
  EXPECT_DOUBLE_EQ(*d.traffic_ratio, 2);
  EXPECT_NEAR(*d.recoverable_us, 7.5, 1e-9);  // 12 MB need 2.5 us
}

TEST(Derive, OccupancyWavesAndClock) {
  const Derived d = derive(silu(), {});
  EXPECT_DOUBLE_EQ(*d.occupancy_theoretical, 1);  // 8 blocks of 8 warps of 64
  EXPECT_DOUBLE_EQ(*d.occupancy_achieved, 0.75);
  EXPECT_DOUBLE_EQ(*d.waves, 1);
  EXPECT_NEAR(*d.sm_clock_hz, 1.9e9, 1);
  EXPECT_EQ(d.traffic_ratio, std::nullopt);
  EXPECT_EQ(d.recoverable_us, std::nullopt);
}

TEST(Derive, TheProductOfRateAndTimeStandsForBytes) {
  Measurement m;
  m.metrics = {{"gpu__time_duration.sum", 2400}, {"dram__bytes.sum.per_second", 219.63e9}};
  const Derived d = derive(m, {});
  EXPECT_NEAR(*d.dram_bytes, 527112, 1e-6);
  EXPECT_NEAR(*d.bandwidth, 219.63e9, 1);
  EXPECT_EQ(d.bandwidth_share, std::nullopt);
}

TEST(Derive, OtherChipsNamesAreRead) {
  Measurement m;
  m.metrics = {{"dram__bytes_op_read.sum", 3}, {"dram__bytes_op_write.sum", 4}};
  EXPECT_EQ(derive(m, {}).dram_bytes, 7);
}

TEST(Derive, ANeedBeyondThePeakIsUnknownWhereItComesFromACsv) {
  EXPECT_EQ(derive(silu(), {2.048e9, {}, true}).traffic_ratio, std::nullopt);  // 0.2 PB/s
  EXPECT_EQ(derive(silu(), {2.048e9, {}, true}).needed_bytes, std::nullopt);
  EXPECT_TRUE(derive(silu(), {20e6, {}, true}).traffic_ratio);
  // A kernel file's own value is taken at its word: data that stayed in L2.
  EXPECT_TRUE(derive(silu(), {2.048e9, {}, false}).traffic_ratio);
  EXPECT_EQ(derive(silu(), {2.048e9, {}, false}).recoverable_us, 0);
}

TEST(Derive, CountedFlopGoesBeforeStatic) {
  Measurement m = silu();
  EXPECT_EQ(derive(m, {{}, 5e9, false}).flop_source, "static");
  m.metrics["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"] = 100;
  m.metrics["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] = 10;
  m.metrics["smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"] = 1;
  m.metrics["sm__ops_path_tensor_src_bf16_dst_fp32.sum"] = 1000;
  const Derived d = derive(m, {{}, 5e9, false});
  EXPECT_EQ(d.flop, 100 + 20 + 4 + 1000);
  EXPECT_EQ(d.flop_source, "counters");
  EXPECT_NEAR(*d.intensity, 1124 / 24e6, 1e-12);
}

TEST(Derive, BoundFollowsTheRuleOf60) {
  Measurement m = silu();
  const auto bound = [&](double memory, double compute) {
    m.metrics["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"] = memory;
    m.metrics["sm__throughput.avg.pct_of_peak_sustained_elapsed"] = compute;
    return derive(m, {}).bound;
  };
  EXPECT_EQ(bound(80, 20), "memory");
  EXPECT_EQ(bound(20, 80), "compute");
  EXPECT_EQ(bound(50, 40), "latency");
  EXPECT_EQ(derive(silu(), {}).bound, "latency");  // 50 % of DRAM, 30 % of the issue slots
  EXPECT_EQ(derive(Measurement(), {}).bound, "");
}

TEST(Derive, ComputeLimitsWhatCouldBeSaved) {
  Measurement m = silu();
  // 132 SMs x 1.9 GHz x 256 flop: 64.2 Tflop/s; 321 Mflop need 5 us.
  EXPECT_NEAR(*derive(m, {12e6, 321024000., false}).recoverable_us, 5, 1e-3);
  m.metrics["sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"] = 40;
  EXPECT_NEAR(*derive(m, {12e6, 321024000., false}).recoverable_us, 7.5, 1e-3);
}

TEST(Derive, NothingComesOfNothing) {
  Measurement m;
  m.metrics["gpu__time_duration.sum"] = 0;
  m.metrics["dram__bytes_read.sum"] = 1;
  m.metrics["dram__bytes_write.sum"] = 1;
  const Derived d = derive(m, {1e6, 1e6, false});
  EXPECT_EQ(d.duration_us, std::nullopt);
  EXPECT_EQ(d.bandwidth, std::nullopt);
  EXPECT_EQ(d.recoverable_us, std::nullopt);
}

}  // namespace
}  // namespace ks::profile
