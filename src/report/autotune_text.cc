#include "report/autotune_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "report/kernel_names.h"
#include "report/table.h"
#include "report/words.h"

namespace ks::report {
namespace {

using store::AutotuneRow;
using store::KernelRow;

struct Session {
  std::vector<const AutotuneRow*> rows;  // of the kernel's name, or of no known kernel
  uint64_t others = 0;                   // of other kernels
  bool used = false;                     // anything was timed, chosen or launched
};

const KernelRow* kernel_of(const AutotuneRow& row, const std::vector<KernelRow>& kernels) {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelRow& k) { return row.kernel == k.id; });
  return found == kernels.end() ? nullptr : &*found;
}

std::vector<Session> sessions_of(const KernelRow& shown, const std::vector<AutotuneRow>& rows,
                                 const std::vector<KernelRow>& kernels) {
  std::vector<Session> sessions;
  const std::string* last = nullptr;
  for (const AutotuneRow& row : rows) {
    if (!last || *last != row.session) sessions.emplace_back();
    last = &row.session;
    Session& session = sessions.back();
    const KernelRow* kernel = kernel_of(row, kernels);
    if (kernel && kernel->name != shown.name) {
      ++session.others;
      continue;
    }
    session.rows.push_back(&row);
    session.used |= row.winner || row.best_ms || row.benchmark_launches || row.user_launches;
  }
  return sessions;
}

constexpr size_t kConfigs = 16, kSessions = 4;  // shown without --all
constexpr size_t kMaxConstants = 8;

struct Page {
  const KernelRow& shown;
  const std::vector<KernelRow>& kernels;
  const KernelConstants& constants;
  const Style& style;
  bool all;
};

std::string role(const AutotuneRow& row, const Page& page) {
  const bool this_one = row.kernel == page.shown.id;
  if (row.winner) return this_one ? "winner, this one" : "winner";
  return this_one ? "this one" : "";
}

// What a reader looks for first: the winner, the kernel shown, then the fastest where that is
// known.
std::vector<const AutotuneRow*> in_order(std::vector<const AutotuneRow*> rows, const Page& page) {
  const auto rank = [&](const AutotuneRow* row) {
    const int first = row->winner ? 0 : row->kernel == page.shown.id ? 1 : 2;
    return std::pair(first, row->best_ms.value_or(std::numeric_limits<double>::infinity()));
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return rows;
}

std::vector<std::string> cells(const AutotuneRow& row, const std::vector<std::string>& names,
                               const Page& page) {
  const KernelRow* kernel = kernel_of(row, page.kernels);
  std::vector<std::string> cells = {role(row, page), kernel ? kernel_label(*kernel) : "",
                                    kernel ? short_hash(*kernel) : "", row.config};
  for (const std::string& name : names) {
    cells.push_back(kernel ? constant_value(page.constants, kernel->id, name) : "");
  }
  cells.insert(cells.end(),
               {kernel ? number(kernel->num_warps) : "", kernel ? number(kernel->num_stages) : "",
                row.best_ms ? fmt::format("{:.4f}", *row.best_ms) : "",
                human_count(row.benchmark_launches), human_count(row.user_launches)});
  return cells;
}

Table session_table(const std::vector<std::string>& names) {
  Table table{{{"", Align::left, 0, 0, true},
               {"kernel", Align::left, 0, 16, true},
               {"hash", Align::left, 4, 0, true},
               {"config", Align::left, 0, 20, true}},
              {}};
  for (const std::string& name : names) table.columns.push_back(constant_column(name, 0));
  table.columns.insert(table.columns.end(), {{"warps", Align::right, 0, 0, true},
                                             {"stages", Align::right, 0, 0, true},
                                             {"ms", Align::right, 1, 0, true},
                                             {"benchmark", Align::right, 3, 0, true},
                                             {"user", Align::right, 2, 0, true}});
  return table;
}

std::string session_text(const Session& session, const Page& page) {
  std::vector<uint64_t> ids;
  for (const AutotuneRow* row : session.rows) {
    if (row->kernel) ids.push_back(*row->kernel);
  }
  std::vector<std::string> names = differing_constants(page.constants, ids);
  if (names.size() > kMaxConstants) names.resize(kMaxConstants);
  Table table = session_table(names);
  const std::vector<const AutotuneRow*> rows = in_order(session.rows, page);
  const size_t count = page.all ? rows.size() : std::min(kConfigs, rows.size());
  for (size_t i = 0; i < count; ++i) table.add(cells(*rows[i], names, page));
  const AutotuneRow& first = *session.rows.front();
  const std::string place =
      first.call_site.empty() ? "an unknown place" : base_name(first.call_site);
  std::string out = bold(fmt::format("Autotuned by {} at {}: {}", first.autotuner, printable(place),
                                     plural(rows.size(), "config")),
                         page.style);
  out = '\n' + out + '\n' + render(table, page.style, "  ");
  if (count < rows.size()) out += fmt::format("  … {} more: --all\n", rows.size() - count);
  return out;
}

}  // namespace

std::string autotune_text(const KernelRow& shown, const store::KernelDetails& details,
                          const std::vector<KernelRow>& kernels, const KernelConstants& constants,
                          const Style& style, bool all) {
  const Page page{shown, kernels, constants, style, all};
  std::string out;
  size_t count = 0;
  for (const Session& session : sessions_of(shown, details.autotune, kernels)) {
    if (session.rows.empty()) continue;
    if (++count > kSessions && !all) continue;
    if (session.used) {
      out += session_text(session, page);
    } else {
      out += fmt::format("\nCompiled ahead of autotuning at {}, with {} of other kernels\n",
                         printable(base_name(session.rows.front()->call_site)),
                         plural(session.others, "config"));
    }
  }
  if (count > kSessions && !all) {
    out += fmt::format("\n… {} of an autotuner: --all\n",
                       plural(count - kSessions, "more use", "more uses"));
  }
  return out;
}

}  // namespace ks::report
