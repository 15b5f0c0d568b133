#include <array>
#include <utility>

#include "ir/source_map.h"

namespace ks::ir {
namespace {

constexpr std::array<std::pair<std::string_view, Stage>, 8> kNames = {{
    {"ttir", Stage::ttir},
    {"ttgir", Stage::ttgir},
    {"llir", Stage::llir},
    {"ptx", Stage::ptx},
    {"amdgcn", Stage::amdgcn},
    {"sass", Stage::sass},
    {"ttadapter", Stage::ttadapter},
    {"bcmlir", Stage::bcmlir},
}};

}  // namespace

Stage stage_from_extension(std::string_view extension) {
  if (extension.starts_with('.')) extension.remove_prefix(1);
  for (const auto& [name, stage] : kNames) {
    if (name == extension) return stage;
  }
  return Stage::other;
}

std::string_view to_string(Stage stage) {
  for (const auto& [name, value] : kNames) {
    if (value == stage) return name;
  }
  return "other";
}

SourceMap map_stage(Stage stage, std::string_view text) {
  SourceMap map;
  switch (stage) {
    case Stage::ttir:
    case Stage::ttgir:
    case Stage::ttadapter:
    case Stage::bcmlir:
      map = map_mlir(text);
      break;
    case Stage::llir:
      map = map_llir(text);
      break;
    case Stage::ptx:
      map = map_ptx(text);
      break;
    case Stage::amdgcn:
      map = map_amdgcn(text);
      break;
    case Stage::sass:
      map = map_sass(text);
      break;
    case Stage::other:
      break;
  }
  map.stage = stage;
  return map;
}

}  // namespace ks::ir
