#pragma once
// Small pure functions on text.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ks {

std::string_view trim(std::string_view text);  // ASCII white space off both ends
std::vector<std::string_view> split(std::string_view text, char separator);

// Shell-style match of a whole name: * ? [abc] [!a-z]; no special treatment of '/' or leading dots.
bool glob_match(std::string_view pattern, std::string_view name);
bool is_glob(std::string_view text);

// The names nearest to `name` by edit distance (at most a third of its length), best first.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names,
                                 size_t limit = 3);

std::string human_bytes(uint64_t bytes);                            // 1.2 MB (powers of 1000)
std::string human_count(uint64_t n);                                // 12,345
std::string shorten_middle(std::string_view text, size_t columns);  // "abc…xyz"; UTF-8 kept whole
size_t display_width(std::string_view utf8);  // code points; wide characters count 1

}  // namespace ks
