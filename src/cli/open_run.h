#pragma once
// From what the user names as RUN to an open run file.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "store/connection.h"
#include "store/kernel_queries.h"

namespace ks::cli {

// The run file of RUN: a folder made by parse, its run.duckdb, or a raw trace, which is parsed into
// the cache first.
Result<std::string> find_run_file(const std::string& run, Context& context);

struct OpenRun {
  store::Database database;
  store::Connection connection;  // closed first
  std::vector<store::KernelRow> kernels;
};
Result<OpenRun> open_run(const std::string& run, Context& context);

}  // namespace ks::cli
