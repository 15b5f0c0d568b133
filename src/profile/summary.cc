#include "profile/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.h"

namespace ks::profile {
namespace {

constexpr size_t kTop = 10;

// Below this, differences are rounding of sectors and other kernels' remains in L2.
constexpr double kBeyondNeed = 1.1;

struct Kernel {
  const RowResult* result;
  size_t rows = 0;
};

std::vector<Kernel> distinct(const std::vector<RowResult>& results) {
  std::vector<Kernel> kernels;
  std::unordered_map<const Measurement*, size_t> index;
  for (const RowResult& result : results) {
    const auto [entry, is_new] = index.emplace(result.measurement, kernels.size());
    if (is_new) kernels.push_back({&result});
    ++kernels[entry->second].rows;
  }
  return kernels;
}

SummaryLine line_of(const Kernel& kernel, double value) {
  const RowResult& r = *kernel.result;
  SummaryLine line{r.kernel->kernel, r.kernel->category, r.derived.bound, value};
  line.duration_us = r.derived.duration_us.value_or(0);
  line.excess_bytes = r.derived.dram_bytes.value_or(0) - r.derived.needed_bytes.value_or(0);
  line.rows = kernel.rows;
  return line;
}

template <typename Key>
void keep_top(std::vector<SummaryLine>& lines, Key key) {
  std::stable_sort(lines.begin(), lines.end(), [&](const SummaryLine& a, const SummaryLine& b) {
    return key(a) != key(b) ? key(a) > key(b) : a.kernel < b.kernel;
  });
  if (lines.size() > kTop) lines.resize(kTop);
}

std::string count_of(size_t n, std::string_view one) {
  return fmt::format("{} {}{}", human_count(n), one, n == 1 ? "" : "s");
}

std::string name_to(const std::string& name, size_t width, size_t used) {
  const size_t room = width > used + 16 ? width - used : 16;
  return width ? shorten_middle(name, room) : name;
}

std::string harmless(const std::string& name) {
  std::string out;
  for (const char c : name) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

}  // namespace

Summary summarise(const std::vector<RowResult>& results) {
  Summary summary;
  summary.rows = results.size();
  std::map<Status, size_t> counts;
  for (const Kernel& kernel : distinct(results)) {
    ++summary.kernels;
    ++counts[kernel.result->measurement->status];
    const Derived& d = kernel.result->derived;
    if (kernel.result->measurement->status != Status::ok) continue;
    if (d.recoverable_us && *d.recoverable_us > 0) {
      summary.recoverable.push_back(line_of(kernel, *d.recoverable_us));
    }
    if (d.traffic_ratio && *d.traffic_ratio >= kBeyondNeed) {
      summary.beyond_need.push_back(line_of(kernel, *d.traffic_ratio));
    }
  }
  summary.kernels_by_status.assign(counts.begin(), counts.end());
  keep_top(summary.recoverable, [](const SummaryLine& line) { return line.value; });
  keep_top(summary.beyond_need, [](const SummaryLine& line) { return line.excess_bytes; });
  return summary;
}

std::string summary_text(const Summary& summary, size_t width) {
  std::string out =
      fmt::format("{}, {}\n", count_of(summary.rows, "row"), count_of(summary.kernels, "kernel"));
  for (const auto& [status, n] : summary.kernels_by_status) {
    out += fmt::format("  {:>7}  {:<14} {}\n", human_count(n), status_name(status),
                       status_text(status));
  }
  if (!summary.recoverable.empty()) {
    out += "Most recoverable time (duration beyond what bytes and FLOPs need at the peak):\n";
    out += "    could save   duration  bound    kernel\n";
  }
  for (const SummaryLine& line : summary.recoverable) {
    out += fmt::format("  {:>9.1f} us {:>7.1f} us  {:<7}  {}\n", line.value, line.duration_us,
                       line.bound, name_to(harmless(line.kernel), width, 35));
  }
  if (!summary.beyond_need.empty()) {
    out += "Most DRAM traffic beyond need:\n";
    out += "    beyond need  moved/needed  kernel\n";
  }
  for (const SummaryLine& line : summary.beyond_need) {
    out += fmt::format("  {:>13}  {:>11.2f}x  {}\n",
                       human_bytes(static_cast<uint64_t>(line.excess_bytes)), line.value,
                       name_to(harmless(line.kernel), width, 31));
  }
  return out;
}

std::string permission_help() {
  return "GPU counters need a permission that this user does not have. Three ways to get it:\n"
         "  1. for all users: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in a file of\n"
         "     /etc/modprobe.d, then load the driver anew (reboot);\n"
         "  2. run as root;\n"
         "  3. give the process CAP_SYS_ADMIN; a container: --cap-add=SYS_ADMIN.\n"
         "Without it, --source time still measures durations, but no bytes.\n";
}

}  // namespace ks::profile
