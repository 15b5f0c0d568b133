#include "profile/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace ks::profile {
namespace {

using inductor::MetadataTable;
using Places = std::vector<size_t>;  // rows
constexpr size_t kNone = ~size_t{0};

std::optional<double> number(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = !cell.empty() && error == std::errc() && end == cell.data() + cell.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string_view cell_of(const MetadataTable& table, size_t row, std::string_view name,
                         std::string_view instead = {}) {
  const std::string_view cell = table.cell(row, name);
  return cell.empty() && !instead.empty() ? table.cell(row, instead) : cell;
}

std::optional<double> duration(const MetadataTable& table, size_t row) {
  const auto value = number(cell_of(table, row, "duration_us", "ncu_duration_us"));
  return value && *value > 0 ? value : std::nullopt;
}

std::optional<double> bytes(const MetadataTable& table, size_t row) {
  if (const auto exact = number(table.cell(row, "dram_bytes"))) return exact;
  const auto gb = number(table.cell(row, "ncu_mem_accessed_gb"));
  return gb ? std::optional(*gb * 1e9) : std::nullopt;
}

// triton_poi_fused_add_12: the number is of the order of compilation.
std::string_view without_index(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != name.npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
}

std::string shape_key(const MetadataTable& table, size_t row) {
  std::string key(without_index(table.cell(row, "kernel_name")));
  for (const char* column : {"model_name", "kernel_category", "size_hints", "xnumel", "ynumel",
                             "rnumel", "r0_numel", "r1_numel", "znumel"}) {
    key += '\n';
    key += table.cell(row, column);
  }
  return key;
}

// One row for each kernel: rows with the same hash share their measurement.
Places distinct_rows(const MetadataTable& table) {
  Places rows;
  std::map<std::string_view, size_t> seen;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::string_view hash = table.cell(r, "source_hash");
    if (hash.empty() || seen.emplace(hash, r).second) rows.push_back(r);
  }
  return rows;
}

struct Pair {
  size_t before = kNone, after = kNone;
  std::string matched_by;
};

class Matcher {
 public:
  Matcher(const MetadataTable& before, const MetadataTable& after)
      : before_(before),
        after_(after),
        left_before_(distinct_rows(before)),
        left_after_(distinct_rows(after)) {}

  std::vector<Pair> match() {
    match_by("source hash", [](const MetadataTable& table, size_t row) {
      return std::string(table.cell(row, "source_hash"));
    });
    match_by("name, category and shape", shape_key);
    for (const size_t row : left_before_) pairs_.push_back({row, kNone, ""});
    for (const size_t row : left_after_) pairs_.push_back({kNone, row, ""});
    return std::move(pairs_);
  }

 private:
  // Equal keys in the order of the rows: the first with the first.
  template <typename Key>
  void match_by(const char* what, Key key) {
    std::map<std::string, Places> places;
    for (const size_t row : left_before_) places[key(before_, row)].push_back(row);
    std::map<std::string, size_t> used;
    Places rest;
    std::vector<bool> gone(before_.rows.size());
    for (const size_t row : left_after_) {
      const std::string k = key(after_, row);
      const auto found = k.empty() ? places.end() : places.find(k);
      if (found == places.end() || used[k] >= found->second.size()) {
        rest.push_back(row);
        continue;
      }
      const size_t partner = found->second[used[k]++];
      gone[partner] = true;
      pairs_.push_back({partner, row, what});
    }
    std::erase_if(left_before_, [&](size_t row) { return gone[row]; });
    left_after_ = std::move(rest);
  }

