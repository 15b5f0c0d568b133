#include "profile/plan.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/text.h"

namespace ks::profile {
namespace {

// The same for all rows of one kernel. Without a hash only the same file is the same kernel.
std::string identity(const RowKernel& row) {
  if (!row.source_hash.empty()) return row.source_hash;
  return fmt::format("{}\n{}", row.kernel, row.named_path);
}

std::string left_out_by(const RowKernel& row, const std::string& id, const Selection& selection) {
  if (!selection.kernel_glob.empty() && !glob_match(selection.kernel_glob, row.kernel)) {
    return "--kernel";
  }
  if (!selection.category.empty() && selection.category != row.category) return "--category";
  if (!in_shard(selection.shard, id)) return "--shard";
  return "";
}

PlannedKernel planned(const RowKernel& row, size_t id) {
  PlannedKernel kernel;
  kernel.task = {id, row.kernel, row.path, row.source_hash, row.category, ""};
  kernel.stem = path_stem(row.named_path);
  kernel.blocked = row.blocked;
  kernel.reason = row.reason;
  kernel.source = row.path.empty() ? row.source : "";
  return kernel;
}

}  // namespace

Plan make_plan(const std::vector<RowKernel>& rows, const Selection& selection) {
  Plan plan;
  std::unordered_map<std::string, size_t> known;
  for (const RowKernel& row : rows) {
    const std::string id = identity(row);
    std::string filter = left_out_by(row, id, selection);
    auto found = known.find(id);
    if (filter.empty() && found == known.end()) {
      if (selection.limit && plan.kernels.size() >= *selection.limit) {
        filter = "--limit";
      } else {
        found = known.emplace(id, plan.kernels.size()).first;
        plan.kernels.push_back(planned(row, found->second));
      }
    }
    plan.kernel_of_row.push_back(filter.empty() ? found->second : Plan::kNone);
    plan.rows_left_out += !filter.empty();
    plan.left_out_by.push_back(std::move(filter));
  }
  return plan;
}

}  // namespace ks::profile
