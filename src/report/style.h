#pragma once
// How text is to look, decided by the command line.

#include <cstddef>
#include <string>
#include <string_view>

namespace ks::report {

struct Style {
  size_t width = 0;     // columns; 0: no limit
  bool colour = false;  // terminal codes wanted
};

std::string bold(std::string_view text, const Style& style);
std::string dim(std::string_view text, const Style& style);

// Text of a trace, made harmless for a terminal: control characters, bytes that are not UTF-8 and
// characters that turn the writing direction become \n, \x1b, \u202e.
std::string printable(std::string_view text);

}  // namespace ks::report
