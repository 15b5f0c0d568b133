#include "run/finish.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/json_reader.h"

namespace ks::run {

namespace {

const Part* part_of(const Run& run, const LaunchClass& c, std::string_view key) {
  for (const Part& part : c.parts) {
    const Path& path = run.paths[part.path];
    if (path.parts.size() == 1 && path.parts[0] == key) return &part;
  }
  return nullptr;
}

}  // namespace

void make_stand_ins(Run& run) {
  for (const LaunchGroup& group : run.groups) {
    Kernel& kernel = run.kernels[group.kernel];
    if (kernel.compilation_seen || !kernel.metadata.json.empty() || group.classes.empty()) continue;
    const Part* part = part_of(run, run.classes[group.classes[0]], "compilation_metadata");
    if (!part) continue;
    auto metadata = trace::JsonReader().read_copy(run.contents[part->content].json);
    if (metadata) kernel.metadata = kernel_metadata(*metadata);
  }
  for (const Kernel& kernel : run.kernels) {
    if (!kernel.compilation_seen) run.diagnostics.add(Diag::compilation_not_seen, kernel.name);
  }
}

void count_launches(Run& run) {
  for (Id g = 0; g < run.groups.size(); ++g) {
    LaunchGroup& group = run.groups[g];
    Kernel& kernel = run.kernels[group.kernel];
    group.position_offset = static_cast<uint32_t>(kernel.user_launches());
    // Winners were counted as user launches while it was not known that they had won.
    group.launches = {};
    for (Id c : group.classes) {
      const LaunchClass& launch_class = run.classes[c];
      group.launches[static_cast<size_t>(launch_class.kind)] += launch_class.count;
    }
    for (size_t kind = 0; kind < kLaunchKinds; ++kind)
      kernel.launches[kind] += group.launches[kind];
    kernel.groups.push_back(g);
  }
  uint64_t bare = 0;
  for (const LaunchClass& c : run.classes) {
    const bool has_arguments = std::any_of(c.parts.begin(), c.parts.end(), [&](const Part& part) {
      return run.paths[part.path].parts[0] == "extracted_args";
    });
    // {} leaves no part; a launch with its metadata but without arguments is of a kernel without.
    if (c.valid && !has_arguments && !part_of(run, c, "compilation_metadata")) bare += c.count;
  }
  if (bare > 0) run.diagnostics.add(Diag::launch_without_arguments, {}, bare);
}

}  // namespace ks::run
