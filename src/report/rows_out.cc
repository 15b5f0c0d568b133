#include "report/rows_out.h"

#include <fmt/format.h>

#include <set>

#include "base/json_writer.h"
#include "store/query.h"

namespace ks::report {
namespace {

using store::Cell;

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
      line_ += csv_field(store::cell_text(cells[i]));
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
      store::append_cell(json, cells[i]);
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
    // Digits are never shortened. Where the width does not do, the last columns go first.
    for (const store::Column& column : columns) {
      const int priority = static_cast<int>(table_.columns.size());
      table_.columns.push_back({column.name, column.numeric ? Align::right : Align::left, priority,
                                column.numeric ? 0U : 12U, false});
    }
  }
  bool row(std::span<const Cell> cells) override {
    std::vector<std::string> texts;
    for (const Cell& cell : cells) texts.push_back(store::cell_text(cell));
    table_.add(std::move(texts));
    return true;
  }
  void end() override {
    std::vector<std::string> hidden;
    const std::string text = render(table_, style_, "", &hidden);
    write_(text + hidden_text(hidden, "--csv and --json have all", style_));
  }

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

AnswerPrinter::AnswerPrinter(RowFormat format, Write write, const Style& style)
    : format_(format), write_(std::move(write)), style_(style) {}

store::RowSink* AnswerPrinter::next(size_t index, size_t count) {
  if (printer_) printer_->end();
  const bool list = format_ == RowFormat::json && count > 1;
  if (list) {
    write_(index == 0 ? "[\n" : ",\n");
  } else if (index > 0) {
    write_("\n");
  }
  last_ = list ? "]\n" : "";
  printer_ = row_printer(format_, write_, style_);
  return printer_.get();
}

void AnswerPrinter::end() {
  if (printer_) printer_->end();
  write_(last_);
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
