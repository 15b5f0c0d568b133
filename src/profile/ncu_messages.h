#pragma once
// What the tool's own lines mean (docs/profile.md, messages). Told by fixed parts of the text.

#include <optional>
#include <string_view>

#include "profile/measurement.h"

namespace ks::profile {

struct ToolFailure {
  Status status;
  int weight;  // the heaviest of a log is its failure: a missing permission explains a missing
               // kernel
};

// A line by which the tool says that it could not measure. Lines of the application are none.
std::optional<ToolFailure> tool_failure(std::string_view line);

// A warning that the user should see beside the values.
bool is_notable_warning(std::string_view line);

// ncu ran with --clock-control none.
bool says_unmodified_clocks(std::string_view line);

}  // namespace ks::profile
