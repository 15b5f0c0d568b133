#include "profile/device_limits.h"

namespace ks::profile {

std::optional<double> listed_dram_peak(std::string_view device) {
  struct Entry {
    std::string_view part;
    double bytes_per_second;
  };
  // The first that is part of the name counts. A name that several memories share is not here.
  static constexpr Entry kListed[] = {
      {"A100-SXM4-40GB", 1.555e12},
      {"A100-PCIE-40GB", 1.555e12},
      {"A100-SXM4-80GB", 2.039e12},
      {"A100 80GB PCIe", 1.935e12},
      {"H100 80GB HBM3", 3.35e12},
      {"H100 PCIe", 2.04e12},
      {"H100 NVL", 3.94e12},
      {"H200 NVL", 4.8e12},
      {"H200", 4.8e12},
      {"GB200", 8e12},
      {"B200", 8e12},
      {"L40S", 864e9},
      {"L40", 864e9},
      {"L4", 300e9},
      {"A10G", 600e9},
      {"RTX 3090", 936e9},
      {"RTX 4090", 1.008e12},
      {"RTX 5090", 1.792e12},
  };
  for (const Entry& entry : kListed) {
    if (device.find(entry.part) != device.npos) return entry.bytes_per_second;
  }
  return std::nullopt;
}

std::optional<CapabilityLimits> capability_limits(std::string_view capability) {
  struct Entry {
    std::string_view capability;
    CapabilityLimits limits;
  };
  static constexpr Entry kListed[] = {
      {"7.0", {64, 128, 1024}},  {"7.5", {32, 128, 1024}},  {"8.0", {64, 128, 2048}},
      {"8.6", {48, 256, 1024}},  {"8.9", {48, 256, 1024}},  {"9.0", {64, 256, 4096}},
      {"10.0", {64, 256, 8192}}, {"10.3", {64, 256, 8192}}, {"12.0", {48, 256, 1024}},
  };
  for (const Entry& entry : kListed) {
    if (entry.capability == capability) return entry.limits;
  }
  return std::nullopt;
}

}  // namespace ks::profile
