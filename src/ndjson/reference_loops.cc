#include "ndjson/reference_loops.h"

#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "ir/facts.h"
#include "ndjson/reference_text.h"

namespace ks::ndjson {
namespace {

struct LineRange {
  uint32_t begin, end;  // line numbers from 1, both inside
};

// The loop that closes first, which has no loop inside: the only one that the reference looks at.
// Only differences of brace counts matter, so counting begins at the first loop.
std::optional<LineRange> first_inner_loop(std::string_view text) {
  const size_t first = text.find("scf.for");
  if (first == text.npos) return std::nullopt;
  const size_t before = text.rfind('\n', first);
  const size_t offset = before == text.npos ? 0 : before + 1;
  const auto skipped = static_cast<uint32_t>(std::ranges::count(text.substr(0, offset), '\n'));
  struct Open {
    uint32_t line;
    int64_t depth;
  };
  std::vector<Open> open;
  int64_t depth = 0;
  std::optional<LineRange> found;
  for_each_line(text.substr(offset), [&](uint32_t number, std::string_view line) {
    if (found) return;
    if (line.find("scf.for") != line.npos) open.push_back({number, depth});
    depth += std::ranges::count(line, '{') - std::ranges::count(line, '}');
    if (!open.empty() && depth <= open.back().depth) {
      found = LineRange{open.back().line + skipped, number + skipped};
    }
  });
  return found;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for_each_line(text, [&](uint32_t, std::string_view line) { lines.push_back(line); });
  return lines;
}

template <size_t N>
bool holds_any(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view w) { return line.find(w) != line.npos; });
}

// With the space: tt.dot is not tt.dot_scaled, warp_group_dot not warp_group_dot_wait.
constexpr std::array<std::string_view, 2> kTtirOps{"tt.load ", "tt.dot "};
constexpr std::array<std::string_view, 4> kTtgirOps{
    "tt.load ", "tt.dot ", "async_copy_global_to_local ", "warp_group_dot "};

const StageMap* stage_of(const ReferenceMaps& maps, std::string_view name) {
  const auto at = std::ranges::find_if(maps.stages, [&](auto& s) { return s.stage == name; });
  return at == maps.stages.end() ? nullptr : &*at;
}

// What a line of TTGIR stands for: the Python line if it lies in the given source, else itself.
class LineLabels {
 public:
  LineLabels(const ReferenceInput& input, const StageMap* ttgir, std::string_view text)
      : text_lines_(split_lines(text)) {
    if (input.python_source && !input.python_source->code.empty()) {
      python_ = split_lines(input.python_source->code);
      start_ = input.python_source->start_line;
    }
    source_line_.resize(text_lines_.size() + 1);
    if (ttgir)
      for (const MapEntry& e : ttgir->entries) source_line_[e.text_line] = e.line;
  }

  bool is_scheduled_op(uint32_t line) const { return holds_any(code(line), kTtgirOps); }

  std::string_view label(uint32_t line) const {
    const uint64_t source = source_line_[line];
    if (source != 0 && source >= start_ && source - start_ < python_.size()) {
      return strip(python_[source - start_]);
    }
    return code(line);
  }

 private:
  std::string_view code(uint32_t line) const { return strip(text_lines_[line - 1]); }

  std::vector<std::string_view> text_lines_, python_;
  std::vector<uint64_t> source_line_;
  uint64_t start_ = 1;
};

// TTGIR lines of the loads and dots of a TTIR loop, one per pair of lines that share a location.
std::vector<uint32_t> scheduled_lines(const ReferenceMaps& maps, std::string_view ttir_text,
                                      LineRange loop, const LineLabels& labels) {
  std::vector<uint32_t> found;
  const StageMap* ttir = stage_of(maps, "ttir");
  const StageMap* ttgir = stage_of(maps, "ttgir");
  if (!ttir || !ttgir) return found;
  const JoinedLines joined = join_lines(*ttir, *ttgir);
  std::vector<uint32_t> entry_of_line;  // 1 + index, 0: none
  for (uint32_t i = 0; i < ttir->entries.size(); ++i) {
    const uint32_t line = ttir->entries[i].text_line;
    if (line >= entry_of_line.size()) entry_of_line.resize(line + 1);
    entry_of_line[line] = i + 1;
  }
  std::vector<bool> is_op(joined.lines.size());
  for (size_t i = 0; i < is_op.size(); ++i) is_op[i] = labels.is_scheduled_op(joined.lines[i]);
  size_t looked_at = 0;
  for_each_line(ttir_text, [&](uint32_t number, std::string_view line) {
    if (number < loop.begin || number > loop.end || !holds_any(line, kTtirOps)) return;
    if (number >= entry_of_line.size() || entry_of_line[number] == 0) return;
    const auto [begin, end] = joined.range[entry_of_line[number] - 1];
    looked_at += end - begin;
    if (looked_at > 64 * kMaxScheduledOps) return;
    for (uint32_t i = begin; i < end && found.size() < kMaxScheduledOps; ++i) {
      if (is_op[i]) found.push_back(joined.lines[i]);
    }
  });
  std::ranges::stable_sort(found);
  return found;
}

