#pragma once
// `payload.source_mappings` exactly as tritonparse 4e5fbc4 computes it, defects included
// (`parse --compat`). Where the reference crashes (':' in an MLIR path) we go on.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ndjson/reference_stages.h"
#include "ndjson/stage_map.h"

namespace ks::ndjson {

// The maps of all stages that have one, before they become text; the analyses read them.
// Views point into the input's texts.
struct ReferenceMaps {
  FileTable files;
  std::vector<StageMap> stages;  // non-empty maps, display order
  bool any_stage = false;        // an artifact of a mappable stage is there
};
// Of these stages only, if any are named.
ReferenceMaps reference_maps(const ReferenceInput& input,
                             std::span<const std::string_view> only = {});

// The JSON object; empty text: the reference writes no `source_mappings` key.
std::string reference_source_mappings(const ReferenceMaps& maps);
std::string reference_source_mappings(const ReferenceInput& input);

}  // namespace ks::ndjson
