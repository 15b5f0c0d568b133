#pragma once
// One place for a worker: the process that is in it now, and what it is doing. The rules of the
// pool are in pool.cc; this only keeps one worker's state and clocks.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "profile/pool_queue.h"
#include "profile/worker_process.h"

namespace ks::profile {

using PoolClock = std::chrono::steady_clock;

enum class SlotState : uint8_t {
  empty,     // no process; one can be started
  starting,  // until its greeting
  idle,
  busy,    // has tasks
  ending,  // asked to end, or killed, or gone; not yet reaped
  retired  // given up
};

class Slot {
 public:
  Slot(size_t gpu, std::string gpu_name) : gpu_(gpu), gpu_name_(std::move(gpu_name)) {}

  Result<> start(const PoolOptions& options);
  // False: it does not listen; the attempt is in its hands all the same.
  bool give(Attempt attempt, const Policy& policy, double longest_wait_s);
  void greeted(Circumstances circumstances);
  // It says what it is doing now, and for which of its tasks: that one is to blame if it ends. Each
  // task has its own time, from when its turn comes.
  void enter(size_t id, const std::string& phase);
  std::optional<Attempt> take(size_t id);  // settled; nothing: not one of its tasks
  std::optional<Attempt> take_current();   // the one to blame
  std::optional<Attempt> take_first();     // in the order given
  std::optional<Attempt> take_last();
  // Asks it to end, then makes it: after `patience_s` without an end it is killed.
  void end(double patience_s, std::optional<Verdict> verdict = std::nullopt);
  void kill_now(std::optional<Verdict> verdict = std::nullopt) { end(0, std::move(verdict)); }
  void dismiss(double patience_s);  // has been asked to end, and may
  // Kills it when its patience is over. False: it cannot even be killed.
  bool press();
  std::optional<ExitState> reap();  // of an ending worker
  void clear();                     // after reap(), or to let go of one that cannot be killed
  void retire();

  SlotState state() const { return state_; }
  bool alive() const {
    return state_ == SlotState::starting || state_ == SlotState::idle || state_ == SlotState::busy;
  }
  bool past_deadline(PoolClock::time_point now) const;
  double seconds_left(PoolClock::time_point now) const;  // to the next thing to be done about it
  size_t gpu() const { return gpu_; }
  const std::string& gpu_name() const { return gpu_name_; }
  bool dismissed() const { return dismissed_; }
  bool was_starting() const { return !greeted_; }
  const std::string& phase() const { return phase_; }
  bool has(size_t id) const;
  size_t tasks() const { return attempts_.size(); }
  bool settled_any() const { return settled_any_; }  // since it was last idle
  const std::optional<Verdict>& verdict() const { return verdict_; }
  const Circumstances& circumstances() const { return circumstances_; }
  std::optional<WorkerProcess>& worker() { return worker_; }

 private:
  size_t gpu_;
  std::string gpu_name_;
  SlotState state_ = SlotState::empty;
  std::optional<WorkerProcess> worker_;
  std::vector<Attempt> attempts_;  // in the order given
  std::optional<Verdict> verdict_;
  Circumstances circumstances_;
  std::string phase_;              // empty: none has begun, or the last one was settled
  std::optional<size_t> current_;  // the task that phase_ is about
  bool greeted_ = false;
  bool settled_any_ = false;
  bool killed_ = false;
  bool dismissed_ = false;
  PoolClock::time_point deadline_;
  PoolClock::duration paused_{};  // time left to the task while it waits for the GPU
  PoolClock::duration longest_wait_{}, timeout_{};
};

}  // namespace ks::profile