  const MetadataTable &before_, &after_;
  Places left_before_, left_after_;
  std::vector<Pair> pairs_;
};

// What must be equal for times to compare. A table without the column (the script's) has no say.
std::string what_differs(const MetadataTable& before, size_t b, const MetadataTable& after,
                         size_t a) {
  std::string why;
  for (const char* column : {"device", "source", "cache_control", "clock_control"}) {
    const std::string_view x = before.cell(b, column), y = after.cell(a, column);
    if (x.empty() || y.empty() || x == y) continue;
    why += fmt::format("{}{}: {} and {}", why.empty() ? "" : "; ", column, x, y);
  }
  return why;
}

// Beside the time. DRAM bytes repeat within 0.3 %, so 2 % is a change of the kernel.
std::string what_else(const MetadataTable& before, size_t b, const MetadataTable& after, size_t a) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : "; ") + std::move(part); };
  const auto x = bytes(before, b), y = bytes(after, a);
  if (x && y && *x > 0 && std::abs(*y - *x) > std::max(0.02 * *x, 65536.)) {
    add(fmt::format("DRAM bytes {:+.1f} %", 100 * (*y / *x - 1)));
  }
  for (const char* column : {"spills", "registers", "config"}) {
    const std::string_view p = before.cell(b, column), q = after.cell(a, column);
    if (!p.empty() && !q.empty() && p != q) add(fmt::format("{} {} to {}", column, p, q));
  }
  const auto f = number(before.cell(b, "sm_clock_mhz")), g = number(after.cell(a, "sm_clock_mhz"));
  if (f && g && *f > 0 && std::abs(*g / *f - 1) > 0.02) {
    add(fmt::format("SM clock {:+.1f} %", 100 * (*g / *f - 1)));
  }
  return text;
}

Change judge(const DiffRow& row, const NoiseGate& noise) {
  const double gate = std::max(noise.share * *row.before_us, noise.least_us);
  if (std::abs(*row.delta_us) <= gate) return Change::same;
  return *row.delta_us > 0 ? Change::slower : Change::faster;
}

void compare(DiffRow& row, const MetadataTable& before, const MetadataTable& after,
             const Pair& pair, const NoiseGate& noise) {
  row.why = what_differs(before, pair.before, after, pair.after);
  if (row.why.empty() && (!row.before_us || !row.after_us)) {
    row.why = row.before_us  ? "no duration after"
              : row.after_us ? "no duration before"
                             : "no durations";
  }
  if (!row.why.empty()) {
    row.change = Change::not_comparable;
    return;
  }
  row.delta_us = *row.after_us - *row.before_us;
  row.change = judge(row, noise);
  row.why = what_else(before, pair.before, after, pair.after);
}

DiffRow row_of(const MetadataTable& before, const MetadataTable& after, const Pair& pair,
               const NoiseGate& noise) {
  DiffRow row;
  const bool is_after = pair.after != kNone;
  const MetadataTable& names = is_after ? after : before;
  const size_t r = is_after ? pair.after : pair.before;
  row.kernel = cell_of(names, r, "kernel_name", "kernel_path");
  row.category = names.cell(r, "kernel_category");
  row.source_hash = names.cell(r, "source_hash");
  row.matched_by = pair.matched_by;
  if (pair.before != kNone) {
    row.before_us = duration(before, pair.before);
    row.before_bytes = bytes(before, pair.before);
  }
  if (is_after) {
    row.after_us = duration(after, pair.after);
    row.after_bytes = bytes(after, pair.after);
  }
  if (pair.before != kNone && is_after) {
    compare(row, before, after, pair, noise);
  } else {
    row.change = is_after ? Change::only_after : Change::only_before;
  }
  return row;
}

void count(TableDiff& diff, const DiffRow& row) {
  size_t* const counts[] = {&diff.slower,         &diff.faster,      &diff.same,
                            &diff.not_comparable, &diff.only_before, &diff.only_after};
  ++*counts[static_cast<size_t>(row.change)];
  if (!row.delta_us) return;
  diff.before_us += *row.before_us;
  diff.after_us += *row.after_us;
}

// Real changes by size, then the others by kind.
bool goes_before(const DiffRow& a, const DiffRow& b) {
  const auto kind = [](const DiffRow& row) {
    return row.change <= Change::faster ? 0 : static_cast<int>(row.change);
  };
  if (kind(a) != kind(b)) return kind(a) < kind(b);
  const double x = std::abs(a.delta_us.value_or(0)), y = std::abs(b.delta_us.value_or(0));
  return x > y;
}

}  // namespace

std::string_view change_name(Change change) {
  constexpr std::string_view kNames[] = {"slower",         "faster",      "same",
                                         "not comparable", "only before", "only after"};
  return kNames[static_cast<size_t>(change)];
}

TableDiff diff_tables(const MetadataTable& before, const MetadataTable& after,
                      const NoiseGate& noise) {
  TableDiff diff;
  for (const Pair& pair : Matcher(before, after).match()) {
    diff.rows.push_back(row_of(before, after, pair, noise));
    count(diff, diff.rows.back());
  }
  std::stable_sort(diff.rows.begin(), diff.rows.end(), goes_before);
  return diff;
}

}  // namespace ks::profile
