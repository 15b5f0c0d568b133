// MLIR locations: TTIR, TTGIR and what is printed like them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_check.h"
#include "ir/source_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ks::fuzz::check(ks::ir::map_mlir(text));
  return 0;
}
