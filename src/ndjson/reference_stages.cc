#include "ndjson/reference_stages.h"

#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "ndjson/reference_text.h"

namespace ks::ndjson {
namespace {

struct Stage {
  std::string_view name, extension, display_name;
  int display_order;
  bool is_text, mappable;
  std::string_view syntax;
};

constexpr Stage kTtir{"ttir", ".ttir", "TTIR", 10, true, true, "mlir"};
constexpr Stage kTtgir{"ttgir", ".ttgir", "TTGIR", 20, true, true, "mlir"};
constexpr Stage kLlir{"llir", ".llir", "LLIR", 30, true, true, "llvm"};
constexpr Stage kJson{"json", ".json", "JSON", 100, true, false, "json"};

constexpr std::array kCuda{kTtir,
                           kTtgir,
                           kLlir,
                           Stage{"ptx", ".ptx", "PTX", 40, true, true, "ptx"},
                           Stage{"cubin", ".cubin", "CUBIN", 50, false, false, "plaintext"},
                           Stage{"sass", ".sass", "SASS", 60, true, true, "asm"},
                           kJson};
constexpr std::array kHip{kTtir, kTtgir, kLlir,
                          Stage{"amdgcn", ".amdgcn", "AMDGCN", 40, true, true, "asm"}, kJson};
constexpr std::array kCann{kTtir,
                           Stage{"ttadapter", ".ttadapter", "TTAdapter", 20, true, true, "mlir"},
                           Stage{"mlirbc", ".mlirbc", "MLIRBC", 30, false, false, "plaintext"},
                           Stage{"bcmlir", ".bcmlir", "BCMLIR", 40, true, true, "mlir"},
                           Stage{"npubin", ".npubin", "NPUBIN", 50, false, false, "plaintext"},
                           kJson};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFallback{
    {{"ttir", ".ttir"},
     {"ttgir", ".ttgir"},
     {"ptx", ".ptx"},
     {"amdgcn", ".amdgcn"},
     {"sass", ".sass"}}};

bool equal_lower(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

std::span<const Stage> stages_of(std::string_view backend_name) {
  if (equal_lower(backend_name, "cuda")) return kCuda;
  if (equal_lower(backend_name, "hip")) return kHip;
  if (equal_lower(backend_name, "cann")) return kCann;
  return {};
}

// First match of  "ttg\.num-warps"\s*=\s*(\d+)  with the quotes.
std::optional<uint64_t> num_warps_attribute(std::string_view text) {
  static constexpr std::string_view kName = "\"ttg.num-warps\"";
  for (size_t at = text.find(kName); at != text.npos; at = text.find(kName, at + 1)) {
    size_t i = skip_spaces(text, at + kName.size());
    if (!has_at(text, i, "=")) continue;
    i = skip_spaces(text, i + 1);
    const size_t end = skip_digits(text, i);
    if (end > i) return to_number(text.substr(i, end - i));
  }
  return std::nullopt;
}

}  // namespace

bool known_adapter(std::string_view backend_name) { return !stages_of(backend_name).empty(); }

bool adapter_has_stage(std::string_view backend_name, std::string_view stage) {
  return std::ranges::any_of(stages_of(backend_name),
                             [&](const Stage& s) { return s.name == stage; });
}

std::string reference_ir_stages(std::string_view backend_name) {
  std::string out;
  const std::span<const Stage> stages = stages_of(backend_name);
  if (stages.empty()) return out;
  JsonWriter json(out);
  json.begin_array();
  for (const Stage& stage : stages) {
    json.begin_object()
        .field("name", stage.name)
        .field("extension", stage.extension)
        .field("display_name", stage.display_name)
        .field("display_order", stage.display_order)
        .field("is_text", stage.is_text)
        .field("supports_source_mapping", stage.mappable)
        .field("syntax_id", stage.syntax)
        .end_object();
  }
  json.end_array();
  return out;
}

const Artifact* artifact_with_extension(std::span<const Artifact> artifacts,
                                        std::string_view extension) {
  const auto found = std::ranges::find_if(
      artifacts, [&](const Artifact& a) { return a.name.ends_with(extension); });
  return found == artifacts.end() ? nullptr : &*found;
}

std::vector<StagePick> mappable_stages(const ReferenceInput& input) {
  std::vector<StagePick> picks;
  const auto pick = [&](std::string_view name, std::string_view extension) {
    const Artifact* artifact = artifact_with_extension(input.artifacts, extension);
    if (artifact) picks.push_back({name, artifact});
  };
  for (const Stage& stage : stages_of(input.backend_name)) {
    if (stage.mappable) pick(stage.name, stage.extension);
  }
  if (!picks.empty()) return picks;
  for (const auto& [name, extension] : kFallback) pick(name, extension);
  return picks;
}

std::optional<uint64_t> reference_num_warps_base(const ReferenceInput& input,
                                                 std::optional<double> num_warps) {
  if (!num_warps) return std::nullopt;
  for (const StagePick& pick : mappable_stages(input)) {
    if (pick.stage != "ttgir") continue;
    const std::optional<uint64_t> base = num_warps_attribute(pick.artifact->text);
    if (base && static_cast<double>(*base) != *num_warps) return base;
  }
  return std::nullopt;
}

}  // namespace ks::ndjson
