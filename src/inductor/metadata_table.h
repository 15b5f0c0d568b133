#pragma once
// The kernel_metadata table: a CSV whose columns we know in part. Unknown columns stay, in place
// and order.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inductor/kernel_file.h"

namespace ks::inductor {

struct MetadataTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each as wide as `columns`
  // What was put right: headers that came again, ragged rows, ... one sentence each.
  std::vector<std::string> notes;

  std::optional<size_t> column(std::string_view name) const;
  // Empty where there is no such column.
  std::string_view cell(size_t row, std::string_view name) const;
};

// Fails where no header with kernel_name or kernel_path is found.
Result<MetadataTable> read_metadata(std::string_view csv);
std::string metadata_csv(const MetadataTable& table);

// Upstream's columns by upstream's definitions (docs/inductor.md), model_name first, then ours.
MetadataTable make_metadata(const std::vector<Kernel>& kernels, std::string_view model_name);

// The fifteen columns after model_name, exactly as torch's kernel_metadata would have them.
std::vector<std::string> upstream_cells(const Kernel& kernel);

}  // namespace ks::inductor
