#pragma once
// The reference's reading of MLIR locations (docs/trace-format.md, "Source mappings"): patterns
// over lines, no grammar. Its gaps are kept: bare `loc(#loc)`, fused, inline call sites.

#include "ndjson/stage_map.h"

namespace ks::ndjson {

// Fills `map.entries` and `map.details`. Views in `map` and `files` point into `text`.
// Linear in the size of the text.
void map_reference_mlir(std::string_view text, FileTable& files, StageMap& map);

}  // namespace ks::ndjson
