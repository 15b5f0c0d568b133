#pragma once
// Scanning helpers that follow the rules of Python's `re` and `str` on one line of text, as the
// reference's patterns need them. ASCII digits only; white space as str.isspace() below U+0080.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace ks::ndjson {

inline bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline size_t skip_spaces(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

inline size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

// End of the text before `at`, white space taken off.
inline size_t skip_spaces_back(std::string_view text, size_t at) {
  while (at > 0 && is_space(text[at - 1])) --at;
  return at;
}

inline std::string_view strip(std::string_view text) {
  const size_t begin = skip_spaces(text, 0);
  const size_t end = skip_spaces_back(text, text.size());
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

inline bool has_at(std::string_view text, size_t at, std::string_view what) {
  return text.size() >= at && text.substr(at, what.size()) == what;
}

// Digits to a number; what does not fit becomes the largest (the reference cannot write it at all).
uint64_t to_number(std::string_view digits);

void append_number(std::string& out, uint64_t number);

// Calls f(line number from 1, line) for each piece between '\n'.
template <typename F>
void for_each_line(std::string_view text, F f) {
  uint32_t number = 1;
  for (size_t start = 0;; ++number) {
    const size_t end = text.find('\n', start);
    f(number, text.substr(start, end == text.npos ? text.npos : end - start));
    if (end == text.npos) return;
    start = end + 1;
  }
}

}  // namespace ks::ndjson
