#pragma once

#include <optional>
#include <string>

#include "inductor/kernel_file.h"

namespace ks::inductor {

// The kernel of one module's text, as far as the text alone tells; nothing where it has none. The
// text becomes the kernel's source.
std::optional<Kernel> read_kernel_module(std::string text);

// 32 hex digits of SHA-256 over the text without blanks at the ends of lines and without blank
// lines at its ends: a wrapper's copy of a kernel loses these.
std::string hash_of_source(std::string_view text);

}  // namespace ks::inductor
