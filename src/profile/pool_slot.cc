#include "profile/pool_slot.h"

#include <algorithm>

namespace ks::profile {
namespace {

// A killed process may be held by its driver while that cleans up.
constexpr double kUnkillable_s = 30;
constexpr std::string_view kWaiting = "wait";

PoolClock::duration seconds(double s) {
  return std::chrono::duration_cast<PoolClock::duration>(std::chrono::duration<double>(s));
}

}  // namespace

Result<> Slot::start(const PoolOptions& options) {
  clear();
  Result<WorkerProcess> worker = WorkerProcess::start(options, gpu_name_);
  if (!worker) return tl::make_unexpected(worker.error());
  worker_.emplace(std::move(*worker));
  state_ = SlotState::starting;
  deadline_ = PoolClock::now() + seconds(options.start_timeout_s);
  return {};
}

bool Slot::give(Attempt attempt, const Policy& policy, double longest_wait_s) {
  if (attempts_.empty()) settled_any_ = false;
  attempts_.push_back(attempt);
  state_ = SlotState::busy;
  timeout_ = seconds(policy.timeout_s);
  deadline_ = PoolClock::now() + timeout_;
  longest_wait_ = seconds(longest_wait_s);
  return worker_->send(measure_request(*attempt.task, policy));
}

void Slot::greeted(Circumstances circumstances) {
  greeted_ = true;
  circumstances_ = std::move(circumstances);
  state_ = SlotState::idle;
}

void Slot::enter(size_t id, const std::string& phase) {
  const PoolClock::time_point now = PoolClock::now();
  if (current_ != id) {
    current_ = id;
    phase_.clear();
    deadline_ = now + timeout_;
  }
  if (phase == kWaiting && phase_ != kWaiting) {
    paused_ = deadline_ - now;
    deadline_ = now + longest_wait_;
  } else if (phase != kWaiting && phase_ == kWaiting) {
    deadline_ = now + paused_;
  }
  phase_ = phase;
}

bool Slot::has(size_t id) const {
  return std::any_of(attempts_.begin(), attempts_.end(),
                     [id](const Attempt& a) { return a.task->id == id; });
}

std::optional<Attempt> Slot::take(size_t id) {
  const auto found = std::find_if(attempts_.begin(), attempts_.end(),
                                  [id](const Attempt& a) { return a.task->id == id; });
  if (found == attempts_.end()) return std::nullopt;
  const Attempt attempt = *found;
  attempts_.erase(found);
  settled_any_ = true;
  if (current_ == id) {
    current_.reset();
    phase_.clear();
  }
  if (state_ == SlotState::busy) deadline_ = PoolClock::now() + timeout_;
  if (state_ == SlotState::busy && attempts_.empty()) state_ = SlotState::idle;
  return attempt;
}

std::optional<Attempt> Slot::take_current() { return current_ ? take(*current_) : std::nullopt; }

std::optional<Attempt> Slot::take_first() {
  return attempts_.empty() ? std::nullopt : take(attempts_.front().task->id);
}

std::optional<Attempt> Slot::take_last() {
  return attempts_.empty() ? std::nullopt : take(attempts_.back().task->id);
}

void Slot::end(double patience_s, std::optional<Verdict> verdict) {
  state_ = SlotState::ending;
  killed_ = false;
  if (verdict) verdict_ = std::move(verdict);
  deadline_ = PoolClock::now() + seconds(patience_s);
  if (patience_s <= 0) press();
}

void Slot::dismiss(double patience_s) {
  dismissed_ = true;
  end(patience_s);
}

bool Slot::press() {
  if (killed_) return false;
  worker_->process().kill_group();
  killed_ = true;
  deadline_ = PoolClock::now() + seconds(kUnkillable_s);
  return true;
}

std::optional<ExitState> Slot::reap() { return worker_->process().reap(); }

void Slot::clear() {
  worker_.reset();
  attempts_.clear();
  current_.reset();
  verdict_.reset();
  circumstances_ = {};
  phase_.clear();
  greeted_ = killed_ = dismissed_ = false;
  state_ = SlotState::empty;
}

void Slot::retire() {
  clear();
  state_ = SlotState::retired;
}

bool Slot::past_deadline(PoolClock::time_point now) const {
  const bool timed =
      state_ == SlotState::starting || state_ == SlotState::busy || state_ == SlotState::ending;
  return timed && now >= deadline_;
}

double Slot::seconds_left(PoolClock::time_point now) const {
  if (state_ == SlotState::idle || !worker_) return 1e9;
  return std::chrono::duration<double>(deadline_ - now).count();
}

}  // namespace ks::profile
