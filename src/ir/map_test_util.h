#pragma once
// For the tests of source maps only: maps as short text, and the folder of real data.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "ir/source_map.h"

namespace ks::ir {

// "name=file:line:column(function) < caller:line:column"; parts that are not known are left out.
inline std::string describe(const SourceMap& map, const Chain& chain) {
  std::string out = chain.inferred ? "~" : "";
  if (chain.name != 0) out += map.strings[chain.name] + "=";
  for (uint32_t i = 0; i < chain.count; ++i) {
    const Frame& f = map.frames[chain.first + i];
    if (i > 0) out += " < ";
    out += map.strings[f.file] + ":" + std::to_string(f.line);
    if (f.column != 0) out += ":" + std::to_string(f.column);
    if (f.function != 0) out += "(" + map.strings[f.function] + ")";
  }
  return out;
}

// All chains of a line, joined by " | "; "-" when there is none.
inline std::string at(const SourceMap& map, uint32_t line) {
  std::string out;
  for (const LineRef& ref : map.lines) {
    if (ref.line != line) continue;
    if (!out.empty()) out += " | ";
    out += describe(map, map.chains[ref.chain]);
  }
  return out.empty() ? "-" : out;
}

inline std::string coverage(const SourceMap& map) {
  return std::to_string(map.coverage.mapped) + " mapped, " + std::to_string(map.coverage.unmapped) +
         " unmapped, " + std::to_string(map.coverage.unknown_location) + " unknown";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::filesystem::path shared_data() {
  return std::filesystem::path(KS_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace ks::ir
