#include "io/file_name.h"

#include <algorithm>
#include <charconv>

namespace ks::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_host_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

bool take_off(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// Matches (.*)LABEL(VALUE+)_ with VALUE free of '_'; leaves group 1 and '_' in `stem`.
std::optional<std::string_view> take_part(std::string_view& stem, std::string_view label,
                                          bool (*is_value_char)(char)) {
  if (!stem.ends_with('_')) return std::nullopt;
  const std::string_view rest = stem.substr(0, stem.size() - 1);
  const size_t bar = rest.rfind('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const std::string_view before = rest.substr(0, bar + 1);
  const std::string_view value = rest.substr(bar + 1);
  if (value.empty() || !before.ends_with(label) || !std::ranges::all_of(value, is_value_char)) {
    return std::nullopt;
  }
  // The next label begins with '_' and so does this one: its '_' ends the stem that is left.
  stem = before.substr(0, before.size() - label.size() + 1);
  return value;
}

template <typename T>
std::optional<T> to_number(std::optional<std::string_view> digits) {
  T value{};
  if (!digits) return std::nullopt;
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

std::string_view without_compression(std::string_view name) {
  if (!take_off(name, ".gz")) take_off(name, ".zst");
  return name;
}

}  // namespace

TraceFileName parse_trace_file_name(std::string_view name) {
  TraceFileName parsed;
  parsed.is_trace = name.find(kTracePrefix) != std::string_view::npos;
  std::string_view stem = without_compression(name);
  if (!take_off(stem, ".bin.ndjson") && !take_off(stem, ".ndjson")) take_off(stem, ".clp");
  parsed.base = stem;
  if (stem.find('\n') != std::string_view::npos) return parsed;  // '.' of the format's patterns
  if (const auto host = take_part(stem, "_host_", is_host_char)) parsed.host = std::string(*host);
  parsed.pid = to_number<int64_t>(take_part(stem, "_pid_", is_digit));
  parsed.rank = to_number<int>(take_part(stem, "_rank_", is_digit));
  return parsed;
}

bool is_torch_trace_file_name(std::string_view name) {
  return name.find(kTorchTracePrefix) != std::string_view::npos &&
         without_compression(name).ends_with(".log");
}

bool has_ndjson_extension(std::string_view name) {
  return without_compression(name).ends_with(".ndjson");
}

bool is_clp_file_name(std::string_view name) { return without_compression(name).ends_with(".clp"); }

}  // namespace ks::io
