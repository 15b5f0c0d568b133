// The columns of torch's kernel_metadata, cell for cell. They are counts of words in the kernel's
// text, comments included; docs/inductor.md says what is wrong with each, and which column of ours
// is right.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "inductor/kernel_text.h"
#include "inductor/metadata_table.h"

namespace ks::inductor {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string count(std::string_view text, std::string_view word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) ++n;
  return std::to_string(n);
}

// The one decorator whose name is somewhere in the module, or "unknown". The '@' is in front of the
// module's name in newer files, of the decorator's in older ones.
std::string category(std::string_view module) {
  constexpr std::array<std::string_view, 6> kKnown = {
      "foreach", "persistent_reduction", "pointwise", "reduction", "split_scan", "template"};
  std::string found;
  for (const std::string_view name : kKnown) {
    if (module.find(fmt::format("@triton_heuristics.{}", name)) == module.npos &&
        module.find(fmt::format("@{}", name)) == module.npos) {
      continue;
    }
    if (!found.empty()) return "unknown";
    found = name;
  }
  return found.empty() ? "unknown" : found;
}

// Of the first digits after "NAME = ", also where NAME is the end of a longer name.
std::string numel(std::string_view function, std::string_view name) {
  const std::string wanted = fmt::format("{} = ", name);
  for (size_t at = function.find(wanted); at != function.npos; at = function.find(wanted, at + 1)) {
    const std::string_view rest = function.substr(at + wanted.size());
    const size_t digits =
        static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin());
    if (digits == 0) continue;
    const std::string_view number = rest.substr(0, digits);
    // Python's int() drops leading zeros.
    return std::string(number.substr(std::min(number.find_first_not_of('0'), digits - 1)));
  }
  return "";
}

// Commas of the first line of "def", whose parameters all stand there.
std::string args(std::string_view function) {
  const std::string_view line = function.substr(0, function.find('\n'));
  const size_t begin = line.find('('), end = line.find("):");
  if (begin == line.npos || end == line.npos || end < begin) return "";
  const std::string_view list = line.substr(begin, end - begin);
  return std::to_string(std::count(list.begin(), list.end(), ',') + 1);
}

// Digits and dots behind 'kernel_num_gb': , without an exponent: 2.048e-06 is read as 2.048.
std::string args_num_gb(std::string_view decorated) {
  constexpr std::string_view kName = "kernel_num_gb";
  for (size_t at = decorated.find(kName); at != decorated.npos;
       at = decorated.find(kName, at + 1)) {
    std::string_view rest = decorated.substr(at + kName.size());
    if (rest.size() < 2 || rest[1] != ':') continue;
    rest.remove_prefix(2);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n\r\f\v"), rest.size()));
    const std::string_view digits =
        rest.substr(0, std::min(rest.find_first_not_of("0123456789."), rest.size()));
    if (digits.empty()) continue;
    double value = 0;
    const char* end = digits.data() + digits.size();
    const auto [read, error] = std::from_chars(digits.data(), end, value);
    return error == std::errc() && read == end ? fmt::format("{:.6f}", value) : "";
  }
  return "";
}

std::string lines(std::string_view function) {
  return std::to_string(std::count(function.begin(), function.end(), '\n') + 1);
}

}  // namespace

std::vector<std::string> upstream_cells(const Kernel& kernel) {
  const std::optional<KernelText> found = find_kernel(kernel.source);
  const KernelText text = found.value_or(KernelText());
  const std::string_view function = text.function;
  const std::string kind = category(kernel.source);
  const bool hinted = kind == "reduction" || kind == "persistent_reduction";
  return {kernel.unique_name.empty() ? kernel.name : kernel.unique_name,
          kernel.path,
          kind,
          kind == "foreach" ? "" : kernel.size_hints,
          hinted ? kernel.reduction_hint : "",
          found ? lines(function) : "0",
          count(function, "tl.load"),
          count(function, "tl.store"),
          count(function, "for "),
          count(function, "tl.atomic_add"),
          args(function),
          numel(function, "xnumel"),
          numel(function, "ynumel"),
          numel(function, "rnumel"),
          args_num_gb(text.decorated)};
}

}  // namespace ks::inductor
