#include "inductor/py_string.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ks::inductor {
namespace {

void append_utf8(std::string& out, uint32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[tail] | code >> (6 * tail));
  for (int i = tail - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

// How many bytes of `digits` are a number of this base and at most `most` digits; 0: none.
size_t read_digits(std::string_view digits, size_t most, int base, uint32_t& code) {
  digits = digits.substr(0, most);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
  return error == std::errc() ? static_cast<size_t>(end - digits.data()) : 0;
}

char simple_escape(char c) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
  const size_t at = kLetters.find(c);
  return at == kLetters.npos ? '\0' : kMeanings[at];
}

// Appends the code point whose `digits` digits follow the two bytes of the escape.
size_t append_coded(std::string& out, std::string_view escape, size_t digits) {
  uint32_t code = 0;
  if (read_digits(escape.substr(2), digits, 16, code) != digits) {
    out += '\\';
    return 1;
  }
  append_utf8(out, code);
  return 2 + digits;
}

// Appends the meaning of the escape at the start of `rest`; how many bytes it took.
size_t append_escape(std::string& out, std::string_view rest) {
  const char c = rest.size() > 1 ? rest[1] : '\0';
  if (c == '\n') return 2;
  if (c == '\r') return rest.substr(2, 1) == "\n" ? 3 : 2;
  if (const char meaning = simple_escape(c); meaning != '\0') {
    out += meaning;
    return 2;
  }
  if (c == 'x') return append_coded(out, rest, 2);
  if (c == 'u') return append_coded(out, rest, 4);
  if (c == 'U') return append_coded(out, rest, 8);
  uint32_t code = 0;
  if (const size_t octal = read_digits(rest.substr(1), 3, 8, code); octal > 0) {
    append_utf8(out, code);
    return 1 + octal;
  }
  out += '\\';
  return 1;
}

}  // namespace

void append_unescaped(std::string& out, std::string_view body) {
  while (!body.empty()) {
    const size_t plain = std::min(body.find('\\'), body.size());
    out.append(body.substr(0, plain));
    body.remove_prefix(plain);
    if (!body.empty()) body.remove_prefix(append_escape(out, body));
  }
}

}  // namespace ks::inductor
