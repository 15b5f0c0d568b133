#pragma once
// Where the table of `kernelscope profile` goes.

#include "base/result.h"
#include "cli/profile_options.h"
#include "cli/terminal.h"
#include "profile/result_table.h"

namespace ks::cli {

// Before anything is measured: endings that we know, nothing that would be overwritten, a run to
// put it into.
Result<> check_outputs(const ProfileOptions& options);

// Writes all of them, and to stdout where that was asked for or is not a terminal.
Result<> write_outputs(const ProfileOptions& options, const profile::ResultTable& table,
                       Terminal& terminal);

}  // namespace ks::cli
