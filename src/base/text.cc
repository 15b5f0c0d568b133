#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ks {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// pattern[i] is '['. Sets `next` to after ']' and says whether c is in the set; a '[' without ']'
// stands for itself.
bool match_set(std::string_view pattern, size_t i, char c, size_t& next) {
  const bool negated = i + 1 < pattern.size() && (pattern[i + 1] == '!' || pattern[i + 1] == '^');
  const size_t first = i + 1 + negated;
  const size_t end = pattern.find(']', first + 1);
  if (end == std::string_view::npos) {
    next = i + 1;
    return c == '[';
  }
  next = end + 1;
  bool found = false;
  for (size_t k = first; k < end; ++k) {
    if (k + 2 < end && pattern[k + 1] == '-') {
      found |= pattern[k] <= c && c <= pattern[k + 2];
      k += 2;
    } else {
      found |= pattern[k] == c;
    }
  }
  return found != negated;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// Linear in practice: on a mismatch only the last '*' is tried again, one character further.
bool glob_match(std::string_view pattern, std::string_view name) {
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0, n = 0, star = kNone, star_name = 0;
  while (n < name.size()) {
    size_t next = p + 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '[' ? match_set(pattern, p, name[n], next)
                                  : pattern[p] == '?' || pattern[p] == name[n])) {
      p = next;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> names,
                                 size_t limit) {
  const size_t allowed = std::max<size_t>(2, name.size() / 3);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : names) {
    const size_t gap =
        std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (gap > allowed) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance <= allowed) found.emplace_back(distance, candidate);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(limit, found.size()); ++i) result.push_back(found[i].second);
  return result;
}

std::string human_bytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_count(uint64_t n) {
  std::string text = fmt::format_int(n).str();
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

size_t display_width(std::string_view utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return !is_continuation(c); }));
}

std::string shorten_middle(std::string_view text, size_t columns) {
  const size_t width = display_width(text);
  if (width <= columns || columns < 3) return std::string(text);
  auto prefix_bytes = [&](size_t count) {
    size_t i = 0;
    while (count > 0 && i < text.size()) {
      ++i;
      while (i < text.size() && is_continuation(text[i])) ++i;
      --count;
    }
    return i;
  };
  const size_t head = columns / 2, tail = columns - head - 1;
  return std::string(text.substr(0, prefix_bytes(head))) + "…" +
         std::string(text.substr(prefix_bytes(width - tail)));
}

}  // namespace ks
