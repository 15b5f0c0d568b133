// SASS, and chains for it from a PTX text after "=====".
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_check.h"
#include "ir/source_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t cut = text.find("=====");
  ks::ir::SourceMap map = ks::ir::map_sass(text.substr(0, cut));
  ks::fuzz::check(map);
  ks::ir::infer_chains(map, ks::ir::map_ptx(cut < size ? text.substr(cut) : text));
  ks::fuzz::check(map);
  return 0;
}
