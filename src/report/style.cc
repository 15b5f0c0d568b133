#include "report/style.h"

#include <fmt/format.h>

#include <cstdint>

namespace ks::report {
namespace {

// Length of the UTF-8 character at the start of `text`, and its code; 0 if it is none.
size_t read_character(std::string_view text, uint32_t& code) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80   ? 1
                        : byte(0) < 0xC2 ? 0
                        : byte(0) < 0xE0 ? 2
                        : byte(0) < 0xF0 ? 3
                        : byte(0) < 0xF5 ? 4
                                         : 0;
  if (length == 0 || length > text.size()) return 0;
  code = length == 1 ? byte(0) : byte(0) & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  return length;
}

bool is_harmless(uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool direction = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
                         code == 0x200E || code == 0x200F || code == 0x2028 || code == 0x2029;
  return !control && !direction;
}

std::string escape(uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

std::string coded(std::string_view code, std::string_view text, const Style& style) {
  return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

std::string bold(std::string_view text, const Style& style) { return coded("1", text, style); }
std::string dim(std::string_view text, const Style& style) { return coded("2", text, style); }

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = read_character(text, code);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_harmless(code)) {
      out += text.substr(0, length);
    } else {
      out += escape(code);
    }
    text.remove_prefix(length ? length : 1);
  }
  return out;
}

}  // namespace ks::report
