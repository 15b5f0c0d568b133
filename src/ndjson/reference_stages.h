#pragma once
// What tritonparse 4e5fbc4 knows of a backend's stages (its "adapters"): which artifact belongs to
// which stage, the `payload.ir_stages` list, and `metadata.num_warps_base`. Pure functions.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ks::ndjson {

// One text of `payload.file_content`.
struct Artifact {
  std::string_view name;  // "add.ttir"
  std::string_view text;
};

struct PythonSource {
  std::string_view file_path;
  uint64_t start_line = 1, end_line = 0;
  std::string_view code;
};

// What the reference looks at in a compilation. `artifacts` in the order of the JSON text.
struct ReferenceInput {
  std::span<const Artifact> artifacts;
  std::string_view backend_name;  // metadata.backend_name; empty: absent or no string
  std::optional<PythonSource> python_source;
  bool has_python_source = false;  // the key is there
};

struct StagePick {
  std::string_view stage;
  const Artifact* artifact;
};

bool known_adapter(std::string_view backend_name);

// Whether the adapter has a stage of that name; false for an unknown adapter.
bool adapter_has_stage(std::string_view backend_name, std::string_view stage);

// JSON list of the adapter's stages, all of them; empty text: adapter unknown, no key is written.
std::string reference_ir_stages(std::string_view backend_name);

// The stages that get a source map, in display order, each with the first artifact whose name ends
// in the stage's extension. A known adapter without any such artifact falls back like an unknown.
std::vector<StagePick> mappable_stages(const ReferenceInput& input);

// First artifact whose name ends in `extension` (with the dot), or null.
const Artifact* artifact_with_extension(std::span<const Artifact> artifacts,
                                        std::string_view extension);

// The value to add as `metadata.num_warps_base`. Call it only where that key is absent. `num_warps`
// is metadata.num_warps; empty: absent or null.
std::optional<uint64_t> reference_num_warps_base(const ReferenceInput& input,
                                                 std::optional<double> num_warps);

}  // namespace ks::ndjson
