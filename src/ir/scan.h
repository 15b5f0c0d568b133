#pragma once
// Hand scanners shared by the readers of compiled texts. None allocates; all are bounded by the
// text they are given.

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ks::ir {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         c == '.' || c == '-';
}

// text.find(word, from), much faster where the first letter of the word is frequent.
inline size_t find_text(std::string_view text, std::string_view word, size_t from = 0) {
  if (from >= text.size()) return text.npos;
  const void* hit = memmem(text.data() + from, text.size() - from, word.data(), word.size());
  return hit ? static_cast<size_t>(static_cast<const char*>(hit) - text.data()) : text.npos;
}

inline void skip_blanks(std::string_view& text) {
  size_t i = 0;
  while (i < text.size() && is_blank(text[i])) ++i;
  text.remove_prefix(i);
}

inline std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

inline bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Decimal digits, saturating at UINT32_MAX. False, and nothing taken, without a digit.
inline bool take_number(std::string_view& text, uint32_t& value) {
  uint64_t v = 0;
  size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    v = v * 10 + static_cast<uint64_t>(text[i] - '0');
    if (v > UINT32_MAX) v = UINT32_MAX;
  }
  if (i == 0) return false;
  text.remove_prefix(i);
  value = static_cast<uint32_t>(v);
  return true;
}

inline std::string_view take_identifier(std::string_view& text) {
  size_t i = 0;
  while (i < text.size() && is_identifier(text[i])) ++i;
  std::string_view name = text.substr(0, i);
  text.remove_prefix(i);
  return name;
}

// The inside of a quoted string, escapes untouched; text begins at the opening quote. False, and
// text emptied, when the closing quote is missing: a second try cannot succeed either.
inline bool take_quoted(std::string_view& text, std::string_view& inside) {
  for (size_t from = 1; from < text.size();) {
    const void* hit = std::memchr(text.data() + from, '"', text.size() - from);
    if (!hit) break;
    size_t quote = static_cast<size_t>(static_cast<const char*>(hit) - text.data());
    size_t slashes = 0;
    while (quote - slashes > from && text[quote - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) {
      inside = text.substr(1, quote - 1);
      text.remove_prefix(quote + 1);
      return true;
    }
    from = quote + 1;
  }
  text = {};
  return false;
}

// Lines of a text, numbered from 1, without their '\n'.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool next(std::string_view& line) {
    if (at_ == end_) return false;
    const void* hit = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    const char* stop = hit ? static_cast<const char*>(hit) : end_;
    line = std::string_view(at_, static_cast<size_t>(stop - at_));
    at_ = hit ? stop + 1 : end_;
    ++number_;
    return true;
  }
  uint32_t number() const { return number_; }

 private:
  const char* at_;
  const char* end_;
  uint32_t number_ = 0;
};

}  // namespace ks::ir
