// One thread and one poll(2). Each turn: start what is missing, hand out tasks, wait, take in what
// the workers said, then look after those that are late, gone, or ending. A worker that has to go
// passes through SlotState::ending, and only when it is reaped is its task settled: by then all
// that it said has been read, and how it ended is known.

#include "profile/pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/pool_queue.h"
#include "profile/pool_slot.h"

namespace ks::profile {
namespace {

// Kernels a second for each GPU that are enough; below it they are being compiled or autotuned.
constexpr double kEnoughPerSecond = 15;
constexpr int kPoll_ms = 100;  // how soon a stop is seen, and a death without a closed channel
constexpr double kExitPatience_s = 2;  // asked to end, or closed its channel
constexpr int kFailedStarts = 3;       // in a row, of one GPU
constexpr size_t kProblems = 50;       // kept in the report
constexpr size_t kBatch = 64;          // tasks in one worker's hands: docs/profile.md, "Workers"

std::string with_last_words(std::string text, const ChildProcess& process) {
  const std::string words = process.last_words();
  return words.empty() ? text : text + ": " + words;
}

std::string phase_words(const std::string& phase) {
  return phase.empty() ? "before it began" : "in phase " + phase;
}

// What can be said of all tasks when no worker can be had. A permission is the most useful news.
int weight(Status status) {
  return status == Status::no_permission ? 3 : status == Status::busy ? 2 : 1;
}

class Pool {
 public:
  Pool(const std::vector<Task>& tasks, const Policy& policy, const PoolOptions& options,
       const OnDone& on_done)
      : policy_(policy), options_(options), on_done_(on_done), queue_(tasks), left_(tasks.size()) {
    std::vector<std::string> gpus = options.gpus;
    if (gpus.empty()) gpus.emplace_back();
    failed_starts_.resize(gpus.size());
    if (options.add_after_s <= 0)
      allowed_ = static_cast<size_t>(std::max(options.workers_per_gpu, 1));
    left_at_ = left_;
    // GPU by GPU in turn, so that a few tasks spread over all.
    for (int i = 0; i < std::max(options.workers_per_gpu, 1); ++i) {
      for (size_t gpu = 0; gpu < gpus.size(); ++gpu) slots_.emplace_back(gpu, gpus[gpu]);
    }
  }

  Result<PoolReport> run() {
    while (left_ > 0 && !stopped()) {
      if (Result<> started = start_workers(); !started) return tl::make_unexpected(started.error());
      hand_out();
      if (nobody_left()) {
        settle_rest();
        break;
      }
      turn();
    }
    wind_up();
    return std::move(report_);
  }

 private:
  bool stopped() const { return options_.stop && options_.stop->load(); }

  // Starting

  size_t alive() const {
    return static_cast<size_t>(
        std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.alive(); }));
  }
  bool gpu_in_use(size_t gpu) const {
    return std::any_of(slots_.begin(), slots_.end(), [gpu](const Slot& s) {
      return s.gpu() == gpu && (s.alive() || s.state() == SlotState::ending);
    });
  }
  size_t busy() const {
    return static_cast<size_t>(
        std::count_if(slots_.begin(), slots_.end(), [](const Slot& s) { return s.tasks() > 0; }));
  }

  Result<> start_workers() {
    if (queue_.only_alone_left() && busy() == 0) begin_alone();
    look_at_the_rate();
    for (Slot& slot : slots_) {
      if (alive() >= queue_.waiting() + busy()) break;
      if (slot.state() != SlotState::empty || alive_on(slot.gpu()) >= allowed_) continue;
      if (queue_.alone() && gpu_in_use(slot.gpu())) continue;
      const Result<> started = slot.start(options_);
      if (started) {
        ++starts_;
        continue;
      }
      if (starts_ == 0 && started.error().kind == ErrorKind::input) return started;
      start_failed(slot, {Status::no_device, started.error().message});
    }
    return {};
  }

  size_t alive_on(size_t gpu) const {
    return static_cast<size_t>(std::count_if(slots_.begin(), slots_.end(), [gpu](const Slot& s) {
      return s.gpu() == gpu && s.alive();
    }));
  }

  // The clock of the rate starts when the first worker has greeted: starting takes longest.
  void look_at_the_rate() {
    if (!greeted_at_ || allowed_ >= static_cast<size_t>(options_.workers_per_gpu)) return;
    const PoolClock::time_point now = PoolClock::now();
    const double seconds = std::chrono::duration<double>(now - *greeted_at_).count();
    if (seconds < options_.add_after_s) return;
    const double done = static_cast<double>(left_at_ - left_);
    const double gpus = static_cast<double>(failed_starts_.size());
    if (done / seconds < kEnoughPerSecond * gpus) ++allowed_;
    greeted_at_ = now;
    left_at_ = left_;
  }

  // Kernels that ran out of memory beside others are tried again with one fresh worker on each GPU.
  void begin_alone() {
    queue_.begin_alone();
    for (Slot& slot : slots_) {
      if (slot.alive()) ask_to_exit(slot);
    }
  }

