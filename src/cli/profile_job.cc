#include "cli/profile_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/measurement_cache.h"
#include "cli/profile_progress.h"
#include "inductor/scan.h"
#include "profile/file_text.h"
#include "profile/log_source.h"
#include "profile/ncu_driver.h"
#include "profile/parallel.h"
#include "profile/pool.h"
#include "profile/worker_files.h"

namespace ks::cli {
namespace {

namespace fs = std::filesystem;
using profile::Measurement;
using profile::Status;

constexpr size_t kCsvLimit = 1ull << 30;
// Without --workers: one for each GPU, and up to so many while kernels have to be compiled.
constexpr int kMostWorkers = 4;
constexpr double kAddWorkersAfter_s = 8;
constexpr const char* kCollectorFile = "libkernelscope_collector.so";

Result<ProfileInput> read_table(const ProfileOptions& options, Terminal& terminal) {
  const Result<std::string> text = profile::read_text_file(options.csv, kCsvLimit);
  if (!text) return tl::make_unexpected(text.error());
  auto table = inductor::read_metadata(*text);
  if (!table) return with_context(table.error(), options.csv);
  for (const std::string& note : table->notes) {
    terminal.say(fmt::format("{}: {}\n", options.csv, note));
  }
  profile::LoadOptions load;
  load.kernel_root = options.kernel_root;
  ProfileInput input{std::move(*table), {}};
  input.rows = profile::load_rows(input.table, load);
  return input;
}

Result<ProfileInput> read_scan(const ProfileOptions& options, Terminal& terminal) {
  const auto scan = inductor::scan(options.inputs);
  if (!scan) return tl::make_unexpected(scan.error());
  for (const std::string& problem : scan->problems) terminal.say(problem + '\n');
  if (scan->kernels.empty()) {
    return fail(ErrorKind::input,
                fmt::format("no Inductor kernel in {} Python files", scan->files));
  }
  return ProfileInput{inductor::make_metadata(scan->kernels, ""),
                      profile::rows_of_scan(scan->kernels, options.inputs)};
}

// Beside the program, or in ../lib of an installation.
std::string find_collector() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {".", "src/profile/collector", "../lib", "../lib/kernelscope"}) {
    const fs::path path = folder / place / kCollectorFile;
    if (fs::exists(path, error)) return path.lexically_normal().string();
  }
  return "";
}

Measurement with_status(Status status, std::string reason) {
  Measurement measurement;
  measurement.status = status;
  measurement.reason = std::move(reason);
  return measurement;
}

// What a worker that failed could not say.
void fill(std::string& part, const std::string& value) {
  if (part.empty()) part = value;
}
void fill_circumstances(Measurement& m, const profile::RunKey& run) {
  profile::Circumstances& c = m.circumstances;
  if (run.devices.size() == 1) fill(c.device, run.devices.front());
  fill(c.driver, run.driver);
  fill(c.cuda, run.versions.cuda);
  fill(c.torch, run.versions.torch);
  fill(c.triton, run.versions.triton);
  fill(c.source, run.source);
  fill(c.tool, run.tool);
  fill(c.cache_control, run.policy.cache_control);
  fill(c.clock_control, run.policy.clock_control);
}

// The device's name as the key has it.
std::string key_device(const profile::RunKey& run, const Measurement& m) {
  for (const std::string& device : run.devices) {
    if (device == m.circumstances.device) return device;
  }
  return run.devices.empty() ? m.circumstances.device : run.devices.front();
}

class Job {
 public:
  Job(const ProfileOptions& options, const profile::Plan& plan, profile::RunKey run,
      const profile::GpuList& gpus, Context& context, const profile::Cache* cache)
      : options_(options),
        plan_(plan),
        run_(std::move(run)),
        gpus_(gpus),
        context_(context),
        cache_(cache),
        found_(plan.kernels.size()) {}

  Result<> from_logs();
  Result<> from_cache();
  Result<> from_gpus();
  void dry_run() const;
  Measured finish();

 private:
  size_t count_missing() const;
  Result<std::vector<profile::Task>> tasks();
  Result<> run_tasks(const std::vector<profile::Task>& tasks);
  Result<profile::PoolReport> run_source(const std::vector<profile::Task>& tasks,
                                         const std::string& worker, const std::atomic<bool>* stop,
                                         const profile::OnDone& on_done);
  void take(const profile::Task& task, Measurement measurement);
  std::vector<profile::Task> take_back(Status status);

  const ProfileOptions& options_;
  const profile::Plan& plan_;
  profile::RunKey run_;
  const profile::GpuList& gpus_;
  Context& context_;
  const profile::Cache* cache_;  // none: old logs are read
  std::vector<std::optional<Measurement>> found_;
  size_t cached_ = 0;
  std::string cache_problem_;
  Measured measured_;
};

