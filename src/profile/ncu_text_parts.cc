#include "profile/ncu_text_parts.h"

#include <algorithm>

#include "base/text.h"
#include "profile/ncu_builder.h"

namespace ks::profile {
namespace {

constexpr std::string_view kIndent = "    ";  // of all that belongs to a kernel

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number_at(std::string_view text) { return !text.empty() && is_digit(text[0]); }

// "2021-Apr-25 02:52:37"
bool is_time(std::string_view text) {
  return text.size() >= 11 && std::ranges::all_of(text.substr(0, 4), is_digit) && text[4] == '-' &&
         text[8] == '-';
}

std::string_view behind(std::string_view text, std::string_view label) {
  const size_t at = text.find(label);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at + label.size());
}

// Splits "name (2, 1, 1)x(128, 1, 1)"; false where the launch's size is not there.
bool split_dims(std::string_view head, NcuKernel& kernel) {
  const size_t cross = head.rfind(")x(");
  if (cross == std::string_view::npos || !head.ends_with(')')) return false;
  const size_t open = head.substr(0, cross).rfind('(');
  if (open == std::string_view::npos) return false;
  kernel.launch.grid = read_dim(head.substr(open, cross - open));
  kernel.launch.block = read_dim(head.substr(cross + 2));
  kernel.launch.kernel = std::string(trim(head.substr(0, open)));
  return true;
}

void split_time(std::string_view head, NcuKernel& kernel) {
  const size_t comma = head.rfind(", ");
  if (comma != std::string_view::npos && is_time(head.substr(comma + 2)))
    head = head.substr(0, comma);
  kernel.launch.kernel = std::string(trim(head));
}

// The last run of at least `blanks` blanks in `text`, as where it begins and ends.
struct Gap {
  size_t begin, end;
};
std::optional<Gap> last_gap(std::string_view text, size_t blanks) {
  size_t end = text.size();
  while (end > 0) {
    end = text.find_last_of(' ', end - 1);
    if (end == std::string_view::npos) return std::nullopt;
    const size_t last = text.find_last_not_of(' ', end);
    const size_t begin = last == std::string_view::npos ? 0 : last + 1;
    if (end + 1 - begin >= blanks) return Gap{begin, end + 1};
    end = begin;
  }
  return std::nullopt;
}

TableRow row_by_gaps(std::string_view line) {
  const std::string_view text = trim(line);
  const auto value_gap = last_gap(text, 2);
  if (!value_gap) {  // a name as wide as its column: one blank before the value
    const auto one = last_gap(text, 1);
    if (!one) return {text, {}, {}};
    return {text.substr(0, one->begin), {}, text.substr(one->end)};
  }
  const std::string_view value = text.substr(value_gap->end);
  const std::string_view left = text.substr(0, value_gap->begin);
  const auto unit_gap = last_gap(left, 2);
  if (!unit_gap) return {left, {}, value};
  return {left.substr(0, unit_gap->begin), left.substr(unit_gap->end), value};
}

}  // namespace

std::optional<NcuKernel> read_kernel_line(std::string_view line) {
  if (line.size() < 3 || !line.starts_with("  ") || line[2] == ' ') return std::nullopt;
  const size_t context = line.rfind(", Context ");
  if (context == std::string_view::npos || context < 3) return std::nullopt;
  const std::string_view facts = line.substr(context);
  if (!is_number_at(behind(facts, ", Stream "))) return std::nullopt;
  NcuKernel kernel;
  const std::string_view head = line.substr(2, context - 2);
  if (!split_dims(head, kernel)) split_time(head, kernel);
  const std::string_view capability = trim(behind(facts, ", CC "));
  if (capability_number(capability) > 0) kernel.circumstances.capability = std::string(capability);
  return kernel;
}

std::optional<TableRule> read_rule(std::string_view line) {
  if (!line.starts_with(kIndent) || line.find_first_not_of("- ") != std::string_view::npos) {
    return std::nullopt;
  }
  line = line.substr(0, line.find_last_of('-') + 1);
  size_t at = kIndent.size(), groups = 0;
  size_t ends[3] = {};
  while (at < line.size() && line[at] == '-') {
    if (groups == 3) return std::nullopt;
    at = std::min(line.find(' ', at), line.size());
    ends[groups++] = at++;
  }
  return groups == 3 ? std::optional(TableRule{ends[0], ends[1]}) : std::nullopt;
}

std::optional<TableRow> read_row(std::string_view line, const TableRule& rule) {
  if (!line.starts_with(kIndent) || line.size() <= kIndent.size() || line[kIndent.size()] == ' ') {
    return std::nullopt;
  }
  TableRow row;
  if (line.size() > rule.unit && line[rule.name] == ' ' && line[rule.unit] == ' ') {
    row = {trim(line.substr(0, rule.name)), trim(line.substr(rule.name, rule.unit - rule.name)),
           trim(line.substr(rule.unit))};
  }
  // A unit or value with blanks in it, "(!) n/a" aside, is a row that overran its columns.
  if (row.value.empty() || row.unit.find(' ') != std::string_view::npos) row = row_by_gaps(line);
  return row.value.empty() ? std::nullopt : std::optional(row);
}

}  // namespace ks::profile
