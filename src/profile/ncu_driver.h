#pragma once
// Measures with NVIDIA's own tool: one ncu process for many kernels, its report read directly.

#include <atomic>
#include <string>
#include <vector>

#include "profile/pool.h"

namespace ks::profile {

struct NcuOptions {
  std::string ncu = "ncu";
  std::string python = "python3";  // interpreter that has torch and Triton
  std::string worker;              // path of worker.py
  std::string gpu;                 // for CUDA_VISIBLE_DEVICES; empty: what the environment says
  std::string section_set;         // "full": --set full instead of the policy's metrics
  std::string backend = "ncu";     // of worker.py; fake in tests
  size_t chunk = 200;              // kernels per ncu process
  double start_timeout_s = 180;    // from start to the worker's greeting, under ncu
  double report_timeout_s = 300;   // from the last kernel to ncu's end
  const std::atomic<bool>* stop = nullptr;
};

// "2025.3.1.0"; the error is for an ncu that cannot be started or says no version.
Result<std::string> ncu_version(const std::string& ncu);

// As run_pool(). A kernel that takes its process down gets its status; the next process goes on
// behind it. A kernel whose rows in the report cannot be told from another's of the same name is
// measured once more in a process of its own, and so is one without a row. Tasks are settled when
// their process has ended; after a stop those in hand are not.
Result<PoolReport> run_ncu(const std::vector<Task>& tasks, const Policy& policy,
                           const NcuOptions& options, const OnDone& on_done);

}  // namespace ks::profile
