// The table as CSV and JSON, and numbers in text columns.

#include <charconv>

#include "base/csv.h"
#include "base/json_writer.h"
#include "profile/result_table.h"

namespace ks::profile {
namespace {

std::string cell_text(const Cell& cell) {
  std::string text;
  if (const auto* s = std::get_if<std::string>(&cell)) text = *s;
  if (const auto* i = std::get_if<int64_t>(&cell)) text = std::to_string(*i);
  if (const auto* d = std::get_if<double>(&cell)) append_json_real(text, *d);
  return text;
}

void append_cell(JsonWriter& json, const Cell& cell) {
  if (const auto* s = std::get_if<std::string>(&cell)) {
    json.value(*s);
  } else if (const auto* i = std::get_if<int64_t>(&cell)) {
    json.value(*i);
  } else if (const auto* d = std::get_if<double>(&cell)) {
    json.value(*d);
  } else {
    json.null();
  }
}

template <typename T>
bool reads_as(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end;
}

// "007" and "nan" are names or accidents, not numbers that a table may replace.
bool plain_number(const std::string& text) {
  const size_t sign = text.starts_with('-');
  if (text.size() > sign + 1 && text[sign] == '0' && text[sign + 1] >= '0' &&
      text[sign + 1] <= '9') {
    return false;
  }
  return text.find_first_not_of("+-.0123456789eE") == text.npos;
}

template <typename T>
bool convert(ResultColumn& column, CellType type) {
  std::vector<Cell> cells;
  bool any = false;
  for (const Cell& cell : column.cells) {
    const auto* text = std::get_if<std::string>(&cell);
    T value{};
    if (text && !(plain_number(*text) && reads_as(*text, value))) return false;
    any |= text != nullptr;
    cells.push_back(text ? Cell(value) : Cell());
  }
  if (!any) return false;
  column.cells = std::move(cells);
  column.type = type;
  return true;
}

}  // namespace

std::string table_csv(const ResultTable& table) {
  std::string out;
  std::vector<std::string> row;
  for (const ResultColumn& column : table.columns) row.push_back(column.name);
  append_csv_row(out, row);
  for (size_t r = 0; r < table.rows(); ++r) {
    for (size_t c = 0; c < row.size(); ++c) row[c] = cell_text(table.columns[c].cells[r]);
    append_csv_row(out, row);
  }
  return out;
}

std::string table_json(const ResultTable& input) {
  const ResultTable table = with_types(input);
  std::string out = "[";
  for (size_t r = 0; r < table.rows(); ++r) {
    out += r ? ",\n" : "\n";
    JsonWriter json(out);
    json.begin_object();
    for (const ResultColumn& column : table.columns) {
      append_cell(json.key(column.name), column.cells[r]);
    }
    json.end_object();
  }
  return out + "\n]\n";
}

ResultTable with_types(ResultTable table) {
  for (ResultColumn& column : table.columns) {
    if (!column.from_input) continue;
    if (!convert<int64_t>(column, CellType::integer)) convert<double>(column, CellType::real);
  }
  return table;
}

}  // namespace ks::profile
