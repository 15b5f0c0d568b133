#pragma once
// What stands at the end of a run: how it went, and where to look first.

#include <string>
#include <string_view>
#include <vector>

#include "profile/result_table.h"

namespace ks::profile {

struct SummaryLine {
  std::string kernel, category, bound;
  double value = 0;  // recoverable us, or bytes moved / bytes needed
  double duration_us = 0;
  double excess_bytes = 0;  // moved beyond need
  size_t rows = 0;          // that have this kernel
};

struct Summary {
  // In the order of Status; only what occurred.
  std::vector<std::pair<Status, size_t>> kernels_by_status;
  size_t rows = 0, kernels = 0;
  std::vector<SummaryLine> recoverable;  // at most ten, the most microseconds first
  // At most ten, the most excess bytes first; only where at least a tenth beyond need is moved.
  std::vector<SummaryLine> beyond_need;
};

// Rows of one kernel (one measurement) count once.
Summary summarise(const std::vector<RowResult>& results);

// Lines that end with '\n'; at most `width` columns, 0: no limit.
std::string summary_text(const Summary& summary, size_t width);

// What to do where counters are not permitted: three ways. Lines that end with '\n'.
std::string permission_help();

}  // namespace ks::profile
