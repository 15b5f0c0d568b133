#pragma once
// Files to a Run: the pipeline of `kernelscope parse`.

#include <atomic>
#include <span>

#include "run/observer.h"

namespace ks::run {

struct ReadOptions {
  unsigned threads = 2;
  io::Limits limits;
  bool exact = false;      // FlattenRules::exact
  bool analyse = true;     // source maps and facts of stage texts
  bool all_texts = false;  // digest repeated compilations of a kernel too (for Observer::prepare)
  std::vector<std::string> torch_traces;  // folders and files besides those beside the traces
  const std::atomic<bool>* interrupted = nullptr;  // looked at between blocks
};

// Seconds spent, summed over threads; the sum may exceed the wall-clock time.
struct ReadTimings {
  double read = 0;     // reading and decompressing
  double decode = 0;   // JSON
  double analyse = 0;  // source maps and facts
  double prepare = 0;  // the observers' work on worker threads
  double build = 0;    // the run, one thread
};

// Reads the groups in order. A file that cannot be opened or breaks off is counted in the run's
// diagnostics; an error of an observer, or interruption, ends it.
Result<Run> read(const std::vector<io::RankGroup>& groups, const ReadOptions& options,
                 std::span<Observer* const> observers, ReadTimings* timings = nullptr);

}  // namespace ks::run
