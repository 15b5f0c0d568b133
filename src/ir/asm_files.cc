#include "ir/asm_files.h"

#include "ir/scan.h"

namespace ks::ir {
namespace {

// More entries of one base name than any real text has; keeps hostile ones linear.
constexpr size_t kMaxSameBaseName = 64;

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

void append_unescaped(std::string& out, std::string_view inside) {
  for (size_t i = 0; i < inside.size(); ++i) {
    bool escape = inside[i] == '\\' && i + 1 < inside.size() &&
                  (inside[i + 1] == '\\' || inside[i + 1] == '"');
    out += inside[escape ? ++i : i];
  }
}

}  // namespace

void AsmFiles::read(std::string_view directive) {
  uint32_t index = 0;
  std::string_view first, second;
  skip_blanks(directive);
  if (!take_number(directive, index)) return;  // .file "name": the unit's name, not for .loc
  skip_blanks(directive);
  if (index > max_index_ || !directive.starts_with('"') || !take_quoted(directive, first)) {
    builder_.not_understood();
    return;
  }
  skip_blanks(directive);
  bool two = directive.starts_with('"') && take_quoted(directive, second);
  scratch_.clear();
  bool absolute = two && (second.starts_with('/') || (second.size() > 1 && second[1] == ':'));
  if (!absolute) append_unescaped(scratch_, first);
  if (two) {
    if (!absolute && !scratch_.empty() && !scratch_.ends_with('/')) scratch_ += '/';
    append_unescaped(scratch_, second);
  }
  if (index >= paths_.size()) paths_.resize(index + size_t{1}, 0);
  if (paths_[index] != 0) return;  // the first definition holds
  paths_[index] = builder_.string(scratch_);
  auto& same = by_base_name_[base_name(two ? second : first)];
  if (same.size() < kMaxSameBaseName) same.push_back(index);
}

uint32_t AsmFiles::path(uint32_t index) const { return index < paths_.size() ? paths_[index] : 0; }

bool AsmFiles::matches(uint32_t index, std::string_view name) const {
  std::string_view whole = builder_.map().strings[path(index)];
  if (!whole.ends_with(name)) return false;
  if (whole.size() == name.size()) return true;
  char before = whole[whole.size() - name.size() - 1];
  return before == '/' || before == '\\';
}

uint32_t AsmFiles::find(std::string_view name, uint32_t preferred) {
  if (path(preferred) != 0 && matches(preferred, name)) return path(preferred);
  auto same = by_base_name_.find(base_name(name));
  if (same != by_base_name_.end()) {
    for (uint32_t index : same->second) {
      if (matches(index, name)) return path(index);
    }
  }
  return builder_.string(name);
}

}  // namespace ks::ir
