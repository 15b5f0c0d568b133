#include "ndjson/reference_map.h"

#include <algorithm>

#include "ndjson/reference_asm.h"
#include "ndjson/reference_mlir.h"

namespace ks::ndjson {
namespace {

// The second dot-separated piece of the artifact's name, whatever the stage is (BUG 17 of the
// reference: a dot in the kernel's name picks the wrong parser and key).
std::string_view type_of(std::string_view artifact_name) {
  const size_t dot = artifact_name.find('.');
  if (dot == artifact_name.npos) return {};
  const std::string_view rest = artifact_name.substr(dot + 1);
  return rest.substr(0, rest.find('.'));
}

StageMap map_artifact(const StagePick& pick, FileTable& files) {
  StageMap map;
  const std::string_view text = pick.artifact->text;
  const std::string_view type = type_of(pick.artifact->name);
  map.stage = pick.stage;
  map.line_key = std::string(type) + "_line";
  map.has_columns = pick.stage != "sass";
  if (type == "ptx") {
    map_reference_asm(text, AsmDialect::ptx, files, map);
  } else if (type == "amdgcn") {
    map_reference_asm(text, AsmDialect::amdgcn, files, map);
  } else if (type == "sass") {
    map_reference_sass(text, files, map);
  } else {
    map_reference_mlir(text, files, map);
  }
  return map;
}

}  // namespace

ReferenceMaps reference_maps(const ReferenceInput& input, std::span<const std::string_view> only) {
  ReferenceMaps maps;
  for (const StagePick& pick : mappable_stages(input)) {
    if (!only.empty() && std::ranges::find(only, pick.stage) == only.end()) continue;
    maps.any_stage = true;
    StageMap map = map_artifact(pick, maps.files);
    if (map.entries.empty()) continue;
    if (input.has_python_source) {
      map.python.reserve(map.entries.size());
      for (const MapEntry& e : map.entries) map.python.push_back({e.line, e.text_line});
    }
    maps.stages.push_back(std::move(map));
  }
  return maps;
}

std::string reference_source_mappings(const ReferenceMaps& maps) {
  if (!maps.any_stage) return {};
  return write_source_mappings(maps.stages, maps.files);
}

std::string reference_source_mappings(const ReferenceInput& input) {
  return reference_source_mappings(reference_maps(input));
}

}  // namespace ks::ndjson
