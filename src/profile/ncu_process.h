#pragma once
// One run of ncu over some kernels: what came of each, before it is known what that means.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/ncu_driver.h"
#include "profile/ncu_log.h"
#include "profile/worker_protocol.h"

namespace ks::profile {

struct NcuOutcome {
  std::map<size_t, Measurement> done;  // by task id: what the worker said; values are in the report
  std::optional<size_t> begun;         // the task that the worker began and did not finish
  std::string phase;                   // of that task
  bool timed_out = false;              // it, or ncu itself, took too long
  bool stopped = false;
  bool greeted = false;
  std::optional<Verdict> problem;  // the worker's greeting, or ncu's own messages
  Circumstances circumstances;     // the worker's
  std::string ending;              // how ncu ended, with its last words
  bool faulted = false;            // those tell of a fault of the GPU
  NcuLog report;                   // empty where there is none
};

// Files go to `folder`, which is ours; those of the run before are overwritten. The error is for an
// ncu that cannot be started.
Result<NcuOutcome> run_ncu_once(const std::vector<const Task*>& tasks, const Policy& policy,
                                const NcuOptions& options, const std::string& folder);

// For tests: the command line.
std::vector<std::string> ncu_command(const Policy& policy, const NcuOptions& options,
                                     const std::string& folder);

}  // namespace ks::profile
