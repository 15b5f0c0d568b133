#pragma once
// From counters to what an engineer asks: pure functions, SI units. Formulas: docs/profile.md.

#include <optional>
#include <string>

#include "profile/measurement.h"

namespace ks::profile {

struct KernelNeeds {
  std::optional<double> bytes;  // lower bound of traffic: kernel_num_gb * 1e9
  std::optional<double> flop;
  bool bytes_from_csv = false;  // a value that implies more than the peak is then unknown
};

struct Derived {
  std::optional<double> duration_us, dram_read, dram_write, dram_bytes, l2_bytes;  // bytes
  std::optional<double> bandwidth;                                                 // bytes/s, DRAM
  std::optional<double> bandwidth_share;  // of the device's peak, 0..1
  std::optional<double> needed_bytes;     // of KernelNeeds, where it can be true
  std::optional<double> traffic_ratio;    // bytes moved / bytes needed
  std::optional<double> flop;
  std::string flop_source;               // counters, static
  std::optional<double> intensity;       // flop / DRAM byte
  std::optional<double> roofline_share;  // of what memory and SMs allow at this intensity
  std::optional<double> occupancy_theoretical, occupancy_achieved;  // 0..1
  std::optional<double> waves, tensor_share, ipc, sm_clock_hz, l2_hit_rate;
  std::string bound;                     // memory, compute, latency; empty: not known
  std::optional<double> recoverable_us;  // duration - max(needed bytes/peak, flop/peak), >= 0
};

Derived derive(const Measurement& measurement, const KernelNeeds& needs);

}  // namespace ks::profile
