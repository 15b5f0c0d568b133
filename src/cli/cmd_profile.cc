#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "cli/command.h"
#include "cli/profile_job.h"
#include "cli/profile_output.h"
#include "cli/python_folders.h"
#include "profile/collector/collector.h"
#include "profile/ncu_driver.h"
#include "profile/summary.h"

namespace ks::cli {
namespace {

using profile::Status;

constexpr int kNothingMeasured = 1, kNoGpu = 3;

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

Result<> check(const ProfileOptions& options) {
  const auto wrong = [](std::string text) { return fail(ErrorKind::input, std::move(text)); };
  if (options.csv.empty() == options.inputs.empty()) {
    return wrong("give either -i CSV or kernel files, wrappers or folders");
  }
  if (options.source == "logs" && options.log_dir.empty()) {
    return wrong("--source logs: give --log-dir DIR");
  }
  if (!options.log_dir.empty() && options.source != "logs" && options.source != "auto") {
    return wrong("--log-dir goes with --source logs");
  }
  if (options.clock_control == "base" && options.source != "ncu") {
    return wrong("--clock-control base: only ncu locks clocks; the clock that ran is recorded");
  }
  if (options.from_cache && options.refresh)
    return wrong("--from-cache and --refresh exclude each other");
  return check_outputs(options);
}

profile::GpuList gpus_for(const ProfileOptions& options) {
  if (options.source == "fake") {
    profile::GpuList list;
    const std::string names = options.gpus.empty() ? "0" : options.gpus;
    for (const std::string_view part : split(names, ',')) {
      list.gpus.push_back({std::string(part), "Fake GPU", "9.0"});
    }
    return list;
  }
  return choose_gpus(profile::find_gpus(), options.gpus,
                     environment("CUDA_VISIBLE_DEVICES").value_or(""));
}

Result<profile::Selection> selection_of(const ProfileOptions& options, Terminal& terminal) {
  profile::Selection selection{options.kernel_glob, options.category, options.limit, {}};
  if (options.shard.empty()) return selection;
  auto shard = profile::read_shard(options.shard, environment);
  if (!shard) return tl::make_unexpected(shard.error());
  terminal.say(fmt::format("Part {} of {} (by {})\n", shard->index, shard->count, shard->origin));
  selection.shard = *shard;
  return selection;
}

Result<profile::RunKey> run_key(const ProfileOptions& options, const profile::GpuList& gpus) {
  profile::RunKey run;
  const std::string chip = gpus.gpus.empty() ? "" : profile::chip_of(gpus.gpus[0].capability);
  auto metrics = profile::metric_set(options.metrics, chip);
  if (!metrics) return tl::make_unexpected(metrics.error());
  run.policy = {*metrics, options.cache_control, options.clock_control, options.latency,
                options.timeout_s};
  run.metrics_key = metric_set_key(*metrics);
  for (const profile::Gpu& gpu : gpus.gpus) {
    if (std::find(run.devices.begin(), run.devices.end(), gpu.name) == run.devices.end()) {
      run.devices.push_back(gpu.name);
    }
  }
  run.driver = gpus.driver;
  // Without a GPU this may be another machine's Python: --from-cache then takes any version.
  if (!gpus.gpus.empty()) run.versions = profile::find_versions(python_folders(options.python));
  run.source = options.source == "auto" ? "cupti" : options.source;
  if (options.source == "auto" && options.from_cache) run.source = "";
  run.tool = "collector " KS_COLLECTOR_VERSION;
  if (run.source == "ncu" && !gpus.gpus.empty() && !options.from_cache) {
    const auto version = profile::ncu_version("ncu");
    if (!version) return tl::make_unexpected(version.error());
    run.tool = "ncu " + *version;
  }
  return run;
}

std::vector<profile::RowResult> results_of(const ProfileInput& input, const profile::Plan& plan,
                                           const Measured& measured,
                                           std::vector<profile::Measurement>& left_out) {
  left_out.assign(input.rows.size(), {});
  std::vector<profile::RowResult> results;
  for (size_t r = 0; r < input.rows.size(); ++r) {
    const size_t kernel = plan.kernel_of_row[r];
    if (kernel == profile::Plan::kNone) left_out[r].reason = plan.left_out_by[r];
    const profile::Measurement* measurement =
        kernel == profile::Plan::kNone ? &left_out[r] : &measured.kernels[kernel];
    results.push_back({&input.rows[r], measurement, derive(*measurement, input.rows[r].needs)});
  }
  return results;
}

void say_plan(const profile::Plan& plan, const profile::RunKey& run, const profile::GpuList& gpus,
              Terminal& terminal) {
  std::string with = run.source.empty() ? "any source" : run.source;
  for (const std::string& device : run.devices) with += ", " + device;
  if (gpus.gpus.size() > 1) with += fmt::format(" ({} GPUs)", gpus.gpus.size());
  const auto counted = [](size_t n, const char* what) {
    return fmt::format("{} {}{}", human_count(n), what, n == 1 ? "" : "s");
  };
  const std::string left_out =
      plan.rows_left_out ? fmt::format(" ({} left out)", counted(plan.rows_left_out, "row")) : "";
  terminal.say(fmt::format("{}, {}{}; {}\n", counted(plan.kernel_of_row.size(), "row"),
                           counted(plan.kernels.size(), "kernel"), left_out, with));
}

size_t count(const Measured& measured, Status status) {
  return static_cast<size_t>(
      std::count_if(measured.kernels.begin(), measured.kernels.end(),
                    [&](const profile::Measurement& m) { return m.status == status; }));
}

int verdict(const ProfileOptions& options, const Measured& measured, Terminal& terminal) {
  if (count(measured, Status::no_permission) > 0) {
    terminal.say(profile::permission_help());
    return kNoGpu;
  }
  if (count(measured, Status::no_device) > 0) {
    terminal.say_error(
        "there is no GPU to measure on. --log-dir DIR reads what ncu wrote elsewhere; --from-cache "
        "writes the table from a cache that a machine with a GPU has filled");
    return kNoGpu;
  }
  if (options.dry_run || measured.kernels.empty()) return 0;
  return count(measured, Status::ok) == 0 ? kNothingMeasured : 0;
}

Result<int> run(const ProfileOptions& options, Context& context) {
  Terminal& terminal = context.terminal;
  if (Result<> checked = check(options); !checked) return tl::make_unexpected(checked.error());
  const auto selection = selection_of(options, terminal);
  if (!selection) return tl::make_unexpected(selection.error());
  const bool logs = !options.log_dir.empty();
  const profile::GpuList gpus = logs ? profile::GpuList() : gpus_for(options);
  Result<profile::RunKey> key = run_key(options, gpus);
  if (!key) return tl::make_unexpected(key.error());
  if (logs) key->source = "logs";
  if (!gpus.problem.empty() && !options.from_cache) terminal.say(gpus.problem + '\n');

  const Result<ProfileInput> input = read_profile_input(options, terminal);
  if (!input) return tl::make_unexpected(input.error());
  const profile::Plan plan = make_plan(input->rows, *selection);
  say_plan(plan, *key, gpus, terminal);
  const Result<Measured> measured = measure(options, plan, *key, gpus, context);
  if (!measured) return tl::make_unexpected(measured.error());
  if (options.dry_run) return 0;
  if (measured->cached > 0) {
    terminal.say(fmt::format("{} of them from the cache\n", human_count(measured->cached)));
  }

  std::vector<profile::Measurement> left_out;
  const auto results = results_of(*input, plan, *measured, left_out);
  const profile::ResultTable table = make_result_table(input->table, results);
  for (const std::string& note : table.notes) terminal.say(note + '\n');
  if (Result<> written = write_outputs(options, table, terminal); !written) {
    return tl::make_unexpected(written.error());
  }
  std::vector<profile::RowResult> selected;
  for (size_t r = 0; r < results.size(); ++r) {
    if (plan.kernel_of_row[r] != profile::Plan::kNone) selected.push_back(results[r]);
  }
  terminal.say(summary_text(summarise(selected), terminal.err_style().width));
  if (measured->interrupted) {
    return fail(ErrorKind::interrupted, "interrupted; the same command goes on from here");
  }
  return verdict(options, *measured, terminal);
}

void add_input_options(CLI::App& command, ProfileOptions& options) {
  command.add_option("IN", options.inputs, "Inductor cache folders, wrappers or kernel files");
  command.add_option("-i,--input", options.csv, "kernel_metadata CSV, of any version");
  command.add_option("--kernel-root", options.kernel_root,
                     "Folder where kernel files are looked for by name before kernel_path");
  command
      .add_option("-o,--out", options.outputs,
                  "File to write: .csv, .json, .parquet or .duckdb; may be repeated")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--into", options.into, "Run folder to put counters.duckdb into")
      ->type_name("RUN");
  command.add_flag("--json", options.json, "The table as JSON on stdout");
  command.add_flag("--overwrite", options.overwrite, "Replace files of -o that exist");
}

void add_measure_options(CLI::App& command, ProfileOptions& options) {
  const std::string group = "Measuring";
  command.add_option("--source", options.source, "auto, cupti, ncu, logs or time")
      ->check(CLI::IsMember({"auto", "cupti", "ncu", "logs", "time", "fake"}).description(""))
      ->group(group);
  command
      .add_option("--log-dir", options.log_dir, "Logs of ncu, in any form, found by kernel file")
      ->type_name("DIR")
      ->group(group);
  command.add_option("--metrics", options.metrics, "basic, flops, sol, or names of metrics: a,b")
      ->group(group);
  command.add_option("--cache-control", options.cache_control, "all: L2 cold and clean; none")
      ->check(CLI::IsMember({"all", "none"}).description(""))
      ->group(group);
  command.add_option("--clock-control", options.clock_control, "none; base only with ncu")
      ->check(CLI::IsMember({"none", "base"}).description(""))
      ->group(group);
  command.add_flag("--latency", options.latency, "Also a median of event-timed launches")
      ->group(group);
  command.add_option("--timeout", options.timeout_s, "Seconds for one kernel")
      ->check(CLI::Range(0.1, 86400.0).description(""))
      ->capture_default_str()
      ->group(group);
  command.add_option("--python", options.python, "Interpreter that has torch and Triton")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--workers", options.workers,
                  "Python processes for each GPU; default: one, and up to 4 while kernels have to "
                  "be compiled")
      ->check(CLI::Range(1, 64).description(""))
      ->group(group);
  command.add_option("--gpus", options.gpus, "Numbers or UUIDs: 0,2; default: all")->group(group);
}

void add_choice_options(CLI::App& command, ProfileOptions& options) {
  const std::string group = "Which, and the cache";
  command.add_option("--kernel", options.kernel_glob, "Only kernels whose name fits")
      ->type_name("GLOB")
      ->group(group);
  command.add_option("--category", options.category, "Only this kernel_category")->group(group);
  command.add_option("--limit", options.limit, "At most so many kernels")->group(group);
  command
      .add_option("--shard", options.shard,
                  "Part of the kernels: I/N from 0/N on, or auto: as Slurm numbers this task")
      ->group(group);
  command.add_flag("--from-cache", options.from_cache, "Measure nothing, write what is known")
      ->group(group);
  command.add_flag("--refresh", options.refresh, "Measure all anew")->group(group);
  command.add_flag("--retry-failed", options.retry_failed, "Measure anew what failed")
      ->group(group);
  command.add_flag("--dry-run", options.dry_run, "Say what would run, and for how long")
      ->group(group);
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = add_command<ProfileOptions>(
      app, context, "profile", "Hardware counters of Inductor kernels",
      "  kernelscope profile -i kernel_metadata.csv -o counters.csv\n"
      "  kernelscope profile /tmp/torchinductor_me -o counters.csv -o counters.parquet\n"
      "  kernelscope profile -i kernel_metadata.csv --log-dir ./ncu-logs -o counters.csv\n"
      "  srun -n 8 kernelscope profile -i m.csv --shard auto --cache /shared/cache > /dev/null",
      options, run);
  add_input_options(*command, *options);
  add_measure_options(*command, *options);
  add_choice_options(*command, *options);
}

}  // namespace ks::cli
