#include "inductor/metadata_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"

namespace ks::inductor {
namespace {

using Cells = std::vector<std::string>;

const Cells kUpstream = {"kernel_name",    "kernel_path",    "kernel_category",   "size_hints",
                         "reduction_hint", "line_of_code",   "num_load",          "num_store",
                         "num_for_loop",   "num_atomic_add", "num_args",          "xnumel",
                         "ynumel",         "rnumel",         "kernel_args_num_gb"};

const Cells kOwn = {"source_hash",  "decorator",     "r0_numel",    "r1_numel",    "znumel",
                    "loads",        "stores",        "reductions",  "args",        "grid_type",
                    "mutated_args", "kernel_num_gb", "kernel_flop", "num_configs", "best_config",
                    "aten_ops",     "source_nodes",  "wrapper",     "has_harness"};

std::string text(const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "";
}

// As short as it reads back; whole numbers without a point.
std::string text(const std::optional<double>& value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (!value) return "";
  const bool whole = std::abs(*value) < kExact && std::floor(*value) == *value;
  return whole ? std::to_string(static_cast<int64_t>(*value)) : fmt::format("{}", *value);
}

std::string numel(const Kernel& kernel, const std::string& name) {
  const auto found = kernel.numels.find(name);
  return found == kernel.numels.end() ? "" : std::to_string(found->second);
}

Cells own_cells(const Kernel& kernel) {
  return {kernel.source_hash,
          kernel.category,
          numel(kernel, "r0_numel"),
          numel(kernel, "r1_numel"),
          numel(kernel, "znumel"),
          text(kernel.num_load),
          text(kernel.num_store),
          text(kernel.num_reduction),
          std::to_string(kernel.num_args),
          kernel.grid_type,
          fmt::format("{}", fmt::join(kernel.mutated_args, " ")),
          text(kernel.num_gb),
          text(kernel.flop),
          text(kernel.num_configs),
          kernel.best_config,
          fmt::format("{}", fmt::join(kernel.aten_ops, " ")),
          fmt::format("{}", fmt::join(kernel.source_nodes, " ")),
          kernel.wrapper,
          kernel.has_harness ? "true" : "false"};
}

}  // namespace

std::optional<size_t> MetadataTable::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<size_t>(found - columns.begin());
}

std::string_view MetadataTable::cell(size_t row, std::string_view name) const {
  const auto at = column(name);
  if (!at || row >= rows.size() || *at >= rows[row].size()) return {};
  return rows[row][*at];
}

std::string metadata_csv(const MetadataTable& table) {
  std::string out;
  append_csv_row(out, table.columns);
  for (const Cells& row : table.rows) append_csv_row(out, row);
  return out;
}

MetadataTable make_metadata(const std::vector<Kernel>& kernels, std::string_view model_name) {
  MetadataTable table;
  table.columns = {"model_name"};
  table.columns.insert(table.columns.end(), kUpstream.begin(), kUpstream.end());
  table.columns.insert(table.columns.end(), kOwn.begin(), kOwn.end());
  for (const Kernel& kernel : kernels) {
    Cells& row = table.rows.emplace_back(Cells{std::string(model_name)});
    for (Cells cells : {upstream_cells(kernel), own_cells(kernel)}) {
      row.insert(row.end(), std::make_move_iterator(cells.begin()),
                 std::make_move_iterator(cells.end()));
    }
  }
  return table;
}

}  // namespace ks::inductor
