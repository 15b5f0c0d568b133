#pragma once
// The compilation event that stands for one that was not seen (docs/trace-format.md).

#include "ndjson/rank_output.h"

namespace ks::ndjson {

struct StandIn {
  std::string json;  // open-ended: without the closing brace
  trace::Compilation event;
};

// From the first launch of `group`. `hash` is the kernel's, or a made-up one.
StandIn make_stand_in(const run::Run& run, const GroupOutput& group, const std::string& hash);

// For launches that carry no hash and belong to no known kernel: 64 hex digits made from process,
// name and handle, so that tools which look kernels up by hash find these too.
std::string made_up_hash(const run::Run& run, const run::LaunchGroup& group);

}  // namespace ks::ndjson
