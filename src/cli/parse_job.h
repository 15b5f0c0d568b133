#pragma once
// Traces to a run file: what `parse` does, and every command that is given a raw trace.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/terminal.h"
#include "report/summary.h"
#include "run/read.h"

namespace ks::cli {

struct ParseJob {
  std::vector<std::string> inputs;  // files, folders, globs, "-"
  std::string folder;               // where run.duckdb goes
  bool overwrite = false;
  run::ReadOptions read;
  std::string rank;  // a number, "none", or empty: all
  bool pre_init_attribution = true;
  bool ndjson = false;  // also the files of the reference
  bool compat = false;  // with its defects
};

struct ParseDone {
  std::string file_list;  // path of log_file_list.json; empty without --ndjson
  run::Run run;
  report::Timing timing;
};

// Leaves a whole run file or nothing.
Result<ParseDone> run_parse(const ParseJob& job, Terminal& terminal);

unsigned default_threads();

}  // namespace ks::cli
