#pragma once
// The four columns of parse_kernel_metadata_csv.py, to the digit, from any source of measurements.

#include <array>
#include <string>
#include <string_view>

#include "profile/measurement.h"

namespace ks::profile {

inline constexpr std::array<std::string_view, 4> kScriptColumns = {
    "latency_us_under_profiling", "ncu_duration_us", "ncu_mem_bw_gbps", "ncu_mem_accessed_gb"};

// Cells in that order; empty where the measurement lacks the value. Bandwidth is ncu's rate, or,
// where only bytes were counted, bytes over duration.
std::array<std::string, 4> script_columns(const Measurement& measurement);

// As Python's repr(): the shortest digits that read back, "124.0", "1e-05", "inf".
std::string python_float(double value);

}  // namespace ks::profile
