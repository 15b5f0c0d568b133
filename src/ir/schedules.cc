// Where the pipeliner put the loads and dots of each loop: TTIR loops paired with TTGIR loops, and
// operations with operations, by their source locations.

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "ir/facts.h"
#include "ir/mlir_ops.h"

namespace ks::ir {
namespace {

// The stage's lines with a number for the whole inline chain of each, comparable between stages.
class Places {
 public:
  explicit Places(const SourceMap& map) : map_(map) {
    std::vector<uint64_t> strings(map.strings.size());
    for (size_t i = 0; i < strings.size(); ++i)
      strings[i] = std::hash<std::string>{}(map.strings[i]);
    chains_.reserve(map.chains.size());
    for (const Chain& chain : map.chains) chains_.push_back(hash(chain, strings));
    if (!map.lines.empty()) first_.assign(map.lines.back().line + size_t{1}, kNone);
    for (const LineRef& ref : map.lines) {
      if (first_[ref.line] == kNone) first_[ref.line] = ref.chain;
    }
  }

  // 0: the line has no location.
  uint64_t of(uint32_t line) const { return has(line) ? chains_[first_[line]] : 0; }

  // The outermost frame, which is the user's own line.
  void describe(uint32_t line, ScheduledOp& op) const {
    if (!has(line)) return;
    const Chain& chain = map_.chains[first_[line]];
    if (chain.count == 0) return;
    const Frame& frame = map_.frames[chain.first + chain.count - 1];
    op.source_line = frame.line;
    op.source_file = map_.strings[frame.file];
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  bool has(uint32_t line) const { return line < first_.size() && first_[line] != kNone; }

  uint64_t hash(const Chain& chain, const std::vector<uint64_t>& strings) const {
    uint64_t h = 1;
    for (uint32_t i = chain.first; i < chain.first + chain.count; ++i) {
      const Frame& f = map_.frames[i];
      for (uint64_t part : {strings[f.file], uint64_t{f.line}, uint64_t{f.column}}) {
        h = (h ^ part) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
      }
    }
    return h | 1;
  }

  const SourceMap& map_;
  std::vector<uint64_t> chains_;
  std::vector<uint32_t> first_;  // first chain of each line
};

bool is_ttir_op(std::string_view name) {
  return name == "tt.load" || name == "tt.dot" || name == "tt.dot_scaled" ||
         name == "tt.descriptor_load" || name == "tt.descriptor_gather" ||
         name == "tt.experimental_descriptor_load";
}

// What those become on NVIDIA and AMD. Waits and commits are not asked for.
bool is_ttgir_op(std::string_view name) {
  return is_ttir_op(name) || name == "ttg.async_copy_global_to_local" ||
         name == "ttng.async_tma_copy_global_to_local" || name == "ttng.async_tma_gather" ||
         name == "ttng.warp_group_dot" || name == "ttng.tc_gen5_mma" ||
         name == "ttng.tc_gen5_mma_scaled" || name == "amdgpu.buffer_load" ||
         name == "amdgpu.buffer_load_to_local" || name == "amdg.buffer_load" ||
         name == "amdg.buffer_load_to_local" || name == "triton_gpu.async_copy_global_to_local" ||
         name == "triton_nvidia_gpu.warp_group_dot";
}

struct Op {
  uint32_t line;
  std::string_view name;
};

std::vector<Op> ops_of(std::string_view text, bool (*wanted)(std::string_view)) {
  std::vector<Op> ops;
  each_line(text, [&](uint32_t number, std::string_view line) {
    const std::string_view name = op_name(line);
    if (!name.empty() && wanted(name)) ops.push_back({number, name});
  });
  return ops;
}

// Loops with no loop inside, in order. The next header comes before the end only if it is inside.
std::vector<Loop> innermost(std::span<const Loop> all) {
  std::vector<Loop> inner;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool nests = i + 1 < all.size() && all[i + 1].depth > all[i].depth;
    if (!nests) inner.push_back(all[i]);
  }
  return inner;
}

// A loop's own location is printed behind its closing brace.
uint64_t place_of(const Loop& loop, const Places& places) {
  const uint64_t place = places.of(loop.end_line);
  return place != 0 ? place : places.of(loop.begin_line);
}

// For each TTIR loop its TTGIR loop: the next unused one with the same location, else, where both
// stages have as many loops, the one at the same position.
std::vector<const Loop*> pair_loops(const std::vector<Loop>& ttir, const Places& ttir_places,
                                    const std::vector<Loop>& ttgir, const Places& ttgir_places) {
  std::unordered_map<uint64_t, std::vector<const Loop*>> by_place;
  for (auto loop = ttgir.rbegin(); loop != ttgir.rend(); ++loop) {
    by_place[place_of(*loop, ttgir_places)].push_back(&*loop);
  }
  std::vector<const Loop*> pairs;
  for (size_t i = 0; i < ttir.size(); ++i) {
    const uint64_t place = place_of(ttir[i], ttir_places);
    const auto found = by_place.find(place);
    const Loop* pair = ttir.size() == ttgir.size() ? &ttgir[i] : nullptr;
    if (place != 0 && found != by_place.end()) {
      pair = found->second.back();
      if (found->second.size() > 1) found->second.pop_back();
    }
    pairs.push_back(pair);
  }
  return pairs;
}

class Scheduler {
 public:
  Scheduler(std::string_view ttir, const SourceMap& ttir_map, std::span<const Loop> ttir_loops,
            std::string_view ttgir, const SourceMap& ttgir_map)
      : ttir_places_(ttir_map),
        ttgir_places_(ttgir_map),
        ttir_ops_(ops_of(ttir, is_ttir_op)),
        ttgir_ops_(ops_of(ttgir, is_ttgir_op)),
        ttir_loops_(innermost(ttir_loops)),
        ttgir_loops_(innermost(find_loops(ttgir, TripCounts::no))) {
    for (uint32_t i = 0; i < ttgir_ops_.size(); ++i) {
      by_place_[ttgir_places_.of(ttgir_ops_[i].line)].push_back(i);
    }
  }

