#pragma once
// `payload.source_mappings` from our own source maps: same keys and shape as the reference's, so
// that its web page opens it, with every stage that has locations (LLIR too) and without the
// reference's mistakes about files (BUG 6, BUG 9).

#include <span>
#include <string>
#include <string_view>

#include "ir/source_map.h"
#include "ndjson/reference_stages.h"

namespace ks::ndjson {

struct MappedStage {
  std::string_view stage;  // "ttir"; its key in the object
  const ir::SourceMap* map = nullptr;
};

// The JSON object; stages in the order given, those without a line left out. `python` null: no
// python map. An entry's file, line and column are the outermost frame that lies in the user's own
// file, else the innermost frame.
std::string mended_source_mappings(std::span<const MappedStage> stages, const PythonSource* python);

}  // namespace ks::ndjson
