#pragma once
// The work on a compilation's texts, done on worker threads.

#include <mutex>
#include <string>
#include <unordered_map>

#include "run/builder.h"

namespace ks::run {

// Which compilation of a kernel comes first in the input. Several ranks compile the same kernels;
// only the first one's texts are kept, so the others' need no work. Thread-safe.
class FirstCompilations {
 public:
  // False if an earlier compilation of `hash` has been claimed. The earliest is never refused,
  // whatever the order of the calls, so the result does not depend on threads.
  bool claim(const std::string& hash, uint64_t order);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, uint64_t> earliest_;
};

// Maps and facts for all texts. `where` is for messages.
DigestedCompilation digest(trace::Compilation event, bool analyse, const std::string& where);

}  // namespace ks::run
