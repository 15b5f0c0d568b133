#include "profile/log_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profile/ncu_names.h"

namespace ks::profile {
namespace {

// What a log may hold of a launch without having measured it.
constexpr std::string_view kNotMeasured[] = {
    "launch__", "profiler__", "numa__", "nvlink__", "c2clink__", "sm__maximum_", "smsp__maximum_"};

bool has_values(const NcuKernel& kernel) {
  return std::ranges::any_of(kernel.metrics, [](const auto& metric) {
    return std::ranges::none_of(kNotMeasured, [&](std::string_view prefix) {
      return std::string_view(metric.first).starts_with(prefix);
    });
  });
}

// Reports have all digits; details pages two decimals of scaled units.
int exactness(const std::string& form) {
  if (form == "ncu-rep") return 4;
  if (form == "csv raw") return 3;
  return form == "csv details" ? 2 : 1;
}

int rank(const Measurement& m, bool by_stem, const NcuLog& log) {
  return (m.status == Status::ok ? 16 : 0) + (by_stem ? 8 : 0) + exactness(log.form);
}

Measurement failed(Status status, std::string reason) {
  Measurement m;
  m.status = status;
  m.reason = std::move(reason);
  m.circumstances.source = "log";
  return m;
}

Measurement measured(const NcuKernel& kernel) {
  if (!has_values(kernel)) return failed(Status::bad_log, "the log holds no measured value");
  Measurement m;
  m.status = Status::ok;
  m.metrics = kernel.metrics;
  m.passes = kernel.passes;
  m.launch = kernel.launch;
  m.circumstances = kernel.circumstances;
  return m;
}

// The last launch that was measured: with autotuning the winner runs last.
const NcuKernel& last_measured(const std::vector<const NcuKernel*>& launches) {
  const auto found = std::ranges::find_if(launches.rbegin(), launches.rend(),
                                          [](const NcuKernel* k) { return has_values(*k); });
  return found == launches.rend() ? *launches.back() : **found;
}

std::string names_in(const NcuLog& log) {
  std::vector<std::string> names;
  for (const NcuKernel& kernel : log.kernels) {
    if (std::ranges::find(names, kernel.launch.kernel) != names.end()) continue;
    if (names.size() == 3) {
      names.emplace_back("...");
      break;
    }
    names.push_back(kernel.launch.kernel);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool one_kernel(const NcuLog& log) {
  return std::ranges::all_of(log.kernels, [&](const NcuKernel& kernel) {
    return kernel.launch.kernel == log.kernels[0].launch.kernel;
  });
}

bool same_size(const std::vector<const NcuKernel*>& launches) {
  return std::ranges::all_of(launches, [&](const NcuKernel* kernel) {
    return kernel->launch.grid == launches[0]->launch.grid &&
           kernel->launch.block == launches[0]->launch.block;
  });
}

// float(ms) * 1000, as the script.
void add_latency(Measurement& m, const NcuLog& log) {
  if (log.harness_ms.empty()) return;
  const double ms = log.harness_ms.front();
  if (!std::isfinite(ms)) {
    m.notes.push_back(fmt::format("the harness printed a latency of {}", ms));
    return;
  }
  m.latency_us = ms * 1000;
  m.latency_source = "harness";
  if (log.harness_ms.size() > 1) {
    m.notes.push_back(
        fmt::format("{} harness lines in the log: the first was taken", log.harness_ms.size()));
  }
}

void note_several(Measurement& m, size_t launches) {
  if (launches > 1) {
    m.notes.push_back(fmt::format("{} launches in the log: the last was taken", launches));
  }
}

Measurement nothing_found(const LogRow& row, const NcuLog& log) {
  if (log.failure) return failed(*log.failure, log.failure_text);
  if (log.kernels.empty()) {
    return failed(Status::bad_log, log.notes.empty() ? "no report in the log" : log.notes[0]);
  }
  return failed(Status::bad_log, fmt::format("the log is of {}, not of {}", names_in(log),
                                             row.kernel.empty() ? "one kernel" : row.kernel));
}

}  // namespace

std::string file_stem(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.find('.')));
}

bool is_inductor_stem(std::string_view stem) {
  return stem.size() == 52 && stem[0] == 'c' && std::ranges::all_of(stem, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7');
         });
}

