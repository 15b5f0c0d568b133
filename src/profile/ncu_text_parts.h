#pragma once
// Single lines of a text page.

#include <optional>
#include <string>
#include <string_view>

#include "profile/ncu_log.h"

namespace ks::profile {

// "  name(args) (2, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0" (from 2022 on) or
// "  name(args), 2021-Apr-25 02:52:37, Context 1, Stream 25" (before).
std::optional<NcuKernel> read_kernel_line(std::string_view line);

// The three groups of dashes above and below a table, as the widths of its columns.
struct TableRule {
  size_t name = 0, unit = 0;  // where these columns end, in bytes of the line
};
std::optional<TableRule> read_rule(std::string_view line);

struct TableRow {
  std::string_view name, unit, value;
};
// By the rule's columns where the line keeps to them, else from the right by runs of blanks.
std::optional<TableRow> read_row(std::string_view line, const TableRule& rule);

}  // namespace ks::profile
