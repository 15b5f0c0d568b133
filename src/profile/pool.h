#pragma once
// Workers: resident processes that measure one kernel after another. The pool starts them, gives
// them tasks, and survives whatever a kernel does to its worker. POSIX only.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "profile/measurement.h"
#include "profile/task.h"

namespace ks::profile {

struct PoolOptions {
  std::string python = "python3";  // interpreter that has torch and Triton
  std::string worker;              // path of worker.py (see worker_files.h)
  std::string backend = "cupti";   // cupti, time, fake
  std::string collector;           // path of libkernelscope_collector.so; cupti only
  std::vector<std::string> gpus;   // UUIDs or indices as CUDA_VISIBLE_DEVICES takes them
  int workers_per_gpu = 4;
  // One worker for each GPU at first, and another, up to workers_per_gpu, whenever for so many
  // seconds they were slow. Kernels that are compiled already need no more than one: opening the
  // counters is what the others would wait for. 0: all at once.
  double add_after_s = 0;
  double start_timeout_s = 120;             // from start to "hello": torch is slow to import
  const std::atomic<bool>* stop = nullptr;  // set: no new tasks, end the workers, return
};

struct PoolReport {
  size_t measured = 0, failed = 0, restarts = 0;
  std::vector<std::string> problems;  // a GPU or worker that had to be given up, and why
};

// Called on the pool's thread, one at a time, in the order of completion.
using OnDone = std::function<void(const Task&, Measurement)>;

// Measures all tasks. A worker that dies, hangs beyond the task's timeout or answers nonsense costs
// its task a status (crash, timeout, fault) and is restarted. A GPU whose workers fail to start
// `3` times in a row is given up; its tasks go to the others, and with none left they end as
// no_device, no_permission or busy, whichever the workers said. The error is for a bad option
// (no interpreter), never for a kernel.
Result<PoolReport> run_pool(const std::vector<Task>& tasks, const Policy& policy,
                            const PoolOptions& options, const OnDone& on_done);

}  // namespace ks::profile