LogMatcher::LogMatcher(const std::vector<LogRow>& rows) : rows_(rows), best_(rows.size()) {
  for (size_t i = 0; i < rows.size(); ++i) {
    stems_.push_back(file_stem(rows[i].path));
    if (!stems_[i].empty()) by_stem_[stems_[i]].push_back(i);
    if (!rows[i].kernel.empty()) by_name_[rows[i].kernel].push_back(i);
  }
}

void LogMatcher::keep(size_t row, int rank, Measurement measurement) {
  Offer& best = best_[row];
  const bool better = rank > best.rank;
  if (better) std::swap(best.measurement, measurement);
  best.rank = std::max(best.rank, rank);
  // A report knows more digits, but only the console's log knows the harness's latency.
  if (best.measurement.status == Status::ok && !best.measurement.latency_us &&
      measurement.latency_us) {
    best.measurement.latency_us = measurement.latency_us;
    best.measurement.latency_source = measurement.latency_source;
  }
}

void LogMatcher::offer(const std::string& stem, const NcuLog& log) {
  if (const auto rows = by_stem_.find(stem); rows != by_stem_.end()) {
    for (const size_t row : rows->second) offer_by_stem(row, log);
  }
  offer_by_name(stem, log);
}

void LogMatcher::offer_by_stem(size_t row, const NcuLog& log) {
  const std::string& wanted = rows_[row].kernel;
  const bool take_any = wanted.empty() && !log.kernels.empty() && one_kernel(log);
  Launches launches;
  for (const NcuKernel& kernel : log.kernels) {
    const std::string& name = kernel.launch.kernel;
    if (take_any || name.empty() || same_kernel(wanted, name)) launches.push_back(&kernel);
  }
  Measurement m =
      launches.empty() ? nothing_found(rows_[row], log) : measured(last_measured(launches));
  if (!launches.empty()) {
    add_latency(m, log);
    note_several(m, launches.size());
    m.notes.insert(m.notes.end(), log.notes.begin(), log.notes.end());
    if (log.failure) m.notes.push_back(log.failure_text);
  }
  keep(row, rank(m, true, log), std::move(m));
}

void LogMatcher::offer_by_name(const std::string& stem, const NcuLog& log) {
  std::map<std::string_view, Launches> names;  // of rows that the file is not named after
  for (const NcuKernel& kernel : log.kernels) {
    std::string_view name = bare_kernel_name(kernel.launch.kernel);
    if (!by_name_.contains(name)) name = without_signature(name);
    names[name].push_back(&kernel);
  }
  const auto own = by_stem_.find(stem);
  for (const auto& [name, launches] : names) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) continue;
    const auto is_own = [&](size_t row) { return rows_[row].kernel == name; };
    if (own != by_stem_.end() && std::ranges::any_of(own->second, is_own)) continue;
    std::vector<size_t> rows = found->second;
    // A log that is named after another kernel file is of that file, whatever its kernel's name.
    if (is_inductor_stem(stem)) {
      std::erase_if(rows, [&](size_t row) { return !stems_[row].empty(); });
    }
    if (!rows.empty()) offer_name(rows, launches, log);
  }
}

void LogMatcher::offer_name(const std::vector<size_t>& rows, const Launches& launches,
                            const NcuLog& log) {
  std::map<std::string_view, size_t> places;  // of kernel files, in the order of the rows
  for (const size_t row : rows) places.try_emplace(rows_[row].path, places.size());
  const size_t files = places.size();
  for (const size_t row : rows) {
    Measurement m;
    if (files > 1 && files == launches.size()) {
      m = measured(*launches[places[rows_[row].path]]);
      m.notes.push_back(
          fmt::format("{} kernels have this name: matched to the log's in order", files));
    } else if (files > 1) {
      m = failed(Status::bad_log,
                 fmt::format("{} kernels have this name and the log has {} launches"
                             " of it: whose they are is not known",
                             files, launches.size()));
    } else if (!same_size(launches)) {
      m = failed(Status::bad_log, fmt::format("{} launches of this name and of different sizes:"
                                              " which is this kernel's is not known",
                                              launches.size()));
    } else {
      m = measured(last_measured(launches));
      note_several(m, launches.size());
      if (one_kernel(log)) add_latency(m, log);
    }
    keep(row, rank(m, false, log), std::move(m));
  }
}

std::vector<Measurement> LogMatcher::finish() {
  std::vector<Measurement> out;
  for (Offer& offer : best_) {
    if (offer.rank == 0) offer.measurement = failed(Status::no_log, "");
    out.push_back(std::move(offer.measurement));
  }
  return out;
}

}  // namespace ks::profile
