// ncu's report appears only when the program under it has ended, so a kernel that hangs must not
// cost the whole process: the worker alone is killed then, and ncu left to write what it has. How
// far the worker is stands in the sidecar, a file of the same answers that the pool gets.

#include "profile/ncu_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "profile/child_process.h"
#include "profile/file_text.h"

namespace ks::profile {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPoll_ms = 100;
constexpr size_t kMaxReport = 1ULL << 30, kMaxToolText = 64 << 20;  // bytes

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string list_file(const std::string& folder) { return folder + "/tasks.ndjson"; }
std::string sidecar_file(const std::string& folder) { return folder + "/sidecar.ndjson"; }
std::string report_file(const std::string& folder) { return folder + "/report.ncu-rep"; }
std::string tool_file(const std::string& folder) { return folder + "/ncu.log"; }

Result<> prepare(const std::vector<const Task*>& tasks, const Policy& policy,
                 const std::string& folder) {
  std::error_code ignored;
  for (const auto& file : {sidecar_file(folder), report_file(folder), tool_file(folder)}) {
    std::filesystem::remove(file, ignored);
  }
  std::ofstream list(list_file(folder), std::ios::binary);
  for (const Task* task : tasks) list << measure_request(*task, policy);
  list.close();
  if (!list) return fail(ErrorKind::io, list_file(folder) + ": cannot be written (disk full?)");
  return {};
}

class NcuProcess {
 public:
  NcuProcess(const Policy& policy, const NcuOptions& options, const std::string& folder,
             ChildProcess child, size_t tasks)
      : policy_(policy),
        options_(options),
        folder_(folder),
        child_(std::move(child)),
        left_(tasks) {
    allow(options.start_timeout_s);
  }

  NcuOutcome run() {
    std::optional<ExitState> exit;
    while (!exit) {
      if (options_.stop && options_.stop->load()) {
        outcome_.stopped = true;
        return std::move(outcome_);  // the destructor of the child kills all
      }
      turn();
      exit = child_.reap();
    }
    child_.read_output();
    read_sidecar();
    conclude(*exit);
    return std::move(outcome_);
  }

 private:
  void allow(double seconds) {
    deadline_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  void turn() {
    std::vector<pollfd> fds;
    child_.add_to(fds);
    poll(fds.data(), fds.size(), kPoll_ms);
    child_.read_output();
    read_sidecar();
    if (Clock::now() >= deadline_) late();
  }

  void late() {
    outcome_.timed_out = true;
    if (!worker_killed_ && kill_worker()) {
      worker_killed_ = true;
      allow(options_.report_timeout_s);
    } else {
      child_.kill_group();
      allow(options_.report_timeout_s);
    }
  }

  // The number comes from a file that foreign code could write: only our own group is killed in.
  bool kill_worker() const {
    if (worker_ <= 1 || worker_ == child_.pid()) return false;
    return getpgid(worker_) == child_.pid() && kill(worker_, SIGKILL) == 0;
  }

  void read_sidecar() {
    if (!sidecar_) sidecar_ = Fd(open(sidecar_file(folder_).c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[64 << 10];
    ssize_t n = 0;
    while (sidecar_ && !lines_.flooded() && (n = read(sidecar_.get(), buffer, sizeof buffer)) > 0) {
      lines_.append({buffer, static_cast<size_t>(n)});
      while (const std::optional<std::string> line = lines_.next()) {
        if (Result<Reply> reply = read_reply(*line)) take(*reply);
      }
    }
  }

  void take(Reply& reply) {
    if (reply.kind == Reply::Kind::hello) {
      outcome_.greeted = true;
      worker_ = static_cast<pid_t>(reply.pid);
      outcome_.circumstances = std::move(reply.circumstances);
      if (reply.problem) outcome_.problem = Verdict{*reply.problem, reply.text};
      allow(policy_.timeout_s);
    } else if (reply.kind == Reply::Kind::phase) {
      if (outcome_.begun != reply.id) allow(policy_.timeout_s);
      outcome_.begun = reply.id;
      outcome_.phase = reply.phase;
    } else {
      outcome_.begun.reset();
      outcome_.done.insert_or_assign(reply.id, std::move(reply.measurement));
      allow(left_ > outcome_.done.size() && !reply.leaving ? policy_.timeout_s
                                                           : options_.report_timeout_s);
    }
  }

  void conclude(const ExitState& exit) {
    const Result<std::string> tool = read_text_file(tool_file(folder_), kMaxToolText);
    const std::string text =
        tool.value_or("") + std::string(child_.out().text()) + std::string(child_.err().text());
    if (Result<NcuLog> log = read_ncu_log(text); log && log->failure && !outcome_.problem) {
      outcome_.problem = Verdict{*log->failure, one_line(log->failure_text)};
    }
    outcome_.faulted = tells_fault(text);
    OutputTail last;
    last.append(tool.value_or(""));
    const std::string words = child_.last_words();
    outcome_.ending =
        fmt::format("ncu ended with {}: {}", exit.text(), words.empty() ? last.last_line() : words);
    const Result<std::string> bytes = read_text_file(report_file(folder_), kMaxReport);
    if (bytes) {
      if (Result<NcuLog> report = read_ncu_log(*bytes)) outcome_.report = std::move(*report);
    }
  }

  const Policy& policy_;
  const NcuOptions& options_;
  const std::string& folder_;
  ChildProcess child_;
  size_t left_;  // tasks given
  Fd sidecar_;
  LineBuffer lines_;
  pid_t worker_ = -1;
  bool worker_killed_ = false;
  Clock::time_point deadline_;
  NcuOutcome outcome_;
};

}  // namespace

std::vector<std::string> ncu_command(const Policy& policy, const NcuOptions& options,
                                     const std::string& folder) {
  std::vector<std::string> argv = {options.ncu,
                                   "--profile-from-start",
                                   "off",
                                   "--target-processes",
                                   "all",
                                   "--clock-control",
                                   policy.clock_control,
                                   "--cache-control",
                                   policy.cache_control};
  const auto add = [&argv](std::initializer_list<std::string> words) {
    argv.insert(argv.end(), words);
  };
  if (options.section_set.empty()) {
    add({"--metrics", joined(policy.metrics.metrics)});
  } else {
    add({"--set", options.section_set});
  }
  add({"--log-file", tool_file(folder), "-f", "-o", report_file(folder)});
  add({options.python, options.worker, "--backend", options.backend});
  add({"--list", list_file(folder), "--sidecar", sidecar_file(folder)});
  return argv;
}

Result<NcuOutcome> run_ncu_once(const std::vector<const Task*>& tasks, const Policy& policy,
                                const NcuOptions& options, const std::string& folder) {
  if (Result<> ready = prepare(tasks, policy, folder); !ready)
    return tl::make_unexpected(ready.error());
  ChildProcess::Options child;
  child.argv = ncu_command(policy, options, folder);
  child.environment = {"LC_ALL=C"};  // numbers without separators of thousands
  if (!options.gpu.empty()) child.environment.push_back("CUDA_VISIBLE_DEVICES=" + options.gpu);
  Result<ChildProcess> process = ChildProcess::spawn(child);
  if (!process) return tl::make_unexpected(process.error());
  return NcuProcess(policy, options, folder, std::move(*process), tasks.size()).run();
}

}  // namespace ks::profile
