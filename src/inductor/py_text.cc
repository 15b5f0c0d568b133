#include "inductor/py_text.h"

#include <algorithm>

namespace ks::inductor {
namespace {

size_t end_of_line(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size());
}

// Behind the backslash at `at` and what it stands in front of; "\r\n" is one line end.
size_t after_escape(std::string_view text, size_t at) {
  const bool crlf = text.substr(at + 1, 2) == "\r\n";
  return std::min(at + (crlf ? 3 : 2), text.size());
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

}  // namespace

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view identifier_at(std::string_view text, size_t at, bool dotted) {
  size_t end = at;
  if (at >= text.size() || (text[at] >= '0' && text[at] <= '9')) return {};
  while (end < text.size()) {
    const bool dot = dotted && text[end] == '.' && end > at && text[end - 1] != '.';
    if (!dot && !is_identifier_char(text[end])) break;
    ++end;
  }
  if (end > at && text[end - 1] == '.') --end;
  return text.substr(at, end - at);
}

bool is_string_prefix(std::string_view identifier) {
  return !identifier.empty() && identifier.size() <= 2 &&
         identifier.find_first_not_of("rRbBuUfF") == identifier.npos;
}

size_t quotes_at(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != '\'' && text[at] != '"')) return 0;
  const std::string_view three = text.substr(at, 3);
  return three.size() == 3 && three[1] == three[0] && three[2] == three[0] ? 3 : 1;
}

size_t end_of_string(std::string_view text, size_t at) {
  const size_t quotes = quotes_at(text, at);
  const std::string_view mark = text.substr(at, quotes);
  for (at += quotes; at < text.size();) {
    if (text[at] == '\\') {
      at = after_escape(text, at);
    } else if (text[at] == mark[0] && text.substr(at, quotes) == mark) {
      return at + quotes;
    } else if (text[at] == '\n' && quotes == 1) {
      return at;
    } else {
      ++at;
    }
  }
  return text.size();
}

size_t end_of_token(std::string_view text, size_t at, size_t& depth) {
  const char c = text[at];
  if (quotes_at(text, at) > 0) return end_of_string(text, at);
  if (c == '#') return end_of_line(text, at);
  if (c == '\\') return after_escape(text, at);
  if (c == '(' || c == '[' || c == '{') ++depth;
  if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
  const std::string_view identifier = identifier_at(text, at);
  return identifier.empty() ? at + 1 : at + identifier.size();
}

std::optional<PyStatement> PyStatements::next() {
  size_t line = at_;
  while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) {
    if (text_[at_++] == '\n') line = at_;
  }
  if (at_ >= text_.size()) return std::nullopt;
  PyStatement found;
  found.begin = at_;
  found.column = at_ - line;
  found.comment = text_[at_] == '#';
  size_t depth = 0;
  while (at_ < text_.size() && (depth > 0 || text_[at_] != '\n')) {
    at_ = end_of_token(text_, at_, depth);
  }
  found.end = at_;
  while (found.end > found.begin && is_blank(text_[found.end - 1])) --found.end;
  found.text = text_.substr(found.begin, found.end - found.begin);
  return found;
}

}  // namespace ks::inductor