  std::vector<LoopSchedule> run() {
    const auto pairs = pair_loops(ttir_loops_, ttir_places_, ttgir_loops_, ttgir_places_);
    std::vector<LoopSchedule> schedules;
    size_t op = 0;  // loops without nesting stand one after the other, as do operations
    for (size_t i = 0; i < ttir_loops_.size(); ++i) {
      LoopSchedule schedule;
      schedule.ttir_line = ttir_loops_[i].begin_line;
      const auto lines = counterparts(ttir_loops_[i], op);
      if (pairs[i]) {
        schedule.ttgir_line = pairs[i]->begin_line;
        for (uint32_t index : lines) place(ttgir_ops_[index], *pairs[i], schedule);
      }
      schedules.push_back(std::move(schedule));
    }
    return schedules;
  }

 private:
  // TTGIR operations with a location of one in the TTIR loop, each once, in order.
  std::vector<uint32_t> counterparts(const Loop& loop, size_t& op) {
    std::vector<uint32_t> found;
    std::unordered_set<uint64_t> seen;
    while (op < ttir_ops_.size() && ttir_ops_[op].line < loop.begin_line) ++op;
    for (; op < ttir_ops_.size() && ttir_ops_[op].line <= loop.end_line; ++op) {
      const uint64_t place = ttir_places_.of(ttir_ops_[op].line);
      if (place == 0 || !seen.insert(place).second) continue;
      const auto ops = by_place_.find(place);
      if (ops == by_place_.end() || budget_ < ops->second.size()) continue;
      budget_ -= ops->second.size();
      found.insert(found.end(), ops->second.begin(), ops->second.end());
    }
    std::ranges::sort(found);
    return found;
  }

  void place(const Op& op, const Loop& loop, LoopSchedule& schedule) const {
    ScheduledOp scheduled{std::string(op.name), op.line, 0, {}};
    ttgir_places_.describe(op.line, scheduled);
    auto& part = op.line < loop.begin_line  ? schedule.prologue
                 : op.line <= loop.end_line ? schedule.body
                                            : schedule.epilogue;
    part.push_back(std::move(scheduled));
  }

  Places ttir_places_, ttgir_places_;
  std::vector<Op> ttir_ops_, ttgir_ops_;
  std::vector<Loop> ttir_loops_, ttgir_loops_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_place_;
  // Many loops at one location would each list the same operations.
  size_t budget_ = 100'000;
};

}  // namespace

std::vector<LoopSchedule> loop_schedules(std::string_view ttir, const SourceMap& ttir_map,
                                         std::span<const Loop> ttir_loops, std::string_view ttgir,
                                         const SourceMap& ttgir_map) {
  return Scheduler(ttir, ttir_map, ttir_loops, ttgir, ttgir_map).run();
}

std::vector<LoopSchedule> loop_schedules(std::string_view ttir, const SourceMap& ttir_map,
                                         std::string_view ttgir, const SourceMap& ttgir_map) {
  return loop_schedules(ttir, ttir_map, find_loops(ttir, TripCounts::no), ttgir, ttgir_map);
}

}  // namespace ks::ir
