#include "report/words.h"

#include <fmt/format.h>

#include "base/text.h"

namespace ks::report {

std::string plural(uint64_t n, std::string_view one, std::string_view many) {
  const std::string word = n == 1         ? std::string(one)
                           : many.empty() ? std::string(one) + "s"
                                          : std::string(many);
  return human_count(n) + " " + word;
}

std::string milliseconds(std::optional<int64_t> microseconds) {
  if (!microseconds) return "";
  const double ms = static_cast<double>(*microseconds) / 1000;
  return ms >= 100 ? fmt::format("{:.0f}", ms) : fmt::format("{:.1f}", ms);
}

std::string number(std::optional<int64_t> n) {
  if (!n) return "";
  return *n < 0 ? fmt::format("{}", *n) : human_count(static_cast<uint64_t>(*n));
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string ranges_text(const store::Ranges& ranges, size_t limit) {
  std::string text;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (i == limit) return text + fmt::format(", … {} more", ranges.size() - limit);
    const auto& [start, end] = ranges[i];
    if (i > 0) text += ", ";
    text += start == end ? fmt::format("{}", start) : fmt::format("{}-{}", start, end);
  }
  return text;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string short_field(std::string_view name) {
  constexpr std::string_view kArguments = "extracted_args.", kValue = ".value";
  constexpr std::string_view kMetadata = "compilation_metadata.";
  constexpr std::string_view kInductor = "extracted_inductor_args.";
  if (name.starts_with(kMetadata)) return "meta." + std::string(name.substr(kMetadata.size()));
  const bool inductor = name.starts_with(kInductor);
  if (!inductor && !name.starts_with(kArguments)) return std::string(name);
  name.remove_prefix(inductor ? kInductor.size() : kArguments.size());
  if (name.ends_with(kValue)) name.remove_suffix(kValue.size());
  return (inductor ? "inductor." : "") + std::string(name);
}

std::string wrapped(std::span<const std::string> words, std::string_view separator, size_t width,
                    std::string_view indent) {
  std::string out, line;
  for (const std::string& word : words) {
    const bool fits = display_width(line) + separator.size() + display_width(word) <=
                      (width > indent.size() ? width - indent.size() : 0);
    if (!line.empty() && width > 0 && !fits) {
      out += std::string(indent) + line +
             std::string(separator.substr(0, separator.find_last_not_of(' ') + 1)) + '\n';
      line.clear();
    }
    if (!line.empty()) line += separator;
    line += word;
  }
  return line.empty() ? out : out + std::string(indent) + line + '\n';
}

}  // namespace ks::report