Result<> Job::from_logs() {
  std::vector<profile::LogRow> rows;
  for (const profile::PlannedKernel& kernel : plan_.kernels) {
    rows.push_back({kernel.task.kernel, kernel.stem + ".py"});
  }
  auto logs = profile::read_logs(rows, options_.log_dir);
  if (!logs) return tl::make_unexpected(logs.error());
  for (size_t i = 0; i < rows.size(); ++i) found_[i] = std::move(logs->measurements[i]);
  for (const std::string& note : logs->notes) context_.terminal.say(note + '\n');
  context_.terminal.say(
      fmt::format("{} logs read, {}\n", human_count(logs->files), human_bytes(logs->bytes)));
  return {};
}

Result<> Job::from_cache() {
  std::optional<profile::CacheIndex> index;
  if (options_.from_cache) {
    auto read = profile::CacheIndex::read(*cache_);
    if (!read) return tl::make_unexpected(read.error());
    index = std::move(*read);
  }
  profile::for_each_index(found_.size(), profile::kFileThreads, [&](size_t i) {
    if (found_[i]) return;
    const profile::PlannedKernel& kernel = plan_.kernels[i];
    auto found = index ? index->find(run_, kernel) : find_cached(*cache_, run_, kernel);
    if (found && is_usable(*found, options_.retry_failed)) found_[i] = std::move(found);
  });
  cached_ = static_cast<size_t>(
      std::count_if(found_.begin(), found_.end(), [](const auto& found) { return !!found; }));
  if (cache_->damaged() > 0) {
    context_.terminal.say(fmt::format("{} damaged entries of the cache were passed over\n",
                                      human_count(cache_->damaged())));
  }
  return {};
}

size_t Job::count_missing() const {
  size_t missing = 0;
  for (const profile::PlannedKernel& kernel : plan_.kernels) {
    missing += !found_[kernel.task.id] && kernel.blocked == Status::ok;
  }
  return missing;
}

// What is left, with a file for each kernel that only stands in a wrapper.
Result<std::vector<profile::Task>> Job::tasks() {
  std::vector<profile::Task> tasks;
  for (const profile::PlannedKernel& kernel : plan_.kernels) {
    if (found_[kernel.task.id] || kernel.blocked != Status::ok) continue;
    profile::Task task = kernel.task;
    if (task.path.empty()) {
      auto path = cache_->put_source(task.source_hash, kernel.source);
      if (!path) return tl::make_unexpected(path.error());
      task.path = std::move(*path);
    }
    std::error_code error;
    task.path = fs::absolute(task.path, error).string();
    tasks.push_back(std::move(task));
  }
  return tasks;
}

void Job::take(const profile::Task& task, Measurement measurement) {
  fill_circumstances(measurement, run_);
  const profile::CacheKey key =
      cache_key(run_, plan_.kernels[task.id], key_device(run_, measurement));
  const Result<> put = cache_->put(key, measurement);
  if (!put && cache_problem_.empty()) {
    cache_problem_ = put.error().message;
    context_.terminal.end_progress();
    context_.terminal.say_error(fmt::format(
        "{}; measuring goes on, but what is not in the cache is lost if this run is killed",
        cache_problem_));
  }
  found_[task.id] = std::move(measurement);
}

// With the workers of all GPUs, or with ncu on the first.
Result<profile::PoolReport> Job::run_source(const std::vector<profile::Task>& tasks,
                                            const std::string& worker,
                                            const std::atomic<bool>* stop,
                                            const profile::OnDone& on_done) {
  if (run_.source == "ncu") {
    profile::NcuOptions ncu;
    ncu.python = options_.python;
    ncu.worker = worker;
    ncu.gpu = gpus_.gpus.front().uuid;
    ncu.stop = stop;
    return run_ncu(tasks, run_.policy, ncu, on_done);
  }
  profile::PoolOptions pool;
  pool.python = options_.python;
  pool.worker = worker;
  pool.backend = run_.source;
  pool.collector = run_.source == "cupti" ? find_collector() : "";
  for (const profile::Gpu& gpu : gpus_.gpus) pool.gpus.push_back(gpu.uuid);
  pool.workers_per_gpu = options_.workers > 0 ? options_.workers : kMostWorkers;
  pool.add_after_s = options_.workers > 0 ? 0 : kAddWorkersAfter_s;
  pool.stop = stop;
  if (run_.source == "cupti" && pool.collector.empty()) {
    return fail(ErrorKind::unsupported,
                fmt::format("{} is not beside this program; --source time works without it",
                            kCollectorFile));
  }
  return run_pool(tasks, run_.policy, pool, on_done);
}