std::string loop_schedules(const ReferenceInput& input, const ReferenceMaps& maps,
                           const Artifact& ttir, const Artifact& ttgir) {
  std::string out;
  const auto loop = first_inner_loop(ttir.text);
  if (!loop) return out;
  std::array<std::vector<std::string_view>, 3> parts;  // prologue, body, epilogue
  if (const auto pipelined = first_inner_loop(ttgir.text)) {
    const LineLabels labels(input, stage_of(maps, "ttgir"), ttgir.text);
    for (uint32_t line : scheduled_lines(maps, ttir.text, *loop, labels)) {
      const size_t part = line < pipelined->begin ? 0 : line <= pipelined->end ? 1 : 2;
      parts[part].push_back(labels.label(line));
    }
  }
  static constexpr std::array kNames{"prologue", "loop_body", "epilogue"};
  JsonWriter json(out);
  json.begin_array().begin_object();
  for (size_t i = 0; i < parts.size(); ++i) {
    json.key(kNames[i]).begin_array();
    for (std::string_view label : parts[i]) json.value(label);
    json.end_array();
  }
  json.end_object().end_array();
  return out;
}

std::string io_counts(const ir::BufferOps& ops) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("amd_ttgir_bufferops_count").begin_object();
  json.field("tt.load_count", ops.tt_load).field("tt.store_count", ops.tt_store);
  json.field("amdgpu.buffer_load_count", ops.amdgpu_buffer_load);
  json.field("amdgpu.buffer_store_count", ops.amdgpu_buffer_store).end_object();
  json.key("amd_gcn_bufferops_count").begin_object();
  json.field("global_load_count", ops.global_load).field("global_store_count", ops.global_store);
  json.field("buffer_load_count", ops.buffer_load);
  json.field("buffer_store_count", ops.buffer_store).end_object().end_object();
  return out;
}

}  // namespace

ReferenceAnalysis reference_ir_analysis(const ReferenceInput& input, const ReferenceMaps& maps) {
  ReferenceAnalysis analysis;
  const bool known = known_adapter(input.backend_name);
  const auto has = [&](std::string_view stage) {
    return !known || adapter_has_stage(input.backend_name, stage);
  };
  const Artifact* ttir = artifact_with_extension(input.artifacts, ".ttir");
  const Artifact* ttgir = artifact_with_extension(input.artifacts, ".ttgir");
  const Artifact* amdgcn = artifact_with_extension(input.artifacts, ".amdgcn");
  analysis.io_counts_first = !known;
  if (ttir && ttgir && has("ttir") && has("ttgir")) {
    analysis.loop_schedules = loop_schedules(input, maps, *ttir, *ttgir);
  }
  if (ttgir && amdgcn && has("ttgir") && has("amdgcn")) {
    analysis.io_counts = io_counts(ir::buffer_ops(ttgir->text, amdgcn->text));
  }
  return analysis;
}

ReferenceMaps maps_for_ir_analysis(const ReferenceInput& input) {
  static constexpr std::array<std::string_view, 2> kStages{"ttir", "ttgir"};
  const Artifact* ttir = artifact_with_extension(input.artifacts, ".ttir");
  if (!ttir || ttir->text.find("scf.for") == ttir->text.npos) return {};
  return reference_maps(input, kStages);
}

std::string to_json(const ReferenceAnalysis& analysis) {
  if (analysis.loop_schedules.empty() && analysis.io_counts.empty()) return {};
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  const auto io = [&] {
    if (!analysis.io_counts.empty()) json.raw_field("io_counts", analysis.io_counts);
  };
  if (analysis.io_counts_first) io();
  if (!analysis.loop_schedules.empty()) {
    json.raw_field("loop_schedules", analysis.loop_schedules);
  }
  if (!analysis.io_counts_first) io();
  json.end_object();
  return out;
}

}  // namespace ks::ndjson
