#pragma once
// launch_diff as tritonparse 4e5fbc4 makes it, defects included (docs/trace-format.md, spec of
// launch_diff). Where it crashes we go on: a text against a map at one path stays beside it under
// its dotted name. The run must have been read with FlattenRules::exact.

#include "ndjson/diff_input.h"
#include "ndjson/json_tree.h"

namespace ks::ndjson {

struct ReferenceDiff {
  JsonTree sames;
  JsonTree diffs;
};

ReferenceDiff reference_launch_diff(const run::Run& run, const DiffInput& input);

}  // namespace ks::ndjson
