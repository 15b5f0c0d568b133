#include "cli/checks.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"

namespace ks::cli {
namespace {

template <typename Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

CLI::Validator whole_number(uint64_t least) {
  return CLI::Validator(
      [least](const std::string& text) {
        uint64_t value = 0;
        const bool good = read_number(text, value) && value >= least;
        return good ? "" : fmt::format("{} is no whole number from {} on", text, least);
      },
      "");
}

Result<store::Ranges> parse_lines(const std::string& text) {
  store::Ranges ranges;
  for (const std::string_view part : split(text, ',')) {
    const size_t dash = part.find('-', 1);
    int64_t first = 0, last = 0;
    const bool good = read_number(trim(part.substr(0, dash)), first) &&
                      (dash == part.npos || read_number(trim(part.substr(dash + 1)), last));
    if (!good) {
      return fail(ErrorKind::input, fmt::format("{} is no line; give 12, 12-20 or 12,15-18", text));
    }
    if (dash == part.npos) last = first;
    if (first < 1) return fail(ErrorKind::input, fmt::format("{}: lines count from 1", text));
    if (last < first) {
      return fail(ErrorKind::input, fmt::format("{} ends before it starts", part));
    }
    ranges.emplace_back(first, last);
  }
  return ranges;
}

CLI::Validator line_ranges() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto lines = parse_lines(text);
        return lines ? "" : lines.error().message;
      },
      "");
}

}  // namespace ks::cli
