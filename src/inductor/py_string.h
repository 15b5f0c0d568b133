#pragma once

#include <string>
#include <string_view>

namespace ks::inductor {

// Appends what a Python string literal without its quotes stands for. \N{...} and escapes that
// Python does not know stay as they are; a surrogate becomes U+FFFD.
void append_unescaped(std::string& out, std::string_view body);

}  // namespace ks::inductor
