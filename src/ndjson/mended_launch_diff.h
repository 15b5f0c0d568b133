#pragma once
// launch_diff in the reference's shape with its defects mended: names match whole and keep their
// dots, nested arguments are compared field by field, a text against a map is a difference, and a
// field that only some launches have is a difference that says how many ("present").

#include "ndjson/diff_input.h"

namespace ks::ndjson {

// Members "diffs" and "sames" of the event: "\"diffs\":{...},\"sames\":{...}".
std::string mended_launch_diff(const run::Run& run, const DiffInput& input);

}  // namespace ks::ndjson
