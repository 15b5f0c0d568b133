#include "report/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "report/kernel_names.h"
#include "report/table.h"
#include "report/words.h"

namespace ks::report {
namespace {

using store::DiffField;
using store::KernelDiff;
using store::KernelRow;
using store::LockStep;

constexpr size_t kMaxValue = 40;   // columns of one value
constexpr size_t kMaxValues = 12;  // rows of one group, and configurations
constexpr std::string_view kArguments = "extracted_args.", kInductor = "extracted_inductor_args.";

// Varying for a reason: not by nature, not a measurement, not the call stack.
bool counts(const DiffField& field) {
  return field.varies && !field.is_pointer && !field.is_volatile && !field.is_measured &&
         !field.name.starts_with("stack");
}

const DiffField* find_field(const KernelDiff& diff, const std::string& name) {
  const auto found = std::find_if(diff.fields.begin(), diff.fields.end(),
                                  [&](const DiffField& f) { return f.name == name; });
  return found == diff.fields.end() ? nullptr : &*found;
}

// The fields of a lock-step group have their values at the same launches, so one row holds a value
// of each. Keyed by the first launch that has it.
struct GroupRow {
  uint64_t launches = 0;
  store::Ranges at;
  std::map<std::string, std::string> values;
};

std::vector<GroupRow> group_rows(const KernelDiff& diff, const std::vector<std::string>& fields) {
  std::map<int64_t, GroupRow> rows;
  for (const std::string& name : fields) {
    const DiffField* field = find_field(diff, name);
    if (!field) continue;
    for (const store::DiffValue& value : field->values) {
      GroupRow& row = rows[value.at.empty() ? -1 : value.at.front().first];
      row.launches = value.launches, row.at = value.at;
      row.values[name] = value.json;
    }
  }
  std::vector<GroupRow> sorted;
  for (auto& [start, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const GroupRow& a, const GroupRow& b) { return a.launches > b.launches; });
  return sorted;
}

size_t value_width(const std::vector<GroupRow>& rows, const std::string& field) {
  size_t widest = display_width(short_field(field));
  for (const GroupRow& row : rows) {
    const auto value = row.values.find(field);
    if (value == row.values.end()) continue;
    widest = std::max(widest, std::min(kMaxValue, display_width(printable(value->second))));
  }
  return widest;
}

// torch 2.11 writes Inductor's launches without arguments unless it is asked to.
bool has_arguments(const KernelDiff& diff) {
  return std::any_of(diff.fields.begin(), diff.fields.end(), [](const DiffField& field) {
    return field.name.starts_with(kArguments) || field.name.starts_with(kInductor);
  });
}

Table group_table(const std::vector<GroupRow>& rows, const std::vector<std::string>& fields,
                  bool all) {
  Table table{{{"launches", Align::right, 0, 0, false}, {"at", Align::left, 0, 12, false}}, {}};
  for (const std::string& field : fields) {
    table.columns.push_back({short_field(field), Align::right, 0, 8, false});
  }
  for (size_t i = 0; i < rows.size() && (all || i < kMaxValues); ++i) {
    std::vector<std::string> cells = {human_count(rows[i].launches), ranges_text(rows[i].at)};
    for (const std::string& field : fields) {
      const auto value = rows[i].values.find(field);
      cells.push_back(value == rows[i].values.end() ? "absent"
                                                    : shorten_middle(value->second, kMaxValue));
    }
    table.add(std::move(cells));
  }
  return table;
}

// The fields without those whose values equal those of an earlier one, which are named in `notes`.
std::vector<std::string> without_equals(const std::vector<GroupRow>& rows,
                                        const std::vector<std::string>& fields, const Style& style,
                                        std::string& notes) {
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> kept;  // values, names
  for (const std::string& field : fields) {
    std::vector<std::string> values;
    for (const GroupRow& row : rows) {
      const auto value = row.values.find(field);
      values.push_back(value == row.values.end() ? "" : value->second);
    }
    const auto like =
        std::find_if(kept.begin(), kept.end(), [&](const auto& k) { return k.first == values; });
    if (like != kept.end()) {
      like->second.push_back(field);
    } else {
      kept.push_back({std::move(values), {field}});
    }
  }
  std::vector<std::string> found;
  for (const auto& [values, names] : kept) {
    found.push_back(names.front());
    std::vector<std::string> words;
    for (size_t i = 1; i < names.size(); ++i) words.push_back(printable(short_field(names[i])));
    if (words.empty()) continue;
    words.front() =
        fmt::format("equal to {}: {}", printable(short_field(names.front())), words.front());
    notes += wrapped(words, ", ", style.width, "    ");
  }
  return found;
}

// As many bands of columns as the width needs.
std::string group_tables(const std::vector<GroupRow>& rows, const std::vector<std::string>& fields,
                         const Style& style, bool all) {
  constexpr size_t kFixed = 4 + 8 + 2;  // indent, launches, gap
  size_t at = 2;
  for (const GroupRow& row : rows) at = std::max(at, display_width(ranges_text(row.at)));
  std::string out, notes;
  std::vector<std::string> band;
  size_t used = kFixed + at;
  for (const std::string& field : without_equals(rows, fields, style, notes)) {
    const size_t width = value_width(rows, field) + 2;
    if (!band.empty() && style.width > 0 && used + width > style.width) {
      out += render(group_table(rows, band, all), style, "    ");
      band.clear();
      used = kFixed + at;
    }
    band.push_back(field);
    used += width;
  }
  out += render(group_table(rows, band, all), style, "    ");
  if (rows.size() > kMaxValues && !all) {
    out += fmt::format("    … {} more: --all\n", human_count(rows.size() - kMaxValues));
  }
  return out + notes;
}

// Groups of the varying fields: those of the store, and what is in none of them alone.
std::vector<std::vector<std::string>> groups_of(const KernelDiff& diff) {
  std::vector<std::vector<std::string>> groups;
  std::set<std::string> grouped;
  for (const LockStep& step : diff.lock_steps) {
    std::vector<std::string> fields;
    for (const std::string& name : step.fields) {
      const DiffField* field = find_field(diff, name);
      if (field && counts(*field)) fields.push_back(name);
      grouped.insert(name);
    }
    if (!fields.empty()) groups.push_back(std::move(fields));
  }
  for (const DiffField& field : diff.fields) {
    if (counts(field) && !grouped.contains(field.name)) groups.push_back({field.name});
  }
  return groups;
}

// What is the same, by argument; arguments that have all of it in common share a line.
struct SameFields {
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> arguments;
  std::vector<std::string> inductor;  // "BLOCK_M=64"
  std::vector<std::string> others;
  uint64_t metadata = 0, total = 0;
};

// What Inductor burnt in, by value; its type follows from that. An argument that was passed with
// the same value has said it.
void add_inductor(const KernelDiff& diff, const DiffField& field, std::vector<std::string>& words) {
  std::string_view name = std::string_view(field.name).substr(kInductor.size());
  if (name.ends_with(".type") || name.ends_with(".length")) return;
  const DiffField* argument = find_field(diff, std::string(kArguments) + std::string(name));
  if (argument && argument->values.size() == 1 &&
      argument->values[0].json == field.values[0].json) {
    return;
  }
  if (name.ends_with(".value")) name.remove_suffix(6);
  words.push_back(
      fmt::format("{}={}", printable(name), shorten_middle(printable(field.values[0].json), 30)));
}

std::string same_word(std::string_view name, const DiffField& field) {
  return fmt::format("{}={}", printable(name),
                     shorten_middle(printable(field.values[0].json), kMaxValue));
}

SameFields same_fields(const KernelDiff& diff) {
  constexpr std::string_view kMetadata = "compilation_metadata.";
  SameFields same;
  std::vector<std::pair<std::string, std::vector<std::string>>> arguments;
  for (const DiffField& field : diff.fields) {
    if (field.varies || field.values.size() != 1 || field.is_measured) continue;
    if (field.is_volatile || field.name.starts_with("stack")) continue;
    ++same.total;
    const std::string_view name = field.name;
    const size_t dot = name.find('.', kArguments.size());
    if (name.starts_with(kMetadata)) {
      ++same.metadata;
    } else if (name.starts_with(kInductor)) {
      add_inductor(diff, field, same.inductor);
    } else if (name.starts_with(kArguments) && dot != name.npos) {
      const std::string argument(name.substr(kArguments.size(), dot - kArguments.size()));
      if (arguments.empty() || arguments.back().first != argument)
        arguments.push_back({argument, {}});
      arguments.back().second.push_back(same_word(name.substr(dot + 1), field));
    } else {
      same.others.push_back(same_word(name, field));
    }
  }
  for (auto& [name, words] : arguments) {
    const auto like =
        std::find_if(same.arguments.begin(), same.arguments.end(),
                     [&, w = &words](const auto& known) { return known.second == *w; });
    if (like != same.arguments.end()) {
      like->first.push_back(printable(name));
    } else {
      same.arguments.push_back({{printable(name)}, std::move(words)});
    }
  }
  return same;
}

std::string same_text(const KernelDiff& diff, std::string_view title, const Style& style) {
  const SameFields same = same_fields(diff);
  if (same.total == 0) return "";
  std::string out = bold(fmt::format("{} ({})", title, plural(same.total, "field")), style) + '\n';
  for (const auto& [names, words] : same.arguments) {
    std::vector<std::string> line = words;
    line.front() = join(names, ", ") + ":  " + line.front();
    out += wrapped(line, "  ", style.width, "    ");
  }
  if (!same.inductor.empty()) {
    std::vector<std::string> line = same.inductor;
    line.front() = "set by Inductor:  " + line.front();
    out += wrapped(line, "  ", style.width, "    ");
  }
  std::vector<std::string> rest = same.others;
  if (same.metadata)
    rest.push_back(plural(same.metadata, "field") + " of compilation_metadata (--json lists them)");
  return out + wrapped(rest, "  ", style.width, "    ");
}

std::string varying_text(const KernelDiff& diff, const Style& style, bool all) {
  std::string out;
  for (const std::vector<std::string>& fields : groups_of(diff)) {
    const std::vector<GroupRow> rows = group_rows(diff, fields);
    const std::string title =
        fields.size() == 1 ? fmt::format("Varies: {}, {}", printable(short_field(fields[0])),
                                         plural(rows.size(), "value"))
                           : fmt::format("Vary together: {}, {}", plural(fields.size(), "field"),
                                         plural(rows.size(), "combination"));
    out += '\n' + bold(title, style) + '\n' + group_tables(rows, fields, style, all);
  }
  if (!out.empty()) return out;
  return has_arguments(diff)
             ? "\nArguments and grid are the same in all launches, pointers aside.\n"
             : "\nArguments not recorded in this trace: whether they vary is not known.\n";
}

std::string pointer_text(const KernelRow& kernel, const KernelDiff& diff, const Style& style) {
  Table table{{{"pointer"},
               {"distinct", Align::right, 0, 0, false},
               {"divisible by 16", Align::right, 0, 0, false}},
              {}};
  for (const DiffField& field : diff.fields) {
    if (!field.is_pointer) continue;
    const uint64_t aligned = static_cast<uint64_t>(field.aligned.value_or(0));
    table.add({short_field(field.name), human_count(field.distinct),
               aligned == field.present
                   ? field.present == kernel.user_launches
                         ? "all"
                         : fmt::format("all {} that have it", human_count(field.present))
                   : fmt::format("{} of {}", human_count(aligned), human_count(field.present))});
  }
  if (table.rows.empty()) return "";
  return '\n' + bold("Pointers", style) + '\n' + render(table, style, "    ");
}

std::string by_nature_text(const KernelDiff& diff, const Style& style) {
  std::vector<std::string> words;
  for (const DiffField& field : diff.fields) {
    if (field.is_pointer || !(field.is_volatile || field.is_measured) || !field.varies) continue;
    words.push_back(
        fmt::format("{} ({})", printable(short_field(field.name)), human_count(field.distinct)));
  }
  if (words.empty()) return "";
  return '\n' +
         bold("Differ by themselves: times, processes, statistics of tensors (distinct values)",
              style) +
         '\n' + wrapped(words, ", ", style.width, "    ");
}

std::string call_site_text(const store::ConfigurationRow& row) {
  if (row.call_sites.empty()) return "";
  std::string text = base_name(row.call_sites[0].first);
  if (row.call_sites.size() > 1) text += fmt::format(" +{} more", row.call_sites.size() - 1);
  return text;
}

// A group is named after its first argument that is a plain value, for that is what a user passed.
std::string lead_of(const std::vector<std::string>& fields) {
  const auto is_value = [](const std::string& name) {
    return name.starts_with(kArguments) && name.ends_with(".value");
  };
  const auto found = std::find_if(fields.begin(), fields.end(), is_value);
  return found == fields.end() ? fields.front() : *found;
}

std::string value_in(const store::ConfigurationRow& row, const std::string& field) {
  for (const auto& [name, value] : row.fields) {
    if (name == field) return value ? shorten_middle(*value, kMaxValue) : "absent";
  }
  return "";
}

std::string followers_text(const std::vector<std::string>& fields, const std::string& lead,
                           const Style& style, bool all) {
  std::vector<std::string> others;
  for (const std::string& field : fields) {
    if (field != lead) others.push_back(printable(short_field(field)));
  }
  if (others.empty()) return "";
  const size_t count = others.size();
  if (count > 8 && !all) {
    others.resize(8);
    others.push_back(fmt::format("… {} more: --all", count - 8));
  }
  others.front() = printable(short_field(lead)) + " moves with " + others.front();
  return wrapped(others, ", ", style.width, "    ");
}

// Where the first `shown` configurations are launched: told to ask for it, or told.
std::string call_sites_text(const KernelDiff& diff, size_t shown, const Style& style, bool all) {
  const bool several = std::any_of(diff.configurations.begin(),
                                   diff.configurations.begin() + static_cast<std::ptrdiff_t>(shown),
                                   [](const auto& row) { return row.call_sites.size() > 1; });
  if (!several) return "";
  if (!all) return "  --all lists every call site\n";
  Table table{{{"launches", Align::right, 0, 0, false},
               {"at", Align::left, 0, 8, false},
               {"call site", Align::left, 0, 16, true}},
              {}};
  for (const store::ConfigurationRow& row : diff.configurations) {
    const std::string at = ranges_text(row.at);
    for (const auto& [location, launches] : row.call_sites) {
      table.add({human_count(launches), at, location});
    }
  }
  return '\n' + bold("Call sites of the configurations", style) + '\n' + render(table, style, "  ");
}

}  // namespace

std::string configurations_text(const KernelRow& kernel, const KernelDiff& diff, const Style& style,
                                bool all) {
  if (kernel.user_launches == 0) return "";
  const auto groups = groups_of(diff);
  Table table{{{"launches", Align::right, 0, 0, false},
               {"at", Align::left, 0, 8, false},
               {"call site", Align::left, 0, 16, true}},
              {}};
  std::string followers;
  for (const auto& fields : groups) {
    table.columns.push_back({short_field(lead_of(fields)), Align::right, 0, 8, true});
    followers += followers_text(fields, lead_of(fields), style, all);
  }
  const size_t count = diff.configurations.size();
  const size_t shown = all ? count : std::min(count, kMaxValues);
  for (size_t i = 0; i < shown; ++i) {
    const store::ConfigurationRow& row = diff.configurations[i];
    std::vector<std::string> cells = {human_count(row.launches), ranges_text(row.at),
                                      call_site_text(row)};
    for (const auto& fields : groups) cells.push_back(value_in(row, lead_of(fields)));
    table.add(std::move(cells));
  }
  const std::string launches = plural(kernel.user_launches, "user launch", "user launches");
  const std::string title =
      has_arguments(diff)
          ? fmt::format("Launch configurations ({} over {})", human_count(count), launches)
          : fmt::format("Launches ({}; arguments not recorded in this trace)", launches);
  std::string out = bold(title, style) + '\n' + render(table, style, "  ");
  if (shown < count) out += fmt::format("  … {} more: --all\n", human_count(count - shown));
  return out + followers + call_sites_text(diff, shown, style, all);
}

std::string diff_text(const KernelRow& kernel, const KernelDiff& diff, const Style& style,
                      bool all) {
  const std::string head =
      fmt::format("{} {}: {}, {}\n", bold(printable(kernel_label(kernel)), style),
                  short_hash(kernel), plural(kernel.user_launches, "user launch", "user launches"),
                  plural(diff.configurations.size(), "configuration"));
  if (kernel.user_launches == 0)
    return head + "No user launches, so there is nothing to compare.\n";
  if (kernel.user_launches == 1)
    return head + same_text(diff, "One launch, so nothing differs", style);
  return head + same_text(diff, "Same in all launches", style) + varying_text(diff, style, all) +
         pointer_text(kernel, diff, style) + by_nature_text(diff, style);
}

}  // namespace ks::report
