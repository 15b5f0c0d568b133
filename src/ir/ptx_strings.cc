#include "ir/ptx_strings.h"

#include "ir/scan.h"

namespace ks::ir {

void PtxStrings::read_bytes(std::string_view line) {
  uint32_t byte = 0;
  for (skip_blanks(line); take_number(line, byte); skip_blanks(line)) {
    bytes_ += static_cast<char>(byte);
    skip_blanks(line);
    if (!take(line, ",")) return;
    skip_blanks(line);
  }
}

void PtxStrings::read(std::string_view section) {
  offsets_[".debug_str"] = bytes_.size();
  LineReader lines(section);
  for (std::string_view line; lines.next(line);) {
    skip_blanks(line);
    if (line.starts_with('}')) return;
    if (take(line, ".b8")) {
      read_bytes(line);
    } else {
      std::string_view label = take_identifier(line);
      if (line.starts_with(':')) offsets_[label] = bytes_.size();
    }
  }
}

std::string_view PtxStrings::find(std::string_view label) const {
  std::string_view name = take_identifier(label);
  auto found = offsets_.find(name);
  if (found == offsets_.end()) return {};
  uint32_t more = 0;
  skip_blanks(label);
  if (take(label, "+")) {
    skip_blanks(label);
    take_number(label, more);
  }
  size_t begin = found->second + more;
  if (begin >= bytes_.size()) return {};
  size_t end = bytes_.find('\0', begin);
  return std::string_view(bytes_).substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace ks::ir
