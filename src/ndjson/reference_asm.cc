#include "ndjson/reference_asm.h"

#include <algorithm>
#include <optional>

#include "ndjson/reference_text.h"

namespace ks::ndjson {
namespace {

struct AsmLocation {
  uint64_t line, column;
  std::string_view file;
};

// `:N:N` at `at`.
bool position_at(std::string_view line, size_t at) {
  if (!has_at(line, at, ":")) return false;
  const size_t end = skip_digits(line, at + 1);
  return end > at + 1 && has_at(line, end, ":") && end + 1 < line.size() && is_digit(line[end + 1]);
}

// First answer of `matches` at or after a place, for places that only go down: each place of the
// line is tried once, whatever the number of questions.
template <typename Matches>
class NextFromRight {
 public:
  NextFromRight(size_t size, Matches matches) : low_(size), matches_(matches) {}
  size_t from(size_t at) {
    for (size_t i = low_; i > at; --i) {
      if (matches_(i - 1)) found_ = i - 1;
    }
    low_ = std::min(low_, at);
    return found_;
  }

 private:
  size_t low_;
  Matches matches_;
  size_t found_ = std::string_view::npos;
};

// NAME of `NAME:N:N` after a comment sign, as the pattern \s*(.+?):(\d+):(\d+) finds it: the
// shortest name; white space belongs to it only where nothing else is left.
template <typename Next>
std::string_view comment_name(std::string_view line, size_t at, Next&& next_position) {
  const size_t begin = skip_spaces(line, at);
  const size_t end = begin < line.size() ? next_position(begin + 1) : line.npos;
  if (end != line.npos) return line.substr(begin, end - begin);
  if (begin > at && position_at(line, begin)) return line.substr(begin - 1, 1);
  return {};
}

// A number with white space before it; moves `at` past it.
std::optional<std::string_view> spaced_number(std::string_view line, size_t& at) {
  const size_t begin = skip_spaces(line, at);
  const size_t end = skip_digits(line, begin);
  if (begin == at || end == begin) return std::nullopt;
  at = end;
  return line.substr(begin, end - begin);
}

// .loc FILE LINE COL // NAME:N:N
std::optional<AsmLocation> ptx_location(std::string_view line) {
  static constexpr std::string_view kLoc = ".loc";
  size_t at = skip_spaces(line, 0);
  if (!has_at(line, at, kLoc)) return std::nullopt;
  at += kLoc.size();
  const auto file = spaced_number(line, at);
  const auto source_line = file ? spaced_number(line, at) : std::nullopt;
  const auto column = source_line ? spaced_number(line, at) : std::nullopt;
  if (!column) return std::nullopt;
  const size_t comment = skip_spaces(line, at);
  if (comment == at || !has_at(line, comment, "//")) return std::nullopt;
  const auto next = [&](size_t from) {
    size_t i = line.find(':', from);
    while (i != line.npos && !position_at(line, i)) i = line.find(':', i + 1);
    return i;
  };
  const std::string_view name = comment_name(line, comment + 2, next);
  if (name.empty()) return std::nullopt;
  return AsmLocation{to_number(*source_line), to_number(*column), name};
}

// loc FILE LINE COL [flags] ; NAME:N:N, anywhere on the line; the last one that fits.
std::optional<AsmLocation> amdgcn_location(std::string_view line) {
  size_t p = line.rfind("loc");
  if (p == line.npos) return std::nullopt;
  NextFromRight semicolon(line.size(), [&](size_t i) { return line[i] == ';'; });
  NextFromRight position(line.size(), [&](size_t i) { return position_at(line, i); });
  size_t failed = line.npos;  // a semicolon after which there is no name
  for (; p != line.npos; p = p == 0 ? line.npos : line.rfind("loc", p - 1)) {
    size_t at = p + 3;
    const auto file = spaced_number(line, at);
    const auto source_line = file ? spaced_number(line, at) : std::nullopt;
    const auto column = source_line ? spaced_number(line, at) : std::nullopt;
    if (!column || at >= line.size() || (line[at] != ';' && !is_space(line[at]))) continue;
    const size_t comment = semicolon.from(at);
    if (comment == line.npos || comment == failed) continue;
    const std::string_view name =
        comment_name(line, comment + 1, [&](size_t from) { return position.from(from); });
    if (!name.empty()) return AsmLocation{to_number(*source_line), to_number(*column), name};
    failed = comment;
  }
  return std::nullopt;
}

// `//` or `;` just before `end`, white space between.
bool comment_before(std::string_view line, size_t end) {
  const size_t at = skip_spaces_back(line, end);
  return (at >= 1 && line[at - 1] == ';') || (at >= 2 && has_at(line, at - 2, "//"));
}

// `// -- TITLE`, `; -- TITLE`; with `globl`, a `.globl NAME` may stand before the dashes.
bool is_mark(std::string_view line, std::string_view title, bool globl) {
  for (size_t at = line.find(title); at != line.npos; at = line.find(title, at + 1)) {
    const size_t dashes = skip_spaces_back(line, at);
    if (dashes < 2 || !has_at(line, dashes - 2, "--")) continue;
    if (comment_before(line, dashes - 2)) return true;
    if (!globl) continue;
    const size_t name_end = skip_spaces_back(line, dashes - 2);
    size_t name = name_end;
    while (name > 0 && !is_space(line[name - 1])) --name;
    const size_t word_end = skip_spaces_back(line, name);
    static constexpr std::string_view kGlobl = ".globl";
    if (name_end == dashes - 2 || name == name_end || word_end == name) continue;
    if (word_end < kGlobl.size() || !has_at(line, word_end - kGlobl.size(), kGlobl)) continue;
    if (comment_before(line, word_end - kGlobl.size())) return true;
  }
  return false;
}

struct Body {
  size_t offset = 0;        // of the first line after the begin mark
  size_t end = 0;           // end of the line with the end mark
  uint32_t first_line = 0;  // number of the line at `offset`; 0: no function
};

// The line that holds `at`.
std::string_view line_at(std::string_view text, size_t at) {
  const size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  const size_t begin = before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

size_t end_offset(std::string_view text, std::string_view line) {
  return static_cast<size_t>(line.data() - text.data()) + line.size();
}

// Looks at the lines with the title alone, in order; `from` is where a line begins.
std::optional<std::string_view> next_mark(std::string_view text, size_t from,
                                          std::string_view title, bool globl) {
  for (size_t at = text.find(title, from); at != text.npos;) {
    const std::string_view line = line_at(text, at);
    if (is_mark(line, title, globl)) return line;
    at = text.find(title, end_offset(text, line));
  }
  return std::nullopt;
}

Body first_function(std::string_view text) {
  const auto begin = next_mark(text, 0, "Begin function", true);
  if (!begin) return {};
  Body body;
  body.offset = end_offset(text, *begin) + 1;
  if (body.offset > text.size()) return {};
  const auto end = next_mark(text, body.offset, "End function", false);
  if (!end) return {};
  body.end = end_offset(text, *end);
  const std::string_view before = text.substr(0, body.offset);
  body.first_line = 1 + static_cast<uint32_t>(std::ranges::count(before, '\n'));
  return body;
}

// Base name to the least path with it.
std::unordered_map<std::string_view, uint32_t> by_base_name(const FileTable& files) {
  std::unordered_map<std::string_view, uint32_t> paths;
  for (uint32_t i = 0; i < files.size(); ++i) {
    const std::string_view path = files.name(i);
    const size_t slash = path.rfind('/');
    const std::string_view base = slash == path.npos ? path : path.substr(slash + 1);
    const auto [at, fresh] = paths.try_emplace(base, i);
    if (!fresh && path < files.name(at->second)) at->second = i;
  }
  return paths;
}

// `//## File "F", line N`
std::optional<AsmLocation> sass_location(std::string_view line) {
  static constexpr std::string_view kFile = "//## File \"", kLine = "\", line ";
  line = strip(line);
  if (!line.starts_with(kFile)) return std::nullopt;
  const size_t quote = line.find('"', kFile.size());
  if (quote == line.npos || quote == kFile.size() || !has_at(line, quote, kLine)) {
    return std::nullopt;
  }
  const size_t begin = quote + kLine.size(), end = skip_digits(line, begin);
  if (begin == end) return std::nullopt;
  return AsmLocation{to_number(line.substr(begin, end - begin)), 0,
                     line.substr(kFile.size(), quote - kFile.size())};
}

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Holds /*hex*/.
bool is_instruction(std::string_view line) {
  for (size_t at = line.find("/*"); at != line.npos; at = line.find("/*", at + 2)) {
    size_t end = at + 2;
    while (end < line.size() && is_hex(line[end])) ++end;
    if (end > at + 2 && has_at(line, end, "*/")) return true;
  }
  return false;
}

}  // namespace

void map_reference_asm(std::string_view text, AsmDialect dialect, FileTable& files, StageMap& map) {
  const Body body = first_function(text);
  if (body.first_line == 0) return;
  const auto paths = by_base_name(files);
  const bool ptx = dialect == AsmDialect::ptx;
  std::optional<MapEntry> current;
  std::string_view last_name;
  const std::string_view function = text.substr(body.offset, body.end - body.offset);
  for_each_line(function, [&](uint32_t number, std::string_view line) {
    const uint32_t text_line = body.first_line + number - 1;
    if (const auto location = ptx ? ptx_location(line) : amdgcn_location(line)) {
      uint32_t file = current && location->file == last_name ? current->file : 0;
      if (!current || location->file != last_name) {
        const auto known = paths.find(location->file);
        const bool absolute = location->file.starts_with('/');
        file = !absolute && known != paths.end() ? known->second : files.id(location->file);
        last_name = location->file;
      }
      current = MapEntry{location->line, location->column, text_line, file};
      map.entries.push_back(*current);
      return;
    }
    if (!current) return;
    const size_t begin = skip_spaces(line, 0);
    if (begin == line.size() || has_at(line, begin, ptx ? "//" : ";")) return;
    current->text_line = text_line;
    map.entries.push_back(*current);
  });
}

void map_reference_sass(std::string_view text, FileTable& files, StageMap& map) {
  std::optional<MapEntry> current;
  bool awaiting_first = true;  // the first comment of a block is the innermost frame
  for_each_line(text, [&](uint32_t number, std::string_view line) {
    if (line.find(".nv_debug_ptx_txt") != line.npos) return;
    if (const auto location = sass_location(line)) {
      const MapEntry entry{location->line, 0, number, files.id(location->file)};
      if (awaiting_first) current = entry;
      awaiting_first = false;
      map.entries.push_back(entry);
    } else if (current && is_instruction(line)) {
      current->text_line = number;
      map.entries.push_back(*current);
      awaiting_first = true;
    }
  });
}

}  // namespace ks::ndjson
