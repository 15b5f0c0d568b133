#pragma once
// autotune_args_summary of the reference's autotune_analysis: which arguments and parameters make
// up the configs of a session (docs/trace-format.md).

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ndjson/json_tree.h"
#include "run/run.h"

namespace ks::ndjson {

using ConfigParams = std::vector<std::pair<std::string, std::string>>;  // name to JSON
std::string params_json(const ConfigParams& params);

// The last launch of a launch group.
struct GroupLaunch {
  uint64_t hash = 0;
  uint64_t occurrence_id = 0;
  run::Id launch_class = run::kNone;
  std::vector<uint64_t> pointers;
  std::string timestamp;
};

const std::string& kernel_hash(const run::Run& run, run::Id launch_class);

// JSON. `groups` by occurrence; `unchanged` is sames.extracted_args of their launch_diff or null;
// `params_of` gives the parameters of a compiled hash, nothing where the event has none.
std::string argument_summary(
    const run::Run& run, const std::vector<const GroupLaunch*>& groups, const JsonTree* unchanged,
    const std::function<std::optional<ConfigParams>(const std::string&)>& params_of);

}  // namespace ks::ndjson
