#pragma once
// Comma-separated values, RFC 4180, as lenient as real files need: any line end, a byte order mark,
// rows shorter or longer than the header, quotes in the middle of a cell, a last row without end.
// Own code because the files are ragged and mixed with other text, and cells must come back unread
// (`1,190,245` stays text); the readers that we know give types or insist on a rectangle.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ks {

using CsvRow = std::vector<std::string>;

// Reads row by row from text that outlives it. A quoted cell may hold line ends.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text);
  std::optional<CsvRow> next();          // nothing: end; a blank line is a row of one empty cell
  size_t line() const { return line_; }  // of the row that next() gave last; the first is 1
  size_t offset() const { return offset_; }  // where the next row begins, in bytes

 private:
  std::string_view text_;
  size_t offset_ = 0, line_ = 0, next_line_ = 1;
};

// A row as Python's csv.writer writes it (minimal quoting), with '\n' behind it.
void append_csv_row(std::string& out, const std::vector<std::string>& row);

}  // namespace ks
