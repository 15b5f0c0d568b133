#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "report/words.h"

namespace ks::report {
namespace {

using run::LaunchKind;
using run::Run;

struct Counts {
  uint64_t launched = 0, candidates = 0, never = 0, stand_ins = 0, cold = 0, cached = 0;
  std::array<uint64_t, run::kLaunchKinds> launches{};
  std::array<uint64_t, 4> attributed{};  // by run::Attribution
};

Counts count(const Run& run) {
  Counts c;
  for (const run::Kernel& kernel : run.kernels) {
    for (size_t kind = 0; kind < run::kLaunchKinds; ++kind)
      c.launches[kind] += kernel.launches[kind];
    if (!kernel.compilation_seen) ++c.stand_ins;
    const auto benchmark = kernel.launches[static_cast<size_t>(LaunchKind::benchmark)];
    ++(kernel.user_launches() ? c.launched : benchmark ? c.candidates : c.never);
  }
  for (const run::Compilation& compilation : run.compilations) {
    ++(compilation.cache_hit.value_or(false) ? c.cached : c.cold);
  }
  for (const run::LaunchGroup& group : run.groups) {
    for (const uint64_t n : group.launches)
      c.attributed[static_cast<size_t>(group.attribution)] += n;
  }
  return c;
}

std::string inputs(const Run& run) {
  uint64_t bytes = 0;
  std::set<int> ranks;
  for (const run::File& file : run.files) bytes += file.bytes;
  for (const run::Process& process : run.processes) {
    if (process.rank) ranks.insert(*process.rank);
  }
  std::string text =
      fmt::format("{}, {} decoded, {}", plural(run.files.size(), "file"), human_bytes(bytes),
                  plural(run.processes.size(), "process", "processes"));
  return ranks.empty() ? text : text + ", " + plural(ranks.size(), "rank");
}

std::string kernels(const Run& run, const Counts& c) {
  std::vector<std::string> parts;
  if (c.launched)
    parts.push_back(fmt::format("{} launched by the program", human_count(c.launched)));
  if (c.candidates) parts.push_back(plural(c.candidates, "autotune candidate") + " not chosen");
  if (c.never) parts.push_back(human_count(c.never) + " not launched");
  std::string text = human_count(run.kernels.size());
  return parts.empty() ? text : text + ": " + join(parts, ", ");
}

std::string compilations(const Run& run, const Counts& c) {
  std::string text = human_count(run.compilations.size());
  if (c.cached)
    text += fmt::format(": {} cold, {} from cache", human_count(c.cold), human_count(c.cached));
  return text;
}

std::string launches(const Run& run, const Counts& c) {
  std::vector<std::string> others;
  constexpr std::pair<LaunchKind, const char*> kOthers[] = {
      {LaunchKind::benchmark, "benchmark"},
      {LaunchKind::warm_up, "warm-up"},
      {LaunchKind::graph_capture, "graph capture"}};
  for (const auto& [kind, name] : kOthers) {
    const uint64_t n = c.launches[static_cast<size_t>(kind)];
    if (n) others.push_back(human_count(n) + " " + name);
  }
  const uint64_t user = c.launches[0] + c.launches[1];
  std::string text =
      fmt::format("{}: {} by the program", human_count(run.launches), human_count(user));
  return others.empty() ? text : text + ", " + join(others, ", ");
}

std::string attribution(const Counts& c) {
  std::vector<std::string> parts;
  const auto add = [&](run::Attribution how, const char* words) {
    if (const uint64_t n = c.attributed[static_cast<size_t>(how)])
      parts.push_back(human_count(n) + " " + words);
  };
  add(run::Attribution::exact, "exact");
  add(run::Attribution::handle_order, "by handle order");
  add(run::Attribution::none, "unclear: kept as a variant of their own");
  if (parts.empty()) return "";
  return "launches without a hash: " + join(parts, ", ");
}

std::string source_maps(const Run& run) {
  std::map<ir::Stage, std::pair<uint64_t, uint64_t>> stages;  // mapped, all code lines
  for (const run::Kernel& kernel : run.kernels) {
    for (const run::ArtifactInfo& artifact : kernel.artifacts) {
      const ir::Coverage& c = artifact.coverage;
      auto& [mapped, code] = stages[artifact.stage];
      mapped += c.mapped;
      code += c.mapped + c.unmapped + c.unknown_location;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [stage, lines] : stages) {
    if (lines.second == 0) continue;
    parts.push_back(fmt::format("{} {} %", ir::to_string(stage), lines.first * 100 / lines.second));
  }
  return parts.empty() ? "" : join(parts, ", ") + " of code lines mapped";
}

std::string row(std::string_view title, const std::string& text, const Style& style) {
  return text.empty() ? "" : "  " + dim(fmt::format("{:<13}", title), style) + text + '\n';
}

}  // namespace

std::string run_summary(const Run& run, const Style& style) {
  const Counts c = count(run);
  std::string out = row("input", inputs(run), style) + row("kernels", kernels(run, c), style);
  out += row("compilations", compilations(run, c), style);
  out += row("launches", launches(run, c), style) + row("attribution", attribution(c), style);
  if (c.stand_ins) {
    out += row("stand-ins", plural(c.stand_ins, "kernel") + " known only by launches", style);
  }
  return out + row("source maps", source_maps(run), style);
}

std::string diagnostics_text(const Diagnostics& diagnostics, const Style& style) {
  constexpr std::pair<Severity, const char*> kGroups[] = {
      {Severity::error, "Failed"}, {Severity::data_loss, "Lost"}, {Severity::info, "Noted"}};
  constexpr size_t kSamplesShown = 3;
  std::string out;
  for (const auto& [severity, title] : kGroups) {
    if (diagnostics.count(severity) == 0) continue;
    out += bold(title, style) + '\n';
    for (size_t i = 0; i < kDiagCount; ++i) {
      const DiagInfo& about = info(static_cast<Diag>(i));
      const Diagnostics::Entry& entry = diagnostics[static_cast<Diag>(i)];
      if (about.severity != severity || entry.count == 0) continue;
      out += fmt::format("  {:>7}  {}: {}\n", human_count(entry.count), about.name, about.text);
      const size_t shown =
          severity == Severity::info ? 0 : std::min(kSamplesShown, entry.samples.size());
      for (size_t s = 0; s < shown; ++s) {
        out += "           " +
               dim(shorten_middle(printable(entry.samples[s]),
                                  style.width > 20 ? style.width - 11 : 200),
                   style) +
               '\n';
      }
    }
  }
  return out;
}

std::string timings_text(const Timing& t) {
  const auto row = [](std::string_view name, double seconds) {
    return fmt::format("  {:<10} {:>8.3f} s\n", name, seconds);
  };
  std::string out =
      fmt::format("Timings ({}; the phases run at the same time)\n", plural(t.threads, "thread"));
  out += row("read", t.read.read) + row("decode", t.read.decode) + row("analyse", t.read.analyse);
  out += row("prepare", t.read.prepare) + row("build", t.read.build) + row("tables", t.finish_s);
  out += row("wall", t.wall_s);
  const double rate = t.wall_s > 0 ? static_cast<double>(t.bytes) / 1e6 / t.wall_s : 0;
  return out + fmt::format("  {:<10} {:>8.1f} MB/s\n  {:<10} {:>8.1f} MB\n", "rate", rate,
                           "peak memory", static_cast<double>(t.peak_rss_bytes) / 1e6);
}

}  // namespace ks::report
