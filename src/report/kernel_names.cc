#include "report/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace ks::report {
namespace {

using store::KernelRow;

bool is_hash_prefix(std::string_view typed) {
  return typed.size() >= 4 && std::all_of(typed.begin(), typed.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
  return out;
}

template <typename Wanted>
std::vector<const KernelRow*> select(const std::vector<KernelRow>& kernels, Wanted wanted) {
  std::vector<const KernelRow*> found;
  for (const KernelRow& kernel : kernels) {
    if (wanted(kernel)) found.push_back(&kernel);
  }
  return found;
}

// name#2: the name and the number, 0 if there is none.
std::pair<std::string_view, uint64_t> split_number(std::string_view typed) {
  const size_t at = typed.rfind('#');
  uint64_t number = 0;
  if (at == std::string_view::npos) return {typed, 0};
  std::from_chars(typed.data() + at + 1, typed.data() + typed.size(), number);
  return {typed.substr(0, at), number};
}

std::vector<std::string> names_of(const std::vector<KernelRow>& kernels) {
  std::vector<std::string> names;
  for (const KernelRow& kernel : kernels) names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// What somebody types from memory is often the start or a part of the name; else it is misspelt.
void suggest(const std::vector<KernelRow>& kernels, std::string_view name, uint64_t number,
             KernelMatch& match) {
  constexpr size_t kMost = 3;
  const std::vector<std::string> names = names_of(kernels);
  std::vector<std::string> found;
  const auto add = [&](const std::string& candidate) {
    if (std::find(found.begin(), found.end(), candidate) == found.end()) found.push_back(candidate);
  };
  const bool part = name.size() >= 3;  // shorter ones are in too many names
  for (const std::string& candidate : names) {
    if (part && candidate.starts_with(name)) add(candidate);
  }
  const std::vector<std::string> misspelt = nearest(name, names, kMost);
  if (found.empty()) std::for_each(misspelt.begin(), misspelt.end(), add);
  for (const std::string& candidate : names) {
    if (part && candidate.find(name) != std::string::npos) add(candidate);
  }
  match.more = found.size() > kMost ? found.size() - kMost : 0;
  found.resize(std::min(found.size(), kMost));
  for (const std::string& candidate : found) {
    const auto row = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelRow& k) { return k.name == candidate; });
    if (candidate == name) match.variants = row->variants;
    const bool numbered = number > 0 && row->variants > 1 && number <= row->variants;
    match.nearest.push_back(numbered ? fmt::format("{}#{}", candidate, number) : candidate);
  }
}

}  // namespace

std::string kernel_label(const KernelRow& kernel) {
  return kernel.variants > 1 ? fmt::format("{}#{}", kernel.name, kernel.variant) : kernel.name;
}

std::string short_hash(const KernelRow& kernel) { return kernel.hash.substr(0, 8); }

KernelMatch find_kernels(const std::vector<KernelRow>& kernels, std::string_view typed) {
  const auto [name, number] = split_number(typed);
  KernelMatch match{
      select(kernels, [&](const KernelRow& k) { return k.name == typed; }), false, {}};
  if (match.kernels.empty() && number > 0) {
    match.kernels = select(kernels, [&, base = name, n = number](const KernelRow& k) {
      return k.name == base && k.variant == n;
    });
  }
  if (match.kernels.empty() && is_glob(typed)) {
    match.kernels = select(kernels, [&](const KernelRow& k) { return glob_match(typed, k.name); });
  }
  if (match.kernels.empty() && is_hash_prefix(typed)) {
    match.kernels = select(
        kernels, [&](const KernelRow& k) { return lower(k.hash).starts_with(lower(typed)); });
    match.by_hash = true;
  }
  if (!match.kernels.empty()) return match;
  suggest(kernels, name, number, match);
  return match;
}

const KernelRow* most_launched(const std::vector<const KernelRow*>& kernels) {
  const auto best = std::max_element(
      kernels.begin(), kernels.end(),
      [](const KernelRow* a, const KernelRow* b) { return a->user_launches < b->user_launches; });
  return best == kernels.end() ? nullptr : *best;
}

}  // namespace ks::report
