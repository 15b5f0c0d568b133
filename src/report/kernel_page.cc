#include "report/kernel_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
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
  return "  " + dim(fmt::format("{:<11}", title), style) + join(shown, ", ") + '\n';
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
  if (k.winner_launches) parts[0] += fmt::format(" ({} of them as the autotuner's choice)", human_count(k.winner_launches));
  if (k.benchmark_launches) parts.push_back(human_count(k.benchmark_launches) + " benchmark");
  if (k.warm_up_launches) parts.push_back(human_count(k.warm_up_launches) + " warm-up");
  if (k.captured_launches) parts.push_back(human_count(k.captured_launches) + " graph capture");
  if (!k.attribution.empty() && k.attribution != "hash") parts.push_back("found by: " + k.attribution);
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
  if (k.load_bytes) parts.push_back(bound + human_bytes(static_cast<uint64_t>(*k.load_bytes)) + " loaded");
  if (k.store_bytes) parts.push_back(bound + human_bytes(static_cast<uint64_t>(*k.store_bytes)) + " stored");
  if (k.flops) parts.push_back(bound + number(k.flops) + " flops");
  return parts;
}

std::vector<std::string> loop_parts(const KernelDetails& details) {
  std::vector<std::string> parts;
  for (const store::LoopRow& loop : details.loops) {
    parts.push_back(fmt::format("TTIR lines {}-{} ({})", loop.begin_line, loop.end_line,
                                loop.trip_count ? number(loop.trip_count) + " times"
                                                : "trip count not constant"));
  }
  return parts;
}

std::vector<std::string> dot_parts(const KernelDetails& details) {
  std::vector<std::pair<std::string, int>> counts;  // in order of first sight
  for (const store::DotRow& dot : details.dots) {
    const std::string text = dot.shape + " " + dot.types + (dot.loop_depth ? " in a loop" : "");
    const auto found = std::find_if(counts.begin(), counts.end(), [&](auto& c) { return c.first == text; });
    found == counts.end() ? counts.emplace_back(text, 1).second : ++found->second;
  }
  std::vector<std::string> parts;
  for (const auto& [text, n] : counts) parts.push_back(n == 1 ? text : fmt::format("{} × {}", n, text));
  return parts;
}

std::string header(const KernelRow& k, const KernelDetails& details, const Style& style) {
  const std::string place = k.source_start_line ? fmt::format("{}:{}", k.source_file, *k.source_start_line) : k.source_file;
  std::string out = bold(printable(kernel_label(k)), style) + '\n';
  out += line("hash", {k.hash}, style) + line("source", {place}, style);
  out += line("target", {target(k), k.triton_version.empty() ? "" : "Triton " + k.triton_version}, style);
  out += line("options", {named("num_warps", k.num_warps), named("num_stages", k.num_stages), named("num_ctas", k.num_ctas), named("maxnreg", k.maxnreg)}, style);
  out += line("resources",
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
  return row.frame_compile ? fmt::format("{}/{}", *row.frame, *row.frame_compile) : fmt::format("{}", *row.frame);
}

std::string compilations(const KernelDetails& details, const Style& style) {
  constexpr size_t kLimit = 8;
  if (details.compilations.empty()) return "";
  Table table{{{"rank", Align::right, 0, 0, true},
               {"pid", Align::right, 2, 0, true},
               {"frame", Align::right, 0, 0, true},
               {"cache", Align::left, 0, 0, true},
               {"ms", Align::right, 0, 0, true},
               {"call site", Align::left, 0, 20, true}},
              {}};
  for (size_t i = 0; i < std::min(kLimit, details.compilations.size()); ++i) {
    const store::CompilationRow& row = details.compilations[i];
    table.add({row.rank ? fmt::format("{}", *row.rank) : "", row.pid ? fmt::format("{}", *row.pid) : "", frame_text(row),
               !row.cache_hit   ? ""
               : *row.cache_hit ? "hit"
                                : "cold",
               milliseconds(row.total_us), row.call_site});
  }
  std::string out = '\n' + bold(fmt::format("Compilations ({})", human_count(details.compilations.size())), style) + '\n';
  out += render(table, style, "  ");
  if (details.compilations.size() > kLimit) {
    out += fmt::format("  … {} more (--json has all)\n", details.compilations.size() - kLimit);
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
               {"", Align::right, 0, 0, true}},
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

const KernelRow* kernel_of(const store::AutotuneRow& row, const std::vector<KernelRow>& kernels) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const KernelRow& k) { return row.kernel == k.id; });
  return found == kernels.end() ? nullptr : &*found;
}

