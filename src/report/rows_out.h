#pragma once
// Answers of SQL as CSV, JSON or a table, row by row.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/style.h"
#include "report/table.h"
#include "store/rows.h"

namespace ks::report {

// Takes a piece of output; false: no more is wanted.
using Write = std::function<bool(std::string_view)>;

enum class RowFormat { table, csv, json };

class RowPrinter : public store::RowSink {
 public:
  virtual void end() {}  // after the last row, unless the answer was an error
};

// csv: RFC 4180 with '\n', NULL is empty. json: one array with an object per row; a name that comes
// again gets _2. table: held until end(). Blobs are shown as hexadecimal digits.
std::unique_ptr<RowPrinter> row_printer(RowFormat format, Write write, const Style& style);

// The answers of several statements. Tables and CSV: one after the other with an empty line
// between; JSON: a list with one list of rows for each statement (of a single statement: its rows).
class AnswerPrinter {
 public:
  AnswerPrinter(RowFormat format, Write write, const Style& style);

  store::RowSink* next(size_t index, size_t count);  // for statement `index` of `count`
  void end();                                        // after the last, unless there was an error

 private:
  RowFormat format_;
  Write write_;
  Style style_;
  std::unique_ptr<RowPrinter> printer_;
  std::string_view last_;
};

std::string csv_field(std::string_view text);

}  // namespace ks::report
