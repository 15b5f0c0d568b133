#pragma once
// What must hold of every source map, whatever the text.
#include <cstddef>
#include <cstdlib>

#include "ir/source_map.h"

namespace ks::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check(const ir::SourceMap& map) {
  for (const ir::Frame& frame : map.frames) {
    require(frame.file < map.strings.size() && frame.function < map.strings.size());
  }
  for (const ir::Chain& chain : map.chains) {
    require(chain.count > 0 && chain.count <= ir::kMaxFramesPerChain);
    require(chain.first + std::size_t{chain.count} <= map.frames.size());
    require(chain.name < map.strings.size());
  }
  for (std::size_t i = 0; i < map.lines.size(); ++i) {
    require(map.lines[i].line > 0 && map.lines[i].chain < map.chains.size());
    require(i == 0 || map.lines[i - 1].line <= map.lines[i].line);
  }
}

}  // namespace ks::fuzz
