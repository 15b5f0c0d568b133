#pragma once
// Small pieces of text that several reports share.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/kernel_queries.h"

namespace ks::report {

std::string plural(uint64_t n, std::string_view one, std::string_view many = {});  // "1,234 lines"
std::string milliseconds(std::optional<int64_t> microseconds);                     // "12.3", or ""
std::string number(std::optional<int64_t> n);                                      // "1,234", or ""
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string ranges_text(const store::Ranges& ranges, size_t limit = 4);  // "0-2, 7, ..."
std::string base_name(std::string_view path);                            // also of "dir/file.py:12"

// "extracted_args.x.shape" is "x.shape", "extracted_args.n.value" is "n", what Inductor set is
// "inductor.n".
std::string short_field(std::string_view name);

// Words put one after the other, separated by `separator`, in lines of at most `width` columns.
std::string wrapped(std::span<const std::string> words, std::string_view separator, size_t width,
                    std::string_view indent);

}  // namespace ks::report
