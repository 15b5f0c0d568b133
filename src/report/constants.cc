#include "report/constants.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace ks::report {
namespace {

constexpr size_t kNone = std::string_view::npos;

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view leading_name(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && is_name(text[end])) ++end;
  return text.substr(0, end);
}

// After the quote at `at`: where the JSON string ends.
size_t string_end(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return std::min(at + 1, json.size());
}

// The value that starts at `at`: a string, or what comes before the next comma or brace outside of
// brackets.
size_t value_end(std::string_view json, size_t at) {
  int depth = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (c == '"') {
      at = string_end(json, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) break;
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    ++at;
  }
  return at;
}

// {"(12,)":128}: path of positions and value. The run file has metadata without white space.
std::vector<std::pair<std::string_view, std::string_view>> entries(std::string_view metadata) {
  constexpr std::string_view kKey = "\"src_constants\":{";
  std::vector<std::pair<std::string_view, std::string_view>> found;
  size_t at = metadata.find(kKey);
  if (at == kNone) return found;
  at += kKey.size();
  while (at < metadata.size() && metadata[at] == '"') {
    const size_t key_end = string_end(metadata, at);
    const std::string_view key = metadata.substr(at + 1, key_end - at - 2);
    if (key_end >= metadata.size()) break;
    const size_t end = value_end(metadata, key_end + 1);
    found.emplace_back(key, metadata.substr(key_end + 1, end - key_end - 1));
    at = end + 1;
    if (end >= metadata.size() || metadata[end] == '}') break;
  }
  return found;
}

// What stands between the brackets of the kernel's definition, and what comes after them.
std::pair<std::string_view, std::string_view> definition(std::string_view kernel,
                                                         std::string_view python) {
  size_t at = python.find("def " + std::string(kernel) + "(");
  if (at == kNone) at = python.find("def ");
  if (at != kNone) at = python.find('(', at);
  if (at == kNone) return {};
  int depth = 0;
  for (size_t end = at; end < python.size(); ++end) {
    const char c = python[end];
    if (c == '#') end = std::min(python.find('\n', end), python.size() - 1);
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (depth == 0) return {python.substr(at + 1, end - at - 1), python.substr(end)};
  }
  return {};
}

std::vector<std::string> parameters(std::string_view text) {
  std::vector<std::string> names;
  int depth = 0;
  bool fresh = true;  // the next word is a parameter's name
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == ',' && depth == 0) {
      fresh = true;
    } else if (fresh && is_name(c)) {
      names.emplace_back(leading_name(text.substr(at)));
      at += names.back().size() - 1;
      fresh = false;
    }
  }
  return names;
}

// "(7,)" is the parameter's name, "(3, 1)" the name with ".1".
std::string name_of(std::string_view path, const std::vector<std::string>& names) {
  if (path.starts_with('(')) path.remove_prefix(1);
  if (path.ends_with(')')) path.remove_suffix(1);
  std::string name;
  for (const std::string_view part : split(path, ',')) {
    const std::string_view digits = trim(part);
    if (digits.empty()) continue;
    size_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool number = error == std::errc() && end == digits.data() + digits.size();
    if (!name.empty()) {
      name += "." + std::string(digits);
    } else if (number && index < names.size()) {
      name = names[index];
    } else {
      name = (number ? "#" : "") + std::string(digits);
    }
  }
  return name;
}

// Lines such as "    BLOCK_M : tl.constexpr = 64".
void add_body(std::string_view body, Constants& found) {
  constexpr std::string_view kType = "tl.constexpr";
  for (const std::string_view line : split(body, '\n')) {
    std::string_view text = trim(line);
    const std::string_view name = leading_name(text);
    if (name.empty()) continue;
    text = trim(text.substr(name.size()));
    if (!text.starts_with(':')) continue;
    text = trim(text.substr(1));
    if (!text.starts_with(kType)) continue;
    text = trim(text.substr(kType.size()));
    if (!text.starts_with('=')) continue;
    text = trim(text.substr(1, text.find('#') - 1));
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (!known) found.emplace_back(name, text);
  }
}

}  // namespace

Constants constants_of(std::string_view kernel, std::string_view metadata,
                       std::string_view python) {
  Constants found;
  const auto [signature, body] = definition(kernel, python);
  const std::vector<std::string> names = parameters(signature);
  for (const auto& [path, value] : entries(metadata)) {
    found.emplace_back(name_of(path, names), value);
  }
  add_body(body, found);
  return found;
}

KernelConstants constants_of(const std::vector<store::KernelText>& texts) {
  KernelConstants found;
  for (const store::KernelText& text : texts) {
    found[text.kernel] = constants_of(text.name, text.metadata, text.python);
  }
  return found;
}

std::vector<std::string> differing_constants(const KernelConstants& constants,
                                             const std::vector<uint64_t>& kernels) {
  std::vector<std::string> names;
  std::map<std::string, std::pair<std::string, uint64_t>>
      seen;  // first value, kernels that have it
  for (const uint64_t kernel : kernels) {
    const auto known = constants.find(kernel);
    if (known == constants.end()) continue;
    for (const auto& [name, value] : known->second) {
      auto [entry, fresh] = seen.try_emplace(name, value, 0);
      if (fresh) names.push_back(name);
      if (entry->second.first == value) ++entry->second.second;
    }
  }
  std::erase_if(names, [&](const auto& name) { return seen[name].second == kernels.size(); });
  return names;
}

Column constant_column(const std::string& name, int priority) {
  return {name, Align::right, priority, std::clamp<size_t>(display_width(name), 6, 16), true};
}

std::string constant_value(const KernelConstants& constants, uint64_t kernel,
                           const std::string& name) {
  const auto known = constants.find(kernel);
  if (known == constants.end()) return "";
  for (const auto& [key, value] : known->second) {
    if (key == name) return value;
  }
  return "";
}

}  // namespace ks::report
