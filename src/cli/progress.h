#pragma once
// Shows on a terminal how far reading has come.

#include <chrono>

#include "cli/terminal.h"
#include "run/observer.h"

namespace ks::cli {

class Progress : public run::Observer {
 public:
  explicit Progress(Terminal& terminal) : terminal_(terminal) {}
  ~Progress() override { terminal_.end_progress(); }

  Result<> begin_block(const run::Run& run, run::Id process, const trace::DecodedBlock& block,
                       run::Prepared*) override;

 private:
  using Clock = std::chrono::steady_clock;

  Terminal& terminal_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  uint64_t bytes_ = 0;
};

}  // namespace ks::cli
