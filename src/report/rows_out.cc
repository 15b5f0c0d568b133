#include "report/rows_out.h"

#include <fmt/format.h>

#include <set>

#include "base/hash.h"
#include "base/json_writer.h"

namespace ks::report {
namespace {

using store::Cell;
using store::CellKind;

std::string hex_of(std::string_view bytes) {
  return hex(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::string plain(const Cell& cell) {
  switch (cell.kind) {
    case CellKind::null:
      return "";
    case CellKind::boolean:
      return cell.boolean ? "true" : "false";
    case CellKind::integer:
      return fmt::format_int(cell.integer).str();
    case CellKind::natural:
      return fmt::format_int(cell.natural).str();
    case CellKind::real:
      return fmt::format("{}", cell.real);
    case CellKind::blob:
      return hex_of(cell.bytes);
    default:
      return std::string(cell.bytes);
  }
}

void append_json(JsonWriter& json, const Cell& cell) {
  switch (cell.kind) {
    case CellKind::null:
      json.null();
      break;
    case CellKind::boolean:
      json.value(cell.boolean);
      break;
    case CellKind::integer:
      json.value(cell.integer);
      break;
    case CellKind::natural:
      json.value(cell.natural);
      break;
    case CellKind::real:
      json.value(cell.real);
      break;
    case CellKind::blob:
      json.value(hex_of(cell.bytes));
      break;
    case CellKind::json:
      json.raw(cell.bytes);
      break;
    case CellKind::text:
      json.value(cell.bytes);
      break;
  }
}

class CsvPrinter : public RowPrinter {
 public:
  explicit CsvPrinter(Write write) : write_(std::move(write)) {}

  void columns(std::span<const store::Column> columns) override {
    std::string line;
    for (const store::Column& column : columns) {
      line += (line.empty() ? "" : ",") + csv_field(column.name);
    }
    write_(line + '\n');
  }
  bool row(std::span<const Cell> cells) override {
    line_.clear();
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line_ += ',';
      line_ += csv_field(plain(cells[i]));
    }
    return write_(line_ += '\n');
  }

 private:
  Write write_;
  std::string line_;
};

class JsonPrinter : public RowPrinter {
 public:
  explicit JsonPrinter(Write write) : write_(std::move(write)) {}

  void columns(std::span<const store::Column> columns) override {
    std::set<std::string> taken;
    for (const store::Column& column : columns) {
      std::string name = column.name;
      for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", column.name, n);
      names_.push_back(name);
    }
  }
  bool row(std::span<const Cell> cells) override {
    line_ = first_ ? "[\n" : ",\n";
    first_ = false;
    JsonWriter json(line_);
    json.begin_object();
    for (size_t i = 0; i < cells.size(); ++i) {
      json.key(names_[i]);
      append_json(json, cells[i]);
    }
    json.end_object();
    return write_(line_);
  }
  void end() override { write_(first_ ? "[]\n" : "\n]\n"); }

 private:
  Write write_;
  std::vector<std::string> names_;
  std::string line_;
  bool first_ = true;
};

class TablePrinter : public RowPrinter {
 public:
  TablePrinter(Write write, const Style& style) : write_(std::move(write)), style_(style) {}

  void columns(std::span<const store::Column> columns) override {
    for (const store::Column& column : columns) {
      table_.columns.push_back(
          {column.name, column.numeric ? Align::right : Align::left, 0, 12, false});
    }
  }
  bool row(std::span<const Cell> cells) override {
    std::vector<std::string> texts;
    for (const Cell& cell : cells) texts.push_back(plain(cell));
    table_.add(std::move(texts));
    return true;
  }
  void end() override { write_(render(table_, style_)); }

 private:
  Write write_;
  Style style_;
  Table table_;
};

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

std::unique_ptr<RowPrinter> row_printer(RowFormat format, Write write, const Style& style) {
  switch (format) {
    case RowFormat::csv:
      return std::make_unique<CsvPrinter>(std::move(write));
    case RowFormat::json:
      return std::make_unique<JsonPrinter>(std::move(write));
    case RowFormat::table:
      break;
  }
  return std::make_unique<TablePrinter>(std::move(write), style);
}

}  // namespace ks::report
