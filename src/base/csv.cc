#include "base/csv.h"

#include <algorithm>

namespace ks {
namespace {

// Reads the quoted part of a cell from behind its opening quote; where the next byte is, or npos if
// the quote is never closed.
size_t read_quoted(std::string_view text, size_t at, std::string& cell) {
  while (at < text.size()) {
    const size_t quote = text.find('"', at);
    if (quote == text.npos) return text.npos;
    cell.append(text.substr(at, quote - at));
    if (quote + 1 >= text.size() || text[quote + 1] != '"') return quote + 1;
    cell += '"';
    at = quote + 2;
  }
  return text.npos;
}

// A quote that is never closed is a letter like any other: it must not swallow the rest of the
// text. This cannot cost much time: all later quotes then stand in pairs, which close at once.
size_t read_cell(std::string_view text, size_t at, std::string& cell) {
  if (at < text.size() && text[at] == '"') {
    const size_t after = read_quoted(text, at + 1, cell);
    if (after != text.npos) {
      at = after;
    } else {
      cell.clear();
    }
  }
  const size_t end = std::min(text.find_first_of(",\r\n", at), text.size());
  cell.append(text.substr(at, end - at));
  return end;
}

size_t skip_line_end(std::string_view text, size_t at) {
  return at + (text.substr(at).starts_with("\r\n") ? 2 : 1);
}

// Line ends in `part`; a "\r\n" is one.
size_t count_lines(std::string_view part) {
  size_t lines = 0;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\n' || (part[i] == '\r' && part.substr(i + 1, 1) != "\n")) ++lines;
  }
  return lines;
}

bool needs_quotes(const std::string& cell) { return cell.find_first_of(",\"\r\n") != cell.npos; }

void append_quoted(std::string& out, const std::string& cell) {
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

CsvReader::CsvReader(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) offset_ = 3;
}

std::optional<CsvRow> CsvReader::next() {
  if (offset_ >= text_.size()) return std::nullopt;
  const size_t begin = offset_;
  line_ = next_line_;
  CsvRow row;
  size_t at = begin;
  while (true) {
    at = read_cell(text_, at, row.emplace_back());
    if (at >= text_.size() || text_[at] != ',') break;
    ++at;
  }
  offset_ = at < text_.size() ? skip_line_end(text_, at) : at;
  next_line_ += count_lines(text_.substr(begin, offset_ - begin));
  return row;
}

void append_csv_row(std::string& out, const std::vector<std::string>& row) {
  // One empty cell alone would be a blank line, which readers skip.
  if (row.size() == 1 && row[0].empty()) out += "\"\"";
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ',';
    if (needs_quotes(row[i])) {
      append_quoted(out, row[i]);
    } else {
      out += row[i];
    }
  }
  out += '\n';
}

}  // namespace ks
