#pragma once
// Shows how far profiling has come: one line that is replaced on a terminal, a line for every tenth
// of the work where stderr goes elsewhere.

#include <chrono>

#include "cli/terminal.h"
#include "profile/measurement.h"

namespace ks::cli {

class ProfileProgress {
 public:
  ProfileProgress(Terminal& terminal, size_t total, size_t cached)
      : terminal_(terminal), total_(total), cached_(cached) {}
  ~ProfileProgress() { terminal_.end_progress(); }

  void done(const profile::Measurement& measurement);

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(double seconds) const;

  Terminal& terminal_;
  size_t total_, cached_, done_ = 0, failed_ = 0, tenths_ = 0;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

std::string human_duration(double seconds);  // 12 s, 3 min 20 s, 1 h 5 min

}  // namespace ks::cli
