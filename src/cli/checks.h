#pragma once
// Values of options, checked before CLI11 converts them: its own messages name its types.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/kernel_queries.h"

namespace ks::cli {

// A number without sign, from `least` on.
CLI::Validator whole_number(uint64_t least);

// "12", "12-20" or "12,15-18": ranges of lines, both ends included, in the order typed.
Result<store::Ranges> parse_lines(const std::string& text);
CLI::Validator line_ranges();

}  // namespace ks::cli