  void start_failed(Slot& slot, const Verdict& why) {
    int& failures = ++failed_starts_[slot.gpu()];
    if (!cannot_start_ || weight(why.status) > weight(cannot_start_->status)) cannot_start_ = why;
    // A permission does not come, nor a library appear, within seconds.
    const bool final = why.status == Status::no_permission || why.status == Status::unsupported;
    if (final || failures >= kFailedStarts) {
      slot.retire();
      problem(fmt::format("GPU {}: a worker is given up after {} failed start{} in a row: {}",
                          slot.gpu_name().empty() ? "of the environment" : slot.gpu_name(),
                          failures, failures == 1 ? "" : "s", why.reason));
    } else {
      slot.clear();
      ++report_.restarts;
    }
  }

  void problem(std::string text) {
    if (report_.problems.size() < kProblems) report_.problems.push_back(std::move(text));
  }

  bool nobody_left() const {
    return std::all_of(slots_.begin(), slots_.end(),
                       [](const Slot& s) { return s.state() == SlotState::retired; });
  }

  // Tasks

  // So many at once that the workers share what is left, and that a worker can measure them
  // together.
  size_t share() const {
    const size_t workers = std::max<size_t>(alive(), 1);
    const size_t even = (queue_.waiting() + workers - 1) / workers;
    return queue_.alone() ? 1 : std::clamp<size_t>(even, 1, kBatch);
  }

  void hand_out() {
    // Another run on this machine may have the GPU, and each of our own may hang before us.
    const double longest_wait = policy_.timeout_s * (options_.workers_per_gpu + 1);
    for (Slot& slot : slots_) {
      if (slot.state() != SlotState::idle) continue;
      for (size_t left = share(); left > 0; --left) {
        const std::optional<Attempt> attempt = queue_.next();
        if (!attempt) return;
        if (slot.give(*attempt, policy_, longest_wait)) continue;
        slot.end(kExitPatience_s);
        break;
      }
    }
  }

  void settle(const Task& task, Measurement measurement) {
    ++(measurement.status == Status::ok ? report_.measured : report_.failed);
    --left_;
    on_done_(task, std::move(measurement));
  }

  void settle_failure(const Slot& slot, const Attempt& attempt, const Verdict& verdict) {
    Measurement measurement;
    measurement.status = verdict.status;
    measurement.reason = verdict.reason;
    measurement.circumstances = slot.circumstances();
    measurement.circumstances.cache_control = policy_.cache_control;
    settle(*attempt.task, std::move(measurement));
  }

  // The worker is gone. The task whose turn it was is to blame, and if none had begun, the first in
  // its hands, the second time. The others go to another worker.
  void settle_tasks(Slot& slot, const Verdict& verdict) {
    if (slot.phase().empty() && slot.tasks() > 0 && !slot.settled_any()) {
      const Attempt first = *slot.take_first();
      if (!queue_.again(first)) settle_failure(slot, first, verdict);
    } else if (const std::optional<Attempt> current = slot.take_current()) {
      settle_failure(slot, *current, verdict);
    }
    while (const std::optional<Attempt> rest = slot.take_last()) queue_.put_back(*rest);
  }

  void settle_rest() {
    const Verdict why = cannot_start_.value_or(Verdict{Status::no_device, "no worker"});
    const bool known = why.status == Status::no_permission || why.status == Status::busy;
    Measurement measurement;
    measurement.status = known ? why.status : Status::no_device;
    measurement.reason = why.reason;
    while (left_ > 0) {
      const std::optional<Attempt> attempt = queue_.next();
      attempt ? settle(*attempt->task, measurement) : queue_.begin_alone();
    }
  }

  // One turn of the loop

  void turn() {
    wait();
    for (Slot& slot : slots_) {
      if (!slot.worker()) continue;
      slot.worker()->receive();
      take_replies(slot);
      look_after(slot);
    }
  }

  void wait() {
    std::vector<pollfd> fds;
    double seconds = 1e9;
    const PoolClock::time_point now = PoolClock::now();
    for (Slot& slot : slots_) {
      if (slot.worker()) slot.worker()->add_to(fds);
      seconds = std::min(seconds, slot.seconds_left(now));
    }
    // An interrupted wait is a turn with nothing to read.
    poll(fds.data(), fds.size(), poll_milliseconds(seconds, kPoll_ms));
  }

  void take_replies(Slot& slot) {
    while (slot.worker()) {
      Result<std::optional<Reply>> reply = slot.worker()->next_reply();
      if (!reply) return reject(slot, reply.error().message);
      if (!*reply) return;
      if (!take(slot, **reply)) return reject(slot, "an answer out of turn");
    }
  }

  void reject(Slot& slot, const std::string& what) {
    if (slot.verdict()) return;
    slot.kill_now(Verdict{Status::crash, "the worker answered nonsense: " + what});
  }

