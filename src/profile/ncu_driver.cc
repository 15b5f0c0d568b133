#include "profile/ncu_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "profile/child_process.h"
#include "profile/ncu_process.h"
#include "profile/worker_files.h"

namespace ks::profile {
namespace {

constexpr int kFruitless = 3;  // runs without any news, after which the rest is given up
constexpr int kVersionTurns = 600, kVersionPoll_ms = 50;

struct Work {
  const Task* task = nullptr;
  bool single = false;  // in a process of its own
};

bool concerns_all(Status status) {
  return status == Status::no_permission || status == Status::busy || status == Status::no_device ||
         status == Status::unsupported;
}

// "name(float*, int)" in the forms that print signatures.
std::string_view bare_name(std::string_view name) { return name.substr(0, name.find('(')); }

void take_over(std::string& into, const std::string& from) {
  if (!from.empty()) into = from;
}

Circumstances merged(Circumstances worker, const Circumstances& row, const std::string& tool) {
  take_over(worker.device, row.device);
  take_over(worker.chip, row.chip);
  take_over(worker.capability, row.capability);
  if (row.sm_count) worker.sm_count = row.sm_count;
  if (row.peak_dram_bytes_per_second) {
    worker.peak_dram_bytes_per_second = row.peak_dram_bytes_per_second;
  }
  worker.source = "ncu";
  worker.tool = tool;
  return worker;
}

// Rows of one report by kernel name, in the order of launches.
using Rows = std::map<std::string, std::vector<const NcuKernel*>, std::less<>>;

Rows rows_of(const NcuLog& report) {
  Rows rows;
  for (const NcuKernel& kernel : report.kernels) {
    rows[std::string(bare_name(kernel.launch.kernel))].push_back(&kernel);
  }
  return rows;
}

class NcuRuns {
 public:
  NcuRuns(const std::vector<Task>& tasks, const Policy& policy, const NcuOptions& options,
          const OnDone& on_done, std::string tool)
      : policy_(policy), options_(options), on_done_(on_done), tool_(std::move(tool)) {
    for (const Task& task : tasks) queue_.push_back({&task, false});
  }

  Result<PoolReport> run(const std::string& folder) {
    while (!queue_.empty() && !(options_.stop && options_.stop->load())) {
      const std::vector<Work> batch = next_batch();
      std::vector<const Task*> tasks;
      for (const Work& work : batch) tasks.push_back(work.task);
      Result<NcuOutcome> outcome = run_ncu_once(tasks, policy_, options_, folder);
      if (!outcome) return tl::make_unexpected(outcome.error());
      if (outcome->stopped) break;
      conclude(batch, *outcome);
    }
    return std::move(report_);
  }

 private:
  std::vector<Work> next_batch() {
    std::vector<Work> batch;
    const size_t limit = queue_.front().single ? 1 : std::max<size_t>(options_.chunk, 1);
    while (!queue_.empty() && batch.size() < limit && (batch.empty() || !queue_.front().single)) {
      batch.push_back(queue_.front());
      queue_.pop_front();
    }
    return batch;
  }

  void conclude(const std::vector<Work>& batch, NcuOutcome& outcome) {
    const bool values = !outcome.report.kernels.empty();
    if (outcome.problem && concerns_all(outcome.problem->status) && !values) {
      return give_up(batch, *outcome.problem, outcome);
    }
    const bool news = values || outcome.begun ||
                      std::any_of(outcome.done.begin(), outcome.done.end(),
                                  [](const auto& d) { return d.second.status != Status::ok; });
    fruitless_ = news ? 0 : fruitless_ + 1;
    if (fruitless_ >= kFruitless) return give_up(batch, nothing(outcome), outcome);
    settle_batch(batch, outcome);
    if (!outcome.done.empty() || outcome.begun) return;
    report_.problems.push_back(outcome.ending);
    ++report_.restarts;
  }

  // ncu can end well, with exit code 0, and have profiled nothing.
  static Verdict nothing(const NcuOutcome& outcome) {
    if (outcome.problem) return {outcome.problem->status, outcome.problem->reason};
    return {outcome.greeted ? Status::not_launched : Status::no_device,
            "nothing was profiled; " + outcome.ending};
  }

  void give_up(const std::vector<Work>& batch, const Verdict& why, const NcuOutcome& outcome) {
    report_.problems.push_back(why.reason);
    for (const Work& work : batch) fail_task(*work.task, why, outcome);
    for (const Work& work : queue_) fail_task(*work.task, why, outcome);
    queue_.clear();
  }

