// Facts from any text: the first byte picks where the text is cut in two stages.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_check.h"
#include "ir/facts.h"

namespace {

using namespace ks::ir;

void check_loops(const TtirFacts& facts, std::string_view text) {
  for (const Loop& loop : facts.loops) {
    ks::fuzz::require(loop.begin_line > 0 && loop.begin_line <= loop.end_line);
    ks::fuzz::require(loop.end_line <= text.size() + 1);
  }
  ks::fuzz::require(facts.cost.notes.empty() || facts.cost.lower_bound);
}

void check_schedules(std::string_view ttir, std::string_view ttgir) {
  for (const LoopSchedule& loop : loop_schedules(ttir, map_mlir(ttir), ttgir, map_mlir(ttgir))) {
    ks::fuzz::require(loop.ttir_line > 0);
    for (const ScheduledOp& op : loop.prologue) ks::fuzz::require(op.ttgir_line < loop.ttgir_line);
    for (const ScheduledOp& op : loop.body) ks::fuzz::require(op.ttgir_line >= loop.ttgir_line);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t cut = text.size() * data[0] / 256;
  check_loops(facts_from_ttir(text), text);
  check_schedules(text.substr(0, cut), text.substr(cut));
  check_schedules(text, text);
  for (Stage stage : {Stage::amdgcn, Stage::sass, Stage::ptx}) resources_from_text(stage, text);
  buffer_ops(text.substr(0, cut), text.substr(cut));
  num_warps_of_ttgir(text);
  return 0;
}
