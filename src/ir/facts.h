#pragma once
// What can be known of a kernel from its texts and metadata alone, without a GPU.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/source_map.h"

namespace ks::ir {

// Resources as the compiler wrote them, per thread unless said otherwise. Empty: the text does not
// say. NVIDIA: from SASS (cuobjdump -res-usage lines, nvdisasm's .headerflags/EIATTR comments where
// present) or PTX (.maxnreg, .reqntid; PTX has virtual registers only, which are not reported as
// registers). AMD: from the amdgcn footer (.vgpr_count, .sgpr_count, .agpr_count,
// .vgpr_spill_count, .sgpr_spill_count, .private_segment_fixed_size, .group_segment_fixed_size).
struct Resources {
  std::optional<uint32_t> registers;         // NVIDIA: registers per thread; AMD: VGPRs per lane
  std::optional<uint32_t> scalar_registers;  // AMD SGPRs per wave
  std::optional<uint32_t> accumulator_registers;  // AMD AGPRs per lane
  std::optional<uint32_t> spilled_registers;      // AMD: registers per lane that live in scratch
  std::optional<uint32_t> spill_bytes;            // bytes of spill stores per thread, normalised
  std::optional<uint32_t> stack_bytes;            // bytes of local memory per thread
  std::optional<uint32_t> shared_bytes;           // static shared memory per CTA
  std::optional<uint32_t> register_limit;         // PTX .maxnreg: a bound, not what is used
  std::optional<uint32_t> threads_per_cta;        // PTX .reqntid
  std::string source;  // which text said so: "amdgcn", "sass", "ptx"; empty if none did
};
Resources resources_from_text(Stage stage, std::string_view text);

struct DotShape {
  uint64_t m = 0, n = 0, k = 0;
  std::string input_dtype, output_dtype;  // as in the text: f16, bf16, f32, f8E4M3FN...
  uint32_t line = 0;                      // line in the TTIR
  uint32_t loop_depth = 0;
};

// A loop of TTIR/TTGIR: scf.for. Trip count only where the bounds are constants in the text.
struct Loop {
  uint32_t begin_line = 0, end_line = 0;  // lines of the header and of the closing brace
  uint32_t depth = 0;                     // 0: not inside another loop
  std::optional<uint64_t> trip_count;
};

// Static cost of one CTA, from TTIR. `lower_bound` is set where something could not be counted
// (unknown trip count: the body counts once; an unknown type; atomics), and `notes` says what.
struct StaticCost {
  std::optional<uint64_t> load_bytes, store_bytes;  // global memory, masks ignored
  std::optional<uint64_t> flops;                    // 2*m*n*k of every tt.dot; empty without dots
  bool lower_bound = false;
  std::vector<std::string> notes;
};

struct TtirFacts {
  std::vector<DotShape> dots;
  std::vector<Loop> loops;
  StaticCost cost;
};
TtirFacts facts_from_ttir(std::string_view ttir);

// Software pipelining: where the loads and dots of each loop ended up in TTGIR relative to the
// loop. Every innermost loop, paired by source location (the reference takes only the first).
struct ScheduledOp {
  std::string op;  // tt.load, tt.dot, ttg.async_copy_global_to_local, ttng.warp_group_dot...
  uint32_t ttgir_line = 0;
  uint32_t source_line = 0;  // line in the user's file, 0 if not known
  std::string source_file;
};
struct LoopSchedule {
  uint32_t ttir_line = 0, ttgir_line = 0;  // headers of the two loops; 0: no counterpart found
  std::vector<ScheduledOp> prologue, body, epilogue;
};
std::vector<LoopSchedule> loop_schedules(std::string_view ttir, const SourceMap& ttir_map,
                                         std::string_view ttgir, const SourceMap& ttgir_map);
// The same where the loops of the TTIR (TtirFacts::loops) are known.
std::vector<LoopSchedule> loop_schedules(std::string_view ttir, const SourceMap& ttir_map,
                                         std::span<const Loop> ttir_loops, std::string_view ttgir,
                                         const SourceMap& ttgir_map);

// AMD: how many lines hold each memory operation (substring counts, as the reference defines).
struct BufferOps {
  uint32_t tt_load = 0, tt_store = 0, amdgpu_buffer_load = 0, amdgpu_buffer_store = 0;  // ttgir
  uint32_t global_load = 0, global_store = 0, buffer_load = 0, buffer_store = 0;        // amdgcn
};
BufferOps buffer_ops(std::string_view ttgir, std::string_view amdgcn);

// "ttg.num-warps" = N of TTGIR's module line; differs from metadata in warp-specialised kernels.
std::optional<uint32_t> num_warps_of_ttgir(std::string_view ttgir);

}  // namespace ks::ir
