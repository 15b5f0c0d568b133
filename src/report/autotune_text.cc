#include "report/autotune_text.h"

#include <fmt/format.h>

#include <algorithm>

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

std::vector<std::string> cells(const AutotuneRow& row, const KernelRow& shown,
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

std::string session_text(const Session& session, const KernelRow& shown,
                         const std::vector<KernelRow>& kernels, const Style& style) {
  Table table{{{"", Align::left, 0, 0, true},
               {"kernel", Align::left, 0, 16, true},
               {"hash", Align::left, 1, 0, true},
               {"", Align::left, 0, 0, true},
               {"config", Align::left, 0, 20, true},
               {"warps", Align::right, 2, 0, true},
               {"stages", Align::right, 2, 0, true},
               {"ms", Align::right, 0, 0, true},
               {"benchmark", Align::right, 0, 0, true},
               {"user", Align::right, 0, 0, true}},
              {}};
  for (const AutotuneRow* row : session.rows) table.add(cells(*row, shown, kernels));
  const AutotuneRow& first = *session.rows.front();
  const std::string place =
      first.call_site.empty() ? "an unknown place" : base_name(first.call_site);
  std::string out = bold(fmt::format("Autotuned by {} at {}: {}", first.autotuner, printable(place),
                                     plural(table.rows.size(), "config")),
                         style);
  return '\n' + out + '\n' + render(table, style, "  ");
}

}  // namespace

std::string autotune_text(const KernelRow& shown, const store::KernelDetails& details,
                          const std::vector<KernelRow>& kernels, const Style& style) {
  std::string out;
  for (const Session& session : sessions_of(shown, details.autotune, kernels)) {
    if (session.rows.empty()) continue;
    if (session.used) {
      out += session_text(session, shown, kernels, style);
    } else {
      out += fmt::format("\nCompiled ahead of autotuning at {}, with {} of other kernels\n",
                         printable(base_name(session.rows.front()->call_site)),
                         plural(session.others, "config"));
    }
  }
  return out;
}

}  // namespace ks::report
