#include "report/kernel_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/json_writer.h"
#include "base/text.h"
#include "report/kernel_fields.h"
#include "report/rows_out.h"
#include "report/table.h"
#include "report/words.h"

namespace ks::report {
namespace {

using store::KernelRow;

struct SortKey {
  const char* name;
  const char* meaning;
  std::function<int64_t(const KernelRow&)> value;  // largest first; none: by text
};

const std::vector<SortKey>& sort_keys() {
  static const std::vector<SortKey> keys = {
      {"launches", "user launches", [](const KernelRow& k) { return k.user_launches; }},
      {"others", "other launches", [](const KernelRow& k) { return k.other_launches(); }},
      {"configs", "launch configurations", [](const KernelRow& k) { return k.configurations; }},
      {"compile-time", "median cold compile time",
       [](const KernelRow& k) { return k.cold_us.value_or(-1); }},
      {"registers", "registers", [](const KernelRow& k) { return k.registers.value_or(-1); }},
      {"shared", "shared memory", [](const KernelRow& k) { return k.shared_bytes.value_or(-1); }},
      {"name", "name, then number", nullptr},
      {"order", "first sight in the trace",
       [](const KernelRow& k) { return -static_cast<int64_t>(k.id); }},
  };
  return keys;
}

void sort_kernels(std::vector<const KernelRow*>& kernels, const SortKey& key) {
  std::stable_sort(kernels.begin(), kernels.end(), [&](const KernelRow* a, const KernelRow* b) {
    return key.value ? key.value(*a) > key.value(*b) : a->name < b->name;
  });
}

// The usual case says nothing: launches that carry their kernel's hash.
std::string found_by(const KernelRow& k) { return k.attribution == "hash" ? "" : k.attribution; }

std::string spills(const KernelRow& k) {
  return number(k.spill_bytes ? k.spill_bytes : k.spilled_registers);
}

std::string ctas(const KernelRow& k) {
  return k.num_ctas.value_or(1) == 1 ? "" : number(k.num_ctas);
}

const std::vector<Column> kColumns = {
    {"kernel", Align::left, 0, 26, false},   {"hash", Align::left, 0, 0, true},
    {"launches", Align::right, 0, 0, false}, {"others", Align::right, 3, 0, true},
    {"configs", Align::right, 0, 0, true},   {"warps", Align::right, 0, 0, true},
    {"stages", Align::right, 2, 0, true},    {"ctas", Align::right, 2, 0, true},
    {"regs", Align::right, 0, 0, true},      {"spills", Align::right, 0, 0, true},
    {"shared", Align::right, 1, 0, true},    {"dots", Align::left, 5, 14, true},
    {"cold ms", Align::right, 1, 0, true},   {"cached ms", Align::right, 4, 0, true},
    {"found by", Align::left, 0, 0, true}};

std::vector<std::string> cells(const KernelRow& k) {
  return {kernel_label(k),
          short_hash(k),
          human_count(k.user_launches),
          k.other_launches() ? human_count(k.other_launches()) : "",
          k.configurations ? human_count(k.configurations) : "",
          number(k.num_warps),
          number(k.num_stages),
          ctas(k),
          number(k.registers),
          spills(k),
          number(k.shared_bytes),
          k.dots,
          milliseconds(k.cold_us),
          milliseconds(k.cached_us),
          k.compilation_seen ? found_by(k) : "launches only"};
}

Table make_table(const std::vector<const KernelRow*>& kernels) {
  Table table{kColumns, {}};
  for (const KernelRow* kernel : kernels) table.add(cells(*kernel));
  return table;
}

// Numbers that add up: all kernels, then each of their kinds; likewise launches.
std::string counts_text(const KernelList& list) {
  std::vector<std::string> kinds, others;
  const auto add = [](auto& to, uint64_t n, std::string_view what) {
    if (n) to.push_back(human_count(n) + " " + std::string(what));
  };
  const uint64_t idle = list.fitting - list.launched - list.candidates;
  add(kinds, list.launched, "launched");
  add(kinds, idle, "never launched");
  add(kinds, list.candidates,
      list.candidates == 1 ? "autotune candidate not chosen" : "autotune candidates not chosen");
  std::string out = plural(list.fitting, "kernel");
  if (!list.filter.empty()) {
    out += fmt::format(" {} {}", list.fitting == 1 ? "fits" : "fit", printable(list.filter));
  }
  out += fmt::format(": {}\n", join(kinds, ", "));
  add(others, list.user_launches, "by the program");
  add(others, list.other_launches, "by autotuners, warm-up or graph capture");
  const uint64_t launches = list.user_launches + list.other_launches;
  out += plural(launches, "launch", "launches");
  out += others.empty() ? "\n" : ": " + join(others, ", ") + '\n';
  if (list.cut || list.candidates_hidden) {
    out += fmt::format("{} of {} listed: {} lists {}\n", human_count(list.shown.size()),
                       human_count(list.fitting),
                       !list.candidates_hidden ? "--limit 0"
                       : list.cut              ? "--all --limit 0"
                                               : "--all",
                       list.cut ? "the others" : "the candidates too");
  }
  return out;
}

struct CsvCell {
  std::string operator()(const std::string& text) const { return csv_field(text); }
  std::string operator()(uint64_t n) const { return fmt::format("{}", n); }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(std::optional<int64_t> n) const { return n ? fmt::format("{}", *n) : ""; }
};

}  // namespace

std::vector<std::pair<std::string, std::string>> kernel_sort_keys() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const SortKey& key : sort_keys()) found.emplace_back(key.name, key.meaning);
  return found;
}

