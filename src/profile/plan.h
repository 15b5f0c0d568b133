#pragma once
// From rows to what is to be measured: each kernel once, however many rows have it.

#include <optional>
#include <string>
#include <vector>

#include "profile/row_kernels.h"
#include "profile/shard.h"
#include "profile/task.h"

namespace ks::profile {

struct Selection {
  std::string kernel_glob, category;  // empty: all
  std::optional<size_t> limit;        // of kernels, after the other filters and the shard
  Shard shard;
};

struct PlannedKernel {
  Task task;                    // id: index in Plan::kernels
  std::string stem;             // of the path that the row names: logs
  Status blocked = Status::ok;  // why it cannot be run here; a cache or a log may still have it
  std::string reason;
  std::string source;  // text to put into a file first, where there is no path
};

struct Plan {
  static constexpr size_t kNone = ~size_t{0};
  std::vector<PlannedKernel> kernels;    // in the order of the rows
  std::vector<size_t> kernel_of_row;     // index; kNone: not selected
  std::vector<std::string> left_out_by;  // of a row that is not selected: which filter
  size_t rows_left_out = 0;
};

Plan make_plan(const std::vector<RowKernel>& rows, const Selection& selection);

}  // namespace ks::profile
