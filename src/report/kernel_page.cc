#include "report/kernel_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/autotune_text.h"
#include "report/diff_text.h"
#include "report/kernel_names.h"
#include "report/table.h"
#include "report/words.h"

namespace ks::report {
namespace {

using store::KernelDetails;
using store::KernelRow;

std::string line(std::string_view title, const std::vector<std::string>& parts,
                 const Style& style) {
  std::vector<std::string> shown;
  for (const std::string& part : parts) {
    if (!part.empty()) shown.push_back(printable(part));
  }
  if (shown.empty()) return "";
  return "  " + dim(fmt::format("{:<13}", title), style) + join(shown, ", ") + '\n';
}

std::string named(std::string_view name, std::optional<int64_t> value) {
  return value ? fmt::format("{} {}", name, number(value)) : "";
}

std::string counted(std::optional<int64_t> value, std::string_view unit) {
  return value ? fmt::format("{} {}", number(value), unit) : "";
}

std::string target(const KernelRow& k) {
  if (k.backend.empty()) return "";
  return k.arch.empty() ? k.backend : k.backend + " " + k.arch;
}

std::vector<std::string> launch_parts(const KernelRow& k) {
  std::vector<std::string> parts = {plural(k.user_launches, "user launch", "user launches")};
  if (k.winner_launches)
    parts[0] +=
        fmt::format(" ({} of them as the autotuner's choice)", human_count(k.winner_launches));
  if (k.benchmark_launches) parts.push_back(human_count(k.benchmark_launches) + " benchmark");
  if (k.warm_up_launches) parts.push_back(human_count(k.warm_up_launches) + " warm-up");
  if (k.captured_launches) parts.push_back(human_count(k.captured_launches) + " graph capture");
  if (!k.attribution.empty() && k.attribution != "hash")
    parts.push_back(k.attribution == "none" ? "kernel not known" : "found by: " + k.attribution);
  if (k.status.starts_with("autotune")) parts.push_back(k.status);
  return parts;
}

std::vector<std::string> compile_parts(const KernelRow& k) {
  if (!k.compilation_seen) return {"not seen in the trace: known by its launches only"};
  std::vector<std::string> parts;
  if (k.cold_compilations) {
    parts.push_back(fmt::format("{} cold{}", human_count(k.cold_compilations),
                                k.cold_us ? " (" + milliseconds(k.cold_us) + " ms)" : ""));
  }
  if (k.cached_compilations) {
    parts.push_back(fmt::format("{} from cache{}", human_count(k.cached_compilations),
                                k.cached_us ? " (" + milliseconds(k.cached_us) + " ms)" : ""));
  }
  return parts;
}

// Of the first compilation that was not from a cache.
std::vector<std::string> stage_times(const KernelDetails& details) {
  for (const store::CompilationRow& row : details.compilations) {
    if (row.cache_hit.value_or(false) || row.stages.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& [stage, us] : row.stages) parts.push_back(stage + " " + milliseconds(us));
    parts.back() += " ms";
    return parts;
  }
  return {};
}

std::vector<std::string> cost_parts(const KernelRow& k) {
  const std::string bound = k.cost_is_lower_bound ? "at least " : "";
  std::vector<std::string> parts;
  if (k.load_bytes)
    parts.push_back(bound + human_bytes(static_cast<uint64_t>(*k.load_bytes)) + " loaded");
  if (k.store_bytes)
    parts.push_back(bound + human_bytes(static_cast<uint64_t>(*k.store_bytes)) + " stored");
  if (k.flops) parts.push_back(bound + number(k.flops) + " flops");
  return parts;
}

std::vector<std::string> loop_parts(const KernelDetails& details) {
  std::vector<std::string> parts;
  for (const store::LoopRow& loop : details.loops) {
    parts.push_back(fmt::format(
        "TTIR lines {}-{} ({})", loop.begin_line, loop.end_line,
        loop.trip_count ? number(loop.trip_count) + " times" : "trip count not constant"));
  }
  return parts;
}

std::vector<std::string> dot_parts(const KernelDetails& details) {
  std::vector<std::pair<std::string, int>> counts;  // in order of first sight
  for (const store::DotRow& dot : details.dots) {
    const std::string text = dot.shape + " " + dot.types + (dot.loop_depth ? " in a loop" : "");
    const auto found =
        std::find_if(counts.begin(), counts.end(), [&](auto& c) { return c.first == text; });
    found == counts.end() ? counts.emplace_back(text, 1).second : ++found->second;
  }
  std::vector<std::string> parts;
  for (const auto& [text, n] : counts)
    parts.push_back(n == 1 ? text : fmt::format("{} × {}", n, text));
  return parts;
}

// A kernel may have many: as many lines as they need.
std::string constants_line(const KernelRow& k, const KernelConstants& constants,
                           const Style& style) {
  const auto known = constants.find(k.id);
  if (known == constants.end() || known->second.empty()) return "";
  std::vector<std::string> words;
  for (const auto& [name, value] : known->second) {
    words.push_back(printable(fmt::format("{}={}", name, shorten_middle(value, 30))));
  }
  const std::string indent(15, ' ');
  const std::string text = wrapped(words, " ", style.width, indent);
  return "  " + dim(fmt::format("{:<13}", "constants"), style) + text.substr(indent.size());
}

std::string header(const KernelRow& k, const KernelDetails& details,
                   const KernelConstants& constants, const Style& style) {
  const std::string place = k.source_start_line
                                ? fmt::format("{}:{}", k.source_file, *k.source_start_line)
                                : k.source_file;
  std::string out = bold(printable(kernel_label(k)), style) + '\n';
  out += line("hash", {k.hash}, style) + line("source", {place}, style);
  out += line("target", {target(k), k.triton_version.empty() ? "" : "Triton " + k.triton_version},
              style);
  out += line("options",
              {named("num_warps", k.num_warps), named("num_stages", k.num_stages),
               named("num_ctas", k.num_ctas), named("maxnreg", k.maxnreg)},
              style);
  out += constants_line(k, constants, style);
  out +=
      line("resources",
           {counted(k.registers, "registers"), counted(k.scalar_registers, "scalar registers"),
            counted(k.spill_bytes, "B spilled"), counted(k.spilled_registers, "registers spilled"),
            counted(k.stack_bytes, "B stack"), counted(k.shared_bytes, "B shared memory")},
           style);
  out += line("launches", launch_parts(k), style) + line("compiled", compile_parts(k), style);
  out += line("cold stages", stage_times(details), style) + line("dots", dot_parts(details), style);
  out += line("loops", loop_parts(details), style) + line("one CTA", cost_parts(k), style);
  return out + line("", details.cost_notes, style);
}

std::string frame_text(const store::CompilationRow& row) {
  if (!row.frame) return "";
  return row.frame_compile ? fmt::format("{}/{}", *row.frame, *row.frame_compile)
                           : fmt::format("{}", *row.frame);
}

std::string compilations(const KernelDetails& details, const Style& style, bool all) {
  const size_t limit = all ? details.compilations.size() : 8;
  if (details.compilations.empty()) return "";
  Table table{{{"rank", Align::right, 0, 0, true},
               {"pid", Align::right, 2, 0, true},
               {"frame", Align::right, 0, 0, true},
               {"cache", Align::left, 0, 0, true},
               {"ms", Align::right, 0, 0, true},
               {"call site", Align::left, 0, 20, true}},
              {}};
  for (size_t i = 0; i < std::min(limit, details.compilations.size()); ++i) {
    const store::CompilationRow& row = details.compilations[i];
    table.add({row.rank ? fmt::format("{}", *row.rank) : "",
               row.pid ? fmt::format("{}", *row.pid) : "", frame_text(row),
               !row.cache_hit   ? ""
               : *row.cache_hit ? "hit"
                                : "cold",
               milliseconds(row.total_us), row.call_site});
  }
  std::string out =
      '\n' +
      bold(fmt::format("Compilations ({})", human_count(details.compilations.size())), style) +
      '\n';
  out += render(table, style, "  ");
  if (details.compilations.size() > limit) {
    out += fmt::format("  … {} more: --all\n", details.compilations.size() - limit);
  }
  return out;
}

std::string coverage(const KernelDetails& details, const Style& style) {
  if (details.artifacts.empty()) return "";
  Table table{{{"stage"},
               {"lines", Align::right, 0, 0, false},
               {"code", Align::right, 0, 0, true},
               {"mapped", Align::right, 0, 0, true},
               {"unmapped", Align::right, 0, 0, true},
               {"no location", Align::right, 0, 0, true},
               {"size", Align::right, 0, 0, true}},
              {}};
  for (const store::ArtifactRow& row : details.artifacts) {
    const uint64_t code = row.mapped + row.unmapped + row.unknown_location;
    if (code == 0) {
      table.add({row.stage, human_count(row.lines), "", "", "", "", human_bytes(row.bytes)});
      continue;
    }
    table.add({row.stage, human_count(row.lines), human_count(code),
               fmt::format("{} ({} %)", human_count(row.mapped), row.mapped * 100 / code),
               human_count(row.unmapped), human_count(row.unknown_location),
               human_bytes(row.bytes)});
  }
  return '\n' + bold("Stages and source map", style) + '\n' + render(table, style, "  ");
}

}  // namespace

std::string kernel_page(const KernelRow& kernel, const KernelDetails& details,
                        const store::KernelDiff& diff, const std::vector<KernelRow>& kernels,
                        const KernelConstants& constants, const Style& style, bool all) {
  std::string out = header(kernel, details, constants, style);
  if (kernel.user_launches > 0) out += '\n' + configurations_text(kernel, diff, style, all);
  return out + autotune_text(kernel, details, kernels, constants, style, all) +
         compilations(details, style, all) + coverage(details, style);
}

namespace {

// Arguments as they were passed first; sizes that follow from the shape are left out.
std::string varying_text(const store::LaunchItem& item) {
  std::vector<std::string> values, others;
  for (const auto& [field, json] : item.varying) {
    if (field.ends_with(".numel") || field.ends_with(".memory_usage")) continue;
    (field.ends_with(".value") ? values : others).push_back(short_field(field) + "=" + json);
  }
  values.insert(values.end(), others.begin(), others.end());
  return join(values, " ");
}

}  // namespace

std::string launches_text(const store::LaunchList& list, const Style& style) {
  if (list.launches.empty()) return "no user launches (--all shows those of other kinds)\n";
  Table table{{{"launch", Align::right, 0, 0, false},
               {"position", Align::right, 1, 0, true},
               {"rank", Align::right, 0, 0, true},
               {"kind", Align::left, 0, 0, false},
               {"grid", Align::left, 0, 0, true},
               {"call site", Align::left, 0, 14, true},
               {"what varies", Align::left, 0, 20, true}},
              {}};
  for (const store::LaunchItem& item : list.launches) {
    table.add({human_count(item.id), item.position ? fmt::format("{}", *item.position) : "",
               item.rank ? fmt::format("{}", *item.rank) : "", item.kind, item.grid,
               base_name(item.call_site), varying_text(item)});
  }
  std::string out = render(table, style);
  if (list.total > list.launches.size()) {
    out += fmt::format("… {} more: --limit 0 lists all\n",
                       human_count(list.total - list.launches.size()));
  }
  return out;
}

}  // namespace ks::report