Result<KernelList> choose_kernels(const std::vector<KernelRow>& kernels,
                                  const KernelChoice& choice) {
  const auto key = std::find_if(sort_keys().begin(), sort_keys().end(),
                                [&](const SortKey& k) { return k.name == choice.sort; });
  if (key == sort_keys().end()) return fail(ErrorKind::input, "no sort key " + choice.sort);
  KernelList list;
  list.filter = choice.filter;
  for (const KernelRow& kernel : kernels) {
    if (!choice.filter.empty() && !glob_match(choice.filter, kernel.name)) continue;
    ++list.fitting;
    list.launched += kernel.user_launches > 0;
    list.user_launches += kernel.user_launches;
    list.other_launches += kernel.other_launches();
    const bool candidate = kernel.status.starts_with("autotune candidate");
    list.candidates += candidate;
    if (!choice.all && candidate) {
      ++list.candidates_hidden;
    } else {
      list.shown.push_back(&kernel);
    }
  }
  sort_kernels(list.shown, *key);
  if (choice.limit > 0 && list.shown.size() > choice.limit) {
    list.cut = list.shown.size() - choice.limit;
    list.shown.resize(choice.limit);
  }
  return list;
}

std::string kernel_table(const KernelList& list, const Style& style) {
  if (list.fitting == 0) {
    return list.filter.empty() ? "no kernels\n" : "no kernel fits " + printable(list.filter) + '\n';
  }
  std::vector<std::string> hidden;
  std::string out =
      list.shown.empty() ? "" : render(make_table(list.shown), style, "", &hidden) + '\n';
  out += counts_text(list);
  out += hidden_text(hidden, "--csv and --json have all", style);
  return out;
}

std::string kernel_csv(const KernelList& list) {
  std::string out;
  for_kernel_fields(KernelRow{}, [&](const char* name, const auto&) {
    out += (out.empty() ? "" : ",") + std::string(name);
  });
  out += '\n';
  for (const KernelRow* kernel : list.shown) {
    const char* separator = "";
    for_kernel_fields(*kernel, [&](const char*, const auto& value) {
      out += separator + CsvCell{}(value);
      separator = ",";
    });
    out += '\n';
  }
  return out;
}

std::string kernel_json(const KernelList& list) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema_version", 1).key("kernels").begin_array();
  for (const KernelRow* kernel : list.shown) append_kernel(json, *kernel);
  json.end_array().field("candidates_hidden", list.candidates_hidden).field("cut", list.cut);
  json.field("other_launches", list.other_launches).end_object();
  return out + '\n';
}

namespace {

// Columns behind the launches for what tells the variants apart.
void add_constants(Table& table, const std::vector<const KernelRow*>& variants,
                   const KernelConstants& constants) {
  constexpr std::ptrdiff_t kPlace = 4;  // behind kernel, hash, launches and others
  constexpr size_t kMaxConstants = 8;
  std::vector<uint64_t> ids;
  for (const KernelRow* variant : variants) ids.push_back(variant->id);
  std::vector<std::string> names = differing_constants(constants, ids);
  if (names.size() > kMaxConstants) names.resize(kMaxConstants);
  for (size_t n = 0; n < names.size(); ++n) {
    const std::ptrdiff_t at = kPlace + static_cast<std::ptrdiff_t>(n);
    table.columns.insert(table.columns.begin() + at, constant_column(names[n], 1));
    for (size_t i = 0; i < ids.size(); ++i) {
      table.rows[i].insert(table.rows[i].begin() + at, constant_value(constants, ids[i], names[n]));
    }
  }
}

}  // namespace

std::string variant_table(const std::vector<const KernelRow*>& variants,
                          const KernelConstants& constants, const Style& style) {
  Table table = make_table(variants);
  for (size_t c = 2; c < table.columns.size(); ++c) {
    const bool same = std::all_of(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return row[c] == table.rows[0][c]; });
    if (!same || c == 2) continue;
    for (auto& row : table.rows) row[c].clear();
    table.columns[c].optional = true;
  }
  // What tells variants apart stays longest; the number of a variant names it as well as its hash.
  for (Column& column : table.columns) {
    if (column.title == "hash") column.priority = 4;
    if (column.title == "cold ms") column.priority = 3;
    if (column.title == "shared") column.priority = 2;
    if (column.title == "stages") column.priority = 0;
  }
  add_constants(table, variants, constants);
  return render(table, style, "  ");
}

}  // namespace ks::report
