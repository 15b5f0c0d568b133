#pragma once
// What a GPU can do at most, where counters do not say it. From the vendors' published figures.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ks::profile {

// Bytes per second of DRAM by the device's name ("NVIDIA H200"); nothing for one that we do not
// know.
std::optional<double> listed_dram_peak(std::string_view device);

struct CapabilityLimits {
  int64_t warps_per_sm;
  double fp32_flop_per_cycle;    // of one SM, an FMA is two
  double tensor_flop_per_cycle;  // of one SM, dense, 16-bit inputs
};
// By compute capability, "9.0"; nothing for one that we do not know.
std::optional<CapabilityLimits> capability_limits(std::string_view capability);

}  // namespace ks::profile