  // False: not what this worker may say now.
  bool take(Slot& slot, Reply& reply) {
    if (reply.kind == Reply::Kind::hello) return take_hello(slot, reply);
    // What a killed one had said before does not count any more.
    if (slot.verdict()) return true;
    if (!slot.has(reply.id)) return false;
    if (reply.kind == Reply::Kind::phase) {
      slot.enter(reply.id, reply.phase);
    } else {
      take_done(slot, reply);
    }
    return true;
  }

  bool take_hello(Slot& slot, Reply& reply) {
    if (slot.state() != SlotState::starting) return slot.state() == SlotState::ending;
    if (reply.problem) {
      slot.end(kExitPatience_s, Verdict{*reply.problem, reply.text});
      return true;
    }
    failed_starts_[slot.gpu()] = 0;
    if (!greeted_at_) greeted_at_ = PoolClock::now();
    slot.greeted(std::move(reply.circumstances));
    return true;
  }

  void take_done(Slot& slot, Reply& reply) {
    const Attempt attempt = *slot.take(reply.id);
    if (reply.leaving && slot.state() != SlotState::ending) slot.end(kExitPatience_s);
    const bool crowded = options_.workers_per_gpu > 1;
    if (reply.measurement.status == Status::out_of_memory && crowded &&
        queue_.later_alone(attempt)) {
      return;
    }
    settle(*attempt.task, std::move(reply.measurement));
  }

  void look_after(Slot& slot) {
    if (slot.alive() && slot.worker()->closed()) slot.end(kExitPatience_s);
    if (const std::optional<ExitState> exit = slot.reap()) return bury(slot, *exit);
    if (slot.past_deadline(PoolClock::now())) late(slot);
  }

  void late(Slot& slot) {
    if (slot.state() == SlotState::starting) {
      slot.kill_now(
          Verdict{Status::no_device,
                  with_last_words(fmt::format("no greeting within {} s", options_.start_timeout_s),
                                  slot.worker()->process())});
    } else if (slot.state() == SlotState::busy) {
      slot.kill_now(Verdict{
          Status::timeout,
          fmt::format("no answer within {} s, {}", policy_.timeout_s, phase_words(slot.phase()))});
    } else if (!slot.press()) {
      settle_tasks(slot, slot.verdict().value_or(Verdict{Status::crash, "the worker hangs"}));
      problem(fmt::format("worker process {} cannot be killed", slot.worker()->process().pid()));
      slot.retire();
    }
  }

  // The worker has ended; all that it wrote is read before it is judged.
  void bury(Slot& slot, const ExitState& exit) {
    slot.worker()->receive();
    take_replies(slot);
    const ChildProcess& process = slot.worker()->process();
    const Verdict verdict = slot.verdict().value_or(
        Verdict{tells_fault(process.err().text()) ? Status::fault : Status::crash,
                with_last_words("the worker ended with " + exit.text(), process)});
    if (slot.dismissed()) return slot.clear();
    if (slot.was_starting()) return start_failed(slot, verdict);
    settle_tasks(slot, verdict);
    if (!winding_up_ && queue_.waiting() > 0) ++report_.restarts;
    slot.clear();
  }

  // The end

  void ask_to_exit(Slot& slot) {
    slot.worker()->send(exit_request());
    slot.dismiss(kExitPatience_s);
  }

  // After a stop nothing is waited for; tasks in hand are not settled.
  void wind_up() {
    winding_up_ = true;
    for (Slot& slot : slots_) {
      if (!slot.worker()) continue;
      if (stopped() || slot.state() != SlotState::idle) {
        slot.kill_now(Verdict{});
      } else {
        ask_to_exit(slot);
      }
    }
    const auto open = [](Slot& s) { return s.worker().has_value(); };
    while (!stopped() && std::any_of(slots_.begin(), slots_.end(), open)) {
      wait();
      for (Slot& slot : slots_) wind_up(slot);
    }
    slots_.clear();  // kills and reaps what a stop left
  }

  void wind_up(Slot& slot) {
    if (!slot.worker()) return;
    slot.worker()->receive();
    if (slot.reap() || (slot.past_deadline(PoolClock::now()) && !slot.press())) slot.clear();
  }

  const Policy& policy_;
  const PoolOptions& options_;
  const OnDone& on_done_;
  PoolQueue queue_;
  size_t left_;  // tasks without a status
  std::vector<Slot> slots_;
  std::vector<int> failed_starts_;  // in a row, by GPU
  std::optional<Verdict> cannot_start_;
  size_t starts_ = 0;
  size_t allowed_ = 1;  // workers for each GPU
  std::optional<PoolClock::time_point> greeted_at_;
  size_t left_at_ = 0;  // at that time
  bool winding_up_ = false;
  PoolReport report_;
};

}  // namespace

Result<PoolReport> run_pool(const std::vector<Task>& tasks, const Policy& policy,
                            const PoolOptions& options, const OnDone& on_done) {
  return Pool(tasks, policy, options, on_done).run();
}

}  // namespace ks::profile
