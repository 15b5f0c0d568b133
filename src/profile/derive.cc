#include "profile/derive.h"

#include <algorithm>
#include <initializer_list>

#include "profile/device_limits.h"

namespace ks::profile {
namespace {

using Number = std::optional<double>;

// Of several names for the same thing, the first that was collected.
Number first_of(const Measurement& m, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Number value = m.metric(name)) return value;
  }
  return std::nullopt;
}

Number scaled(Number value, double factor) {
  return value ? Number(*value * factor) : std::nullopt;
}

Number ratio(Number a, Number b) { return a && b && *b > 0 ? Number(*a / *b) : std::nullopt; }

Number product(Number a, Number b) { return a && b ? Number(*a * *b) : std::nullopt; }

Number as_number(std::optional<int64_t> value) {
  return value ? Number(static_cast<double>(*value)) : std::nullopt;
}

Number duration_s(const Measurement& m) {
  Number ns =
      first_of(m, {"gpu__time_duration.sum", "gpu__time_duration.max", "gpu__time_duration.avg"});
  if (ns && *ns <= 0) ns.reset();
  return scaled(ns, 1e-9);
}

void derive_bytes(const Measurement& m, Number seconds, Derived& d) {
  d.dram_read = first_of(m, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"});
  d.dram_write = first_of(m, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
  if (d.dram_read && d.dram_write) d.dram_bytes = *d.dram_read + *d.dram_write;
  if (!d.dram_bytes) d.dram_bytes = m.metric("dram__bytes.sum");
  const Number rate = m.metric("dram__bytes.sum.per_second");
  if (!d.dram_bytes) d.dram_bytes = product(rate, seconds);
  d.bandwidth = rate ? rate : ratio(d.dram_bytes, seconds);
  d.l2_bytes = m.metric("lts__t_bytes.sum");
  if (!d.l2_bytes) d.l2_bytes = scaled(m.metric("lts__t_sectors.sum"), 32);
}

Number dram_peak(const Measurement& m) {
  // Bytes per DRAM cycle of all channels, times the clock that was running.
  const Number counted = product(m.metric("dram__bytes.sum.peak_sustained"),
                                 m.metric("dram__cycles_elapsed.avg.per_second"));
  if (counted && *counted > 0) return counted;
  if (m.circumstances.peak_dram_bytes_per_second) return m.circumstances.peak_dram_bytes_per_second;
  return listed_dram_peak(m.circumstances.device);
}

Number sm_clock(const Measurement& m, Number seconds) {
  const Number rate =
      first_of(m, {"gpc__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
                   "smsp__cycles_elapsed.avg.per_second"});
  if (rate) return rate;
  return ratio(first_of(m, {"gpc__cycles_elapsed.max", "sm__cycles_elapsed.max"}), seconds);
}

// Additions and multiplications count one, a fused pair two; tensor counters are operations.
Number counted_flop(const Measurement& m) {
  double sum = 0;
  bool any = false;
  const auto count = [&](std::string_view name, double factor) {
    if (const Number value = m.metric(name)) {
      sum += factor * *value;
      any = true;
    }
  };
  for (const std::string precision : {"f", "d", "h"}) {
    const double lanes = precision == "h" ? 2 : 1;  // a half-precision instruction works on pairs
    const std::string start = "smsp__sass_thread_inst_executed_op_" + precision;
    count(start + "add_pred_on.sum", lanes);
    count(start + "mul_pred_on.sum", lanes);
    count(start + "fma_pred_on.sum", 2 * lanes);
  }
  for (const std::string_view inputs :
       {"fp16", "fp16_dst_fp16", "fp16_dst_fp32", "bf16_dst_fp32", "tf32_dst_fp32"}) {
    count("sm__ops_path_tensor_src_" + std::string(inputs) + ".sum", 1);
  }
  return any ? Number(sum) : std::nullopt;
}

void derive_flop(const Measurement& m, const KernelNeeds& needs, Derived& d) {
  if (const Number counted = counted_flop(m)) {
    d.flop = counted;
    d.flop_source = "counters";
  } else if (needs.flop) {
    d.flop = needs.flop;
    d.flop_source = "static";
  }
  d.intensity = ratio(d.flop, d.dram_bytes);
}

// Resident warps by registers, shared memory and blocks, of what an SM can hold.
Number theoretical_occupancy(const Measurement& m) {
  const auto limits = capability_limits(m.circumstances.capability);
  if (!m.launch.blocks_per_sm || !m.launch.block || !limits) return std::nullopt;
  const auto& [x, y, z] = *m.launch.block;
  const double warps = static_cast<double>((x * y * z + 31) / 32);
  const double share = static_cast<double>(*m.launch.blocks_per_sm) * warps /
                       static_cast<double>(limits->warps_per_sm);
  return std::min(share, 1.0);
}

Number waves_of(const Measurement& m) {
  if (const Number waves = m.metric("launch__waves_per_multiprocessor")) return waves;
  if (!m.launch.grid) return std::nullopt;
  const auto& [x, y, z] = *m.launch.grid;
  const Number blocks = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
  return ratio(blocks,
               product(as_number(m.circumstances.sm_count), as_number(m.launch.blocks_per_sm)));
}

void derive_use(const Measurement& m, Number seconds, Derived& d) {
  d.occupancy_theoretical = scaled(m.metric("sm__maximum_warps_per_active_cycle_pct"), 0.01);
  if (!d.occupancy_theoretical) d.occupancy_theoretical = theoretical_occupancy(m);
  d.occupancy_achieved =
      scaled(m.metric("sm__warps_active.avg.pct_of_peak_sustained_active"), 0.01);
  d.waves = waves_of(m);
  d.tensor_share =
      scaled(first_of(m, {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                          "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"}),
             0.01);
  d.ipc = m.metric("sm__inst_executed.avg.per_cycle_active");
  d.sm_clock_hz = sm_clock(m, seconds);
  d.l2_hit_rate = scaled(m.metric("lts__t_sector_hit_rate.pct"), 0.01);
}

// Per cent of what the memory system and the SMs can do: counted where the set has it, else DRAM
// bandwidth and the busier of issue slots and tensor pipe.
Number memory_use(const Measurement& m, const Derived& d) {
  if (const Number counted =
          m.metric("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")) {
    return counted;
  }
  return scaled(d.bandwidth_share, 100);
}

Number compute_use(const Measurement& m, const Derived& d) {
  if (const Number counted = m.metric("sm__throughput.avg.pct_of_peak_sustained_elapsed")) {
    return counted;
  }
  const Number issue = m.metric("smsp__issue_active.avg.pct_of_peak_sustained_active");
  const Number tensor = scaled(d.tensor_share, 100);
  if (!issue) return tensor;
  return std::max(*issue, tensor.value_or(0));
}

// The rule of 60 %: a kernel that uses neither well waits for something else.
std::string bound_of(Number memory, Number compute) {
  constexpr double kWell = 60;
  if (!memory || !compute) return "";
  if (std::max(*memory, *compute) < kWell) return "latency";
  return *memory >= *compute ? "memory" : "compute";
}

// Flop per second that the SMs could do at the clock that was measured. Tensor cores count unless
// the kernel was seen not to use them.
Number flop_peak(const Measurement& m, const Derived& d) {
  const auto limits = capability_limits(m.circumstances.capability);
  if (!limits) return std::nullopt;
  const bool tensor = !d.tensor_share || *d.tensor_share > 0;
  const double each = tensor ? limits->tensor_flop_per_cycle : limits->fp32_flop_per_cycle;
  return scaled(product(as_number(m.circumstances.sm_count), d.sm_clock_hz), each);
}

void derive_roofline(const Measurement& m, Number peak, Number seconds, Derived& d) {
  const Number by_memory = product(d.intensity, peak), by_flop = flop_peak(m, d);
  if (!by_memory || !by_flop) return;
  d.roofline_share = ratio(ratio(d.flop, seconds), std::min(*by_memory, *by_flop));
}

void derive_recoverable(const Measurement& m, Number bytes, Number peak, Number seconds,
                        Derived& d) {
  const Number for_bytes = ratio(bytes, peak);
  const Number for_flop = ratio(d.flop, flop_peak(m, d));
  if (!seconds || (!for_bytes && !for_flop)) return;
  const double least = std::max(for_bytes.value_or(0), for_flop.value_or(0));
  d.recoverable_us = std::max(0.0, (*seconds - least) * 1e6);
}

// Upstream's CSV has values 10^5 times too large (the exponent is lost on the way into it).
Number believable_bytes(const KernelNeeds& needs, Number seconds, Number peak) {
  if (!needs.bytes || *needs.bytes <= 0) return std::nullopt;
  if (!needs.bytes_from_csv) return needs.bytes;
  const Number implied = ratio(needs.bytes, seconds);
  return implied && peak && *implied > *peak ? std::nullopt : needs.bytes;
}

}  // namespace

Derived derive(const Measurement& m, const KernelNeeds& needs) {
  Derived d;
  const Number seconds = duration_s(m);
  const Number peak = dram_peak(m);
  const Number bytes = believable_bytes(needs, seconds, peak);
  d.duration_us = scaled(seconds, 1e6);
  if (const Number ns = m.metric("gpu__time_duration.sum"); ns && seconds)
    d.duration_us = *ns / 1e3;
  derive_bytes(m, seconds, d);
  d.bandwidth_share = ratio(d.bandwidth, peak);
  d.needed_bytes = bytes;
  d.traffic_ratio = ratio(d.dram_bytes, bytes);
  derive_flop(m, needs, d);
  derive_use(m, seconds, d);
  d.bound = bound_of(memory_use(m, d), compute_use(m, d));
  derive_roofline(m, peak, seconds, d);
  derive_recoverable(m, bytes, peak, seconds, d);
  return d;
}

}  // namespace ks::profile
