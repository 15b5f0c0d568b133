// Which kernel the launches without a hash belong to (finish.h says the rule).

#include <algorithm>

#include "run/finish.h"

namespace ks::run {

namespace {

struct NameInProcess {
  Id process;
  std::string name;
  friend auto operator<=>(const NameInProcess&, const NameInProcess&) = default;
};

// Distinct kernels in the order of their first compilation in the process.
std::map<NameInProcess, std::vector<Id>> compiled_variants(const Run& run) {
  std::map<NameInProcess, std::vector<Id>> variants;
  for (const Compilation& c : run.compilations) {
    std::vector<Id>& known = variants[{c.process, run.kernels[c.kernel].name}];
    if (std::find(known.begin(), known.end(), c.kernel) == known.end()) known.push_back(c.kernel);
  }
  return variants;
}

std::vector<Id> variants_in_run(const Run& run, const std::string& name) {
  std::vector<Id> found;
  for (Id k = 0; k < run.kernels.size(); ++k) {
    if (run.kernels[k].compilation_seen && run.kernels[k].name == name) found.push_back(k);
  }
  return found;
}

Id add_orphan(Run& run, const LaunchGroup& group, std::vector<Id> candidates) {
  Kernel kernel;
  kernel.name = group.name;
  kernel.candidates = std::move(candidates);
  run.kernels.push_back(std::move(kernel));
  return static_cast<Id>(run.kernels.size() - 1);
}

void attribute(Run& run, const std::vector<Id>& handles, const std::vector<Id>& variants) {
  for (size_t i = 0; i < handles.size(); ++i) {
    LaunchGroup& group = run.groups[handles[i]];
    if (variants.size() == 1) {
      group.attribution = Attribution::exact;
      group.kernel = variants[0];
    } else if (!variants.empty() && variants.size() == handles.size()) {
      group.attribution = Attribution::handle_order;
      group.kernel = variants[i];
    } else {
      group.attribution = Attribution::none;
      group.kernel = add_orphan(run, group, variants);
    }
  }
}

uint64_t total(const LaunchGroup& group) {
  uint64_t sum = 0;
  for (uint64_t n : group.launches) sum += n;
  return sum;
}

}  // namespace

void attribute_groups(Run& run) {
  std::map<NameInProcess, std::vector<Id>> handles;  // in order of first launch
  std::vector<NameInProcess> order;
  for (Id g = 0; g < run.groups.size(); ++g) {
    const LaunchGroup& group = run.groups[g];
    if (!group.hash.empty()) continue;
    const NameInProcess key{group.process, group.name};
    if (handles[key].empty()) order.push_back(key);
    handles[key].push_back(g);
  }
  const auto variants = compiled_variants(run);
  for (const NameInProcess& key : order) {
    const auto own = variants.find(key);
    attribute(run, handles[key],
              own != variants.end() ? own->second : variants_in_run(run, key.name));
    for (Id g : handles[key]) {
      const LaunchGroup& group = run.groups[g];
      run.diagnostics.add(Diag::launch_without_hash, {}, total(group));
      if (group.attribution == Attribution::none && !run.kernels[group.kernel].candidates.empty()) {
        run.diagnostics.add(Diag::launch_unattributed, group.name, total(group));
      }
    }
  }
}

}  // namespace ks::run
