#pragma once
// The .debug_str section of a PTX text: names that "function_name LABEL" of .loc points to.

#include <string>
#include <string_view>
#include <unordered_map>

namespace ks::ir {

class PtxStrings {
 public:
  // `section` begins after the ".section .debug_str" line; its end is found here.
  void read(std::string_view section);

  // "LABEL" or "LABEL+16", where ".debug_str" is the section's begin. Empty: not known.
  std::string_view find(std::string_view label) const;

 private:
  void read_bytes(std::string_view line);

  std::string bytes_;
  std::unordered_map<std::string_view, size_t> offsets_;
};

}  // namespace ks::ir