  void settle_batch(const std::vector<Work>& batch, NcuOutcome& outcome) {
    const Rows rows = rows_of(outcome.report);
    std::map<std::string, size_t> wanted, seen;
    for (const auto& [id, measurement] : outcome.done) {
      if (measurement.status == Status::ok) ++wanted[measurement.launch.kernel];
    }
    std::vector<Work> unreached;
    for (const Work& work : batch) {
      const auto found = outcome.done.find(work.task->id);
      if (found == outcome.done.end()) {
        if (outcome.begun == work.task->id) {
          fail_task(*work.task, killer(outcome), outcome);
        } else {
          unreached.push_back(work);
        }
        continue;
      }
      Measurement& measurement = found->second;
      if (measurement.status != Status::ok) {
        settle(*work.task, std::move(measurement));
        continue;
      }
      const std::string name = measurement.launch.kernel;
      const NcuKernel* row = row_for(rows, name, seen[name]++, wanted[name], batch.size() == 1);
      settle_ok(work, std::move(measurement), row, outcome);
    }
    // What was not reached goes on first, as before.
    queue_.insert(queue_.begin(), unreached.begin(), unreached.end());
  }

  // Null: there is none, or it cannot be told which. By order only where the numbers agree: one
  // row too many or too few would shift all that follow. Alone, the last launch is the winner's.
  static const NcuKernel* row_for(const Rows& rows, const std::string& name, size_t index,
                                  size_t wanted, bool alone) {
    const auto found = rows.find(name);
    if (found == rows.end()) return nullptr;
    if (found->second.size() == wanted) return found->second[index];
    return alone ? found->second.back() : nullptr;
  }

  void settle_ok(const Work& work, Measurement measurement, const NcuKernel* row,
                 const NcuOutcome& outcome) {
    if (!row && !work.single) {
      queue_.push_back({work.task, true});
      ++report_.restarts;
      return;
    }
    if (!row) return fail_task(*work.task, nothing(outcome), outcome);
    measurement.passes = row->passes;
    measurement.metrics.clear();
    for (const auto& [name, value] : row->metrics) {
      // Facts of the device and of the tool, some hundreds in each row.
      if (!name.starts_with("device__") && !name.starts_with("profiler__")) {
        measurement.metrics.emplace(name, value);
      }
    }
    const std::string kernel = measurement.launch.kernel;
    const std::optional<int64_t> spills = measurement.launch.spills;
    measurement.launch = row->launch;
    measurement.launch.kernel = kernel;
    if (spills) measurement.launch.spills = spills;
    measurement.circumstances = merged(measurement.circumstances, row->circumstances, tool_);
    settle(*work.task, std::move(measurement));
  }

  Verdict killer(const NcuOutcome& outcome) const {
    if (outcome.timed_out) {
      return {Status::timeout,
              fmt::format("no answer within {} s, in phase {}", policy_.timeout_s, outcome.phase)};
    }
    return {outcome.faulted ? Status::fault : Status::crash,
            fmt::format("the worker ended in phase {}; {}", outcome.phase, outcome.ending)};
  }

  void fail_task(const Task& task, const Verdict& why, const NcuOutcome& outcome) {
    Measurement measurement;
    measurement.status = why.status;
    measurement.reason = why.reason;
    measurement.circumstances = merged(outcome.circumstances, {}, tool_);
    measurement.circumstances.cache_control = policy_.cache_control;
    measurement.circumstances.clock_control = policy_.clock_control;
    settle(task, std::move(measurement));
  }

  void settle(const Task& task, Measurement measurement) {
    ++(measurement.status == Status::ok ? report_.measured : report_.failed);
    on_done_(task, std::move(measurement));
  }

  const Policy& policy_;
  const NcuOptions& options_;
  const OnDone& on_done_;
  std::string tool_;
  std::deque<Work> queue_;
  int fruitless_ = 0;
  PoolReport report_;
};

}  // namespace

Result<std::string> ncu_version(const std::string& ncu) {
  Result<ChildProcess> child = ChildProcess::spawn({.argv = {ncu, "--version"}, .environment = {}});
  if (!child) return tl::make_unexpected(child.error());
  for (int turn = 0; turn < kVersionTurns && !child->reap(); ++turn) {
    std::vector<pollfd> fds;
    child->add_to(fds);
    poll(fds.data(), fds.size(), kVersionPoll_ms);
    child->read_output();
  }
  child->read_output();
  // "Version 2025.3.1.0 (build 36398880) (public-release)"
  constexpr std::string_view kWord = "Version ";
  const std::string_view text = child->out().text();
  const size_t at = text.find(kWord);
  if (at == std::string_view::npos) {
    return fail(ErrorKind::input, ncu + " does not say its version: " + child->last_words());
  }
  const std::string_view rest = text.substr(at + kWord.size());
  return one_line(rest.substr(0, rest.find_first_of(" \n(")));
}

Result<PoolReport> run_ncu(const std::vector<Task>& tasks, const Policy& policy,
                           const NcuOptions& options, const OnDone& on_done) {
  if (tasks.empty()) return PoolReport{};
  const Result<std::string> version = ncu_version(options.ncu);
  if (!version) return tl::make_unexpected(version.error());
  const Result<TempFolder> folder = TempFolder::make();
  if (!folder) return tl::make_unexpected(folder.error());
  return NcuRuns(tasks, policy, options, on_done, "ncu " + *version).run(folder->path());
}

}  // namespace ks::profile
