#include "profile/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profile/result_columns.h"

namespace ks::profile {
namespace {

bool is_ours(std::string_view name) {
  const auto& columns = result_columns();
  return std::any_of(columns.begin(), columns.end(),
                     [&](const ResultColumnSpec& spec) { return spec.name == name; });
}

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

void add_input(ResultTable& table, const inductor::MetadataTable& input) {
  size_t replaced = 0;
  for (size_t c = 0; c < input.columns.size(); ++c) {
    if (is_ours(input.columns[c])) {
      replaced += input.columns[c] != "source_hash";  // ours says the same
      continue;
    }
    ResultColumn& column = table.columns.emplace_back();
    column.name = input.columns[c];
    column.from_input = true;
    column.cells.reserve(input.rows.size());
    for (const auto& row : input.rows) column.cells.push_back(text_cell(row[c]));
  }
  if (replaced == 0) return;
  table.notes.push_back(fmt::format(
      "the input has results already: {} of its columns make way for new ones", replaced));
}

}  // namespace

const ResultColumn* ResultTable::find(std::string_view name) const {
  for (const ResultColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

ResultTable make_result_table(const inductor::MetadataTable& input,
                              const std::vector<RowResult>& results) {
  ResultTable table;
  add_input(table, input);
  for (const ResultColumnSpec& spec : result_columns()) {
    ResultColumn& column = table.columns.emplace_back();
    column.name = spec.name;
    column.type = spec.type;
    column.cells.reserve(results.size());
    for (const RowResult& result : results) {
      Cell cell = spec.value(result);
      const double* real = std::get_if<double>(&cell);
      column.cells.push_back(real && !std::isfinite(*real) ? Cell() : std::move(cell));
    }
  }
  return table;
}

}  // namespace ks::profile
