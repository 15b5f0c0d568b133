#pragma once
// The .file table of an assembly text (PTX, AMDGCN).

#include <unordered_map>

#include "ir/map_builder.h"

namespace ks::ir {

class AsmFiles {
 public:
  AsmFiles(MapBuilder& builder, size_t text_size)
      : builder_(builder), max_index_(static_cast<uint32_t>(text_size / 8 + 64)) {}

  // What follows ".file": N "path" or N "directory" "name", perhaps more. `directive` must stay.
  void read(std::string_view directive);

  uint32_t path(uint32_t index) const;  // string number, 0: no such file

  // The path that ends in this name, or the name itself when there is none. Of several, that of
  // entry `preferred`, else the first.
  uint32_t find(std::string_view name, uint32_t preferred);

 private:
  bool matches(uint32_t index, std::string_view name) const;

  MapBuilder& builder_;
  uint32_t max_index_;
  std::vector<uint32_t> paths_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> by_base_name_;
  std::string scratch_;
};

}  // namespace ks::ir
