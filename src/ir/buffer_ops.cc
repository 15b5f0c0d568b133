// Counts that need no understanding of the text: lines with a word, the module's warp count.

#include <array>

#include "ir/facts.h"

namespace ks::ir {
namespace {

// How many lines hold `word`.
uint32_t lines_with(std::string_view text, std::string_view word) {
  uint32_t count = 0;
  for (size_t at = text.find(word); at != text.npos;) {
    ++count;
    const size_t end = text.find('\n', at);
    at = end == text.npos ? end : text.find(word, end);
  }
  return count;
}

}  // namespace

BufferOps buffer_ops(std::string_view ttgir, std::string_view amdgcn) {
  return {.tt_load = lines_with(ttgir, "tt.load"),
          .tt_store = lines_with(ttgir, "tt.store"),
          .amdgpu_buffer_load = lines_with(ttgir, "amdgpu.buffer_load"),
          .amdgpu_buffer_store = lines_with(ttgir, "amdgpu.buffer_store"),
          .global_load = lines_with(amdgcn, "global_load"),
          .global_store = lines_with(amdgcn, "global_store"),
          .buffer_load = lines_with(amdgcn, "buffer_load"),
          .buffer_store = lines_with(amdgcn, "buffer_store")};
}

std::optional<uint32_t> num_warps_of_ttgir(std::string_view ttgir) {
  static constexpr std::string_view kName = "\"ttg.num-warps\"";
  // Triton before 3.2 wrote triton_gpu for ttg.
  static constexpr std::string_view kOldName = "\"triton_gpu.num-warps\"";
  for (std::string_view name : {kName, kOldName}) {
    size_t at = ttgir.find(name);
    if (at == ttgir.npos) continue;
    at += name.size();
    while (at < ttgir.size() && (ttgir[at] == ' ' || ttgir[at] == '=')) ++at;
    uint64_t warps = 0;
    const size_t begin = at;
    for (; at < ttgir.size() && ttgir[at] >= '0' && ttgir[at] <= '9'; ++at) {
      warps = warps * 10 + static_cast<uint64_t>(ttgir[at] - '0');
      if (warps > 1'000'000) return std::nullopt;
    }
    if (at > begin) return static_cast<uint32_t>(warps);
  }
  return std::nullopt;
}

}  // namespace ks::ir
