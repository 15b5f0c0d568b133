#pragma once
// Ctrl-C and SIGTERM while something is being written.

#include <atomic>

namespace ks::cli {

// While it lives, the first signal sets the flag; the second removes the unfinished run file and
// ends the process with 130. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>* flag() const;
};

}  // namespace ks::cli