Result<> Job::run_tasks(const std::vector<profile::Task>& tasks) {
  const Result<profile::WorkerFiles> files = profile::WorkerFiles::write();
  if (!files) return tl::make_unexpected(files.error());
  const Interrupts interrupts;
  ProfileProgress progress(context_.terminal, tasks.size(), cached_);
  const auto report = run_source(tasks, files->worker(), interrupts.flag(),
                                 [&](const profile::Task& task, Measurement measurement) {
                                   progress.done(measurement);
                                   take(task, std::move(measurement));
                                 });
  context_.terminal.end_progress();
  if (!report) return tl::make_unexpected(report.error());
  for (const std::string& problem : report->problems) context_.terminal.say(problem + '\n');
  measured_.interrupted = interrupts.flag()->load();
  return {};
}

// Those that ended with this status, as not measured again.
std::vector<profile::Task> Job::take_back(Status status) {
  std::vector<profile::Task> back;
  for (const profile::PlannedKernel& kernel : plan_.kernels) {
    std::optional<Measurement>& found = found_[kernel.task.id];
    if (found && found->status == status) {
      found.reset();
      back.push_back(kernel.task);
    }
  }
  return back;
}

Result<> Job::from_gpus() {
  auto left = tasks();
  if (!left) return tl::make_unexpected(left.error());
  if (left->empty()) return {};
  if (gpus_.gpus.empty()) {
    for (const profile::Task& task : *left) {
      found_[task.id] = with_status(Status::no_device, gpus_.problem);
    }
    return {};
  }
  if (Result<> done = run_tasks(*left); !done || measured_.interrupted) return done;
  // Better a time than nothing, where the user did not insist.
  if (options_.source != "auto" || take_back(Status::no_permission).empty()) return {};
  run_.source = "time";
  context_.terminal.say("Counters are not permitted: durations only, no bytes.\n");
  if (Result<> cached = from_cache(); !cached) return cached;
  left = tasks();
  return left && !left->empty() ? run_tasks(*left) : Result<>();
}

void Job::dry_run() const {
  // From the H200: start of Python and torch, then 0.05 s a kernel, 5 ms for each further pass.
  constexpr double kStart = 12, kEach = 0.05;
  const size_t missing = count_missing();
  const double passes = run_.policy.metrics.name == "basic" ? 1 : 9;
  const double each = kEach + 0.005 * (passes - 1);
  const auto gpus = static_cast<double>(std::max<size_t>(gpus_.gpus.size(), 1));
  for (const profile::PlannedKernel& kernel : plan_.kernels) {
    if (found_[kernel.task.id]) continue;
    const bool runs = kernel.blocked == Status::ok;
    context_.terminal.print(fmt::format("{}\t{}\t{}\n", runs ? "would run" : "cannot run",
                                        kernel.task.kernel,
                                        runs ? kernel.task.path : kernel.reason));
  }
  const double seconds = missing ? kStart + each * static_cast<double>(missing) / gpus : 0;
  context_.terminal.say(
      fmt::format("{} to run on {} GPU{}, {} cached; about {} if no kernel has to "
                  "be compiled\n",
                  human_count(missing), gpus_.gpus.size(), gpus_.gpus.size() == 1 ? "" : "s",
                  human_count(cached_), human_duration(seconds)));
}

Measured Job::finish() {
  measured_.cached = cached_;
  for (const profile::PlannedKernel& kernel : plan_.kernels) {
    std::optional<Measurement>& found = found_[kernel.task.id];
    if (!found && kernel.blocked != Status::ok) {
      found = with_status(kernel.blocked, kernel.reason);
    } else if (!found) {
      found = with_status(Status::not_run, measured_.interrupted ? "interrupted"
                                           : options_.dry_run    ? "--dry-run"
                                                                 : "not in the cache");
    }
    measured_.kernels.push_back(std::move(*found));
  }
  return std::move(measured_);
}

}  // namespace

Result<ProfileInput> read_profile_input(const ProfileOptions& options, Terminal& terminal) {
  return options.csv.empty() ? read_scan(options, terminal) : read_table(options, terminal);
}

Result<Measured> measure(const ProfileOptions& options, const profile::Plan& plan,
                         const profile::RunKey& run, const profile::GpuList& gpus,
                         Context& context) {
  if (run.source == "logs") {
    Job job(options, plan, run, gpus, context, nullptr);
    if (Result<> read = job.from_logs(); !read) return tl::make_unexpected(read.error());
    return job.finish();
  }
  const Result<profile::Cache> cache = open_measurements(context);
  if (!cache) return tl::make_unexpected(cache.error());
  Job job(options, plan, run, gpus, context, &*cache);
  if (!options.refresh) {
    if (Result<> read = job.from_cache(); !read) return tl::make_unexpected(read.error());
  }
  if (options.dry_run) {
    job.dry_run();
  } else if (!options.from_cache) {
    if (Result<> done = job.from_gpus(); !done) return tl::make_unexpected(done.error());
  }
  return job.finish();
}

}  // namespace ks::cli
