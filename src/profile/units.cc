#include "profile/units.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace ks::profile {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Multi-byte separators of thousands: NBSP, narrow NBSP, thin space, right quote (Swiss locales).
constexpr std::array<std::string_view, 4> kWideSeparators = {"\xC2\xA0", "\xE2\x80\xAF",
                                                             "\xE2\x80\x89", "\xE2\x80\x99"};

size_t separator_size(std::string_view text) {
  if (text[0] == ',' || text[0] == '\'' || text[0] == '_') return 1;
  for (const std::string_view separator : kWideSeparators) {
    if (text.starts_with(separator)) return separator.size();
  }
  return 0;
}

std::string_view trim_wide(std::string_view cell) {
  cell = trim(cell);
  while (cell.starts_with(kWideSeparators[0])) cell = trim(cell.substr(2));
  while (cell.ends_with(kWideSeparators[0])) cell = trim(cell.substr(0, cell.size() - 2));
  return cell;
}

size_t digits_at(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

// Copies digits and drops what groups them: groups of three, or of two before the last (India).
// False where a group has another size.
bool copy_whole_part(std::string_view& text, std::string& out) {
  size_t group = digits_at(text);
  out.append(text.substr(0, group));
  text.remove_prefix(group);
  bool grouped = false;
  while (!text.empty() && group > 0) {
    const size_t separator = separator_size(text);
    if (separator == 0) break;
    text.remove_prefix(separator);
    if (grouped && group < 2) return false;
    group = digits_at(text);
    if (group < 2 || group > 3) return false;
    out.append(text.substr(0, group));
    text.remove_prefix(group);
    grouped = true;
  }
  return !grouped || group == 3;
}

// The longest cell that can be a number; longer ones are text.
constexpr size_t kMaxCell = 100;

// The cell as from_chars reads it; empty: no number.
std::string plain_number(std::string_view cell) {
  cell = trim_wide(cell);
  std::string out;
  if (cell.empty() || cell.size() > kMaxCell) return out;
  if (cell[0] == '-') out += '-';
  if (cell[0] == '-' || cell[0] == '+') cell.remove_prefix(1);
  if (!copy_whole_part(cell, out)) return {};
  return out.append(cell);
}

std::optional<double> parse_plain(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<int> size_prefix(std::string_view prefix) {
  constexpr std::string_view kPrefixes = "kmgtp";
  if (prefix.empty()) return 0;
  if (prefix.size() > 1) return std::nullopt;
  const size_t at = kPrefixes.find(lower(prefix)[0]);
  if (at == std::string_view::npos) return std::nullopt;
  return 3 * static_cast<int>(at + 1);
}

// A unit's name with anything that may be a prefix before it.
std::optional<int> scaled(std::string_view text, std::string_view name) {
  if (!text.ends_with(name)) return std::nullopt;
  return size_prefix(text.substr(0, text.size() - name.size()));
}

std::optional<int> bytes_exponent(std::string_view text) {
  const std::string low = lower(text);
  if (const auto e = scaled(low, "byte")) return e;
  if (const auto e = scaled(low, "bytes")) return e;
  return scaled(text, "B");
}

// In powers of ten of a nanosecond.
std::optional<int> time_exponent(std::string_view text) {
  for (const std::string_view name : {"seconds", "second", "sec", "s"}) {
    if (!text.ends_with(name)) continue;
    const std::string_view prefix = text.substr(0, text.size() - name.size());
    if (prefix.empty()) return 9;
    if (prefix == "m") return 6;
    if (prefix == "u" || prefix == "\xC2\xB5" || prefix == "\xCE\xBC") return 3;
    if (prefix == "n") return 0;
  }
  return std::nullopt;
}

struct BaseUnit {
  int exponent = 0;
  std::string unit;
};

BaseUnit numerator(std::string_view text) {
  if (const auto e = bytes_exponent(text)) return {*e, "byte"};
  if (const auto e = time_exponent(text)) return {*e, "ns"};
  if (const auto e = scaled(lower(text), "hz")) return {*e, "hz"};
  if (text == "percent") return {0, "%"};
  return {0, std::string(text)};
}

BaseUnit denominator(std::string_view text) {
  if (const auto e = time_exponent(text)) return {9 - *e, "s"};
  // ncu prints 1591 %/byte as 1.591 %/Kbyte: it takes the prefix for one of the whole.
  if (const auto e = bytes_exponent(text)) return {*e, "byte"};
  return {0, std::string(text)};
}

BaseUnit base_unit(std::string_view unit) {
  unit = trim_wide(unit);
  if (unit.empty() || unit == "%") return {0, std::string(unit)};  // most values
  const size_t slash = unit.find('/');
  BaseUnit base = numerator(unit.substr(0, slash));
  if (slash == std::string_view::npos) return base;
  const BaseUnit per = denominator(unit.substr(slash + 1));
  base.exponent += per.exponent;
  if (per.unit == "s" && (base.unit == "cycle" || base.unit == "cycles")) {
    base.unit = "hz";  // cycle/nsecond is how old versions wrote GHz
  } else {
    base.unit += '/';
    base.unit += per.unit;
  }
  return base;
}

double times_ten_to(double value, int exponent) {
  const double factor = std::pow(10.0, std::abs(exponent));  // exact up to 10^22
  return exponent < 0 ? value / factor : value * factor;
}

}  // namespace

std::optional<double> parse_number(std::string_view cell) {
  return parse_plain(plain_number(cell));
}

Quantity to_base(double value, std::string_view unit) {
  BaseUnit base = base_unit(unit);
  return {times_ten_to(value, base.exponent), std::move(base.unit)};
}

std::optional<Quantity> read_quantity(std::string_view cell, std::string_view unit) {
  std::string number = plain_number(cell);
  if (number.empty()) return std::nullopt;
  const std::optional<double> value = parse_plain(number);
  if (!value) return std::nullopt;
  BaseUnit base = base_unit(unit);
  const bool plain = is_digit(number.back()) && number.find_first_of("eE") == std::string::npos;
  if (plain && base.exponent != 0) {
    number += 'e';
    number += std::to_string(base.exponent);
    return Quantity{parse_plain(number).value_or(*value), std::move(base.unit)};
  }
  return Quantity{times_ten_to(*value, base.exponent), std::move(base.unit)};
}

}  // namespace ks::profile