std::vector<std::string> config_cells(const store::AutotuneRow& row, const KernelRow& shown,
                                      const std::vector<KernelRow>& kernels) {
  const KernelRow* kernel = kernel_of(row, kernels);
  return {row.winner ? "winner" : "",
          kernel ? kernel_label(*kernel) : "",
          kernel ? short_hash(*kernel) : "",
          kernel && kernel->id == shown.id ? "this one" : "",
          row.config,
          kernel ? number(kernel->num_warps) : "",
          kernel ? number(kernel->num_stages) : "",
          row.best_ms ? fmt::format("{:.4f}", *row.best_ms) : "",
          human_count(row.benchmark_launches),
          human_count(row.user_launches)};
}

std::string autotune(const KernelRow& shown, const KernelDetails& details,
                     const std::vector<KernelRow>& kernels, const Style& style) {
  const std::vector<Column> columns = {
      {"", Align::left, 0, 0, true},          {"kernel", Align::left, 0, 16, true},
      {"hash", Align::left, 1, 0, true},      {"", Align::left, 0, 0, true},
      {"config", Align::left, 0, 20, true},   {"warps", Align::right, 2, 0, true},
      {"stages", Align::right, 2, 0, true},   {"ms", Align::right, 0, 0, true},
      {"benchmark", Align::right, 0, 0, true}, {"user", Align::right, 0, 0, true}};
  std::map<std::string, Table> sessions;
  std::vector<const store::AutotuneRow*> firsts;
  for (const store::AutotuneRow& row : details.autotune) {
    auto [session, is_new] = sessions.try_emplace(row.session, Table{columns, {}});
    if (is_new) firsts.push_back(&row);
    session->second.add(config_cells(row, shown, kernels));
  }
  std::string out;
  for (const store::AutotuneRow* first : firsts) {
    const Table& table = sessions[first->session];
    out += '\n' + bold(fmt::format("Autotuned by {} at {}: {}", first->autotuner,
                            first->call_site.empty() ? "an unknown place" : printable(base_name(first->call_site)),
                            plural(table.rows.size(), "config")), style) +
           '\n' + render(table, style, "  ");
  }
  return out;
}

}  // namespace

std::string kernel_page(const KernelRow& kernel, const KernelDetails& details,
                        const store::KernelDiff& diff, const std::vector<KernelRow>& kernels,
                        const Style& style) {
  std::string out = header(kernel, details, style);
  if (kernel.user_launches > 0) out += '\n' + configurations_text(kernel, diff, style);
  return out + autotune(kernel, details, kernels, style) + compilations(details, style) +
         coverage(details, style);
}

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
    std::string varying;
    for (const auto& [field, json] : item.varying) {
      varying += fmt::format("{}{}={}", varying.empty() ? "" : " ", short_field(field), json);
    }
    table.add({human_count(item.id), item.position ? fmt::format("{}", *item.position) : "",
               item.rank ? fmt::format("{}", *item.rank) : "", item.kind, item.grid,
               base_name(item.call_site), varying});
  }
  std::string out = render(table, style);
  if (list.total > list.launches.size()) {
    out += fmt::format("… {} more: --limit 0 shows all\n", human_count(list.total - list.launches.size()));
  }
  return out;
}

}  // namespace ks::report
