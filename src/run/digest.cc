#include "run/digest.h"

#include <fmt/format.h>

#include <algorithm>

namespace ks::run {

namespace {

std::string_view extension_of(std::string_view artifact) {
  const size_t dot = artifact.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : artifact.substr(dot + 1);
}

// Sums of a byte each, which a compiler does 16 at a time.
uint64_t count_newlines(std::string_view text) {
  constexpr size_t kStep = 240;  // a byte holds that many
  uint64_t total = 0;
  for (; text.size() >= kStep; text.remove_prefix(kStep)) {
    uint8_t some = 0;
    for (size_t i = 0; i < kStep; ++i) some = static_cast<uint8_t>(some + (text[i] == '\n'));
    total += some;
  }
  return total + static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

uint32_t count_lines(std::string_view text) {
  const uint64_t ends = count_newlines(text);
  return static_cast<uint32_t>(ends + (!text.empty() && text.back() != '\n'));
}

// The tracer writes these in place of a text (docs/trace-format.md, artifact texts).
bool is_placeholder(std::string_view text) {
  return text.starts_with("<file too large: ") || text.starts_with("<error reading file: ") ||
         text.starts_with("<nvdisasm failed: ") ||
         text.starts_with("<error dumping derived artifact");
}

const StageText* stage(const DigestedCompilation& c, ir::Stage wanted) {
  for (size_t i = 0; i < c.texts.size(); ++i) {
    if (c.artifacts[i].stage == wanted) return &c.texts[i];
  }
  return nullptr;
}

void find_facts(DigestedCompilation& c) {
  const StageText* ttir = stage(c, ir::Stage::ttir);
  const StageText* ttgir = stage(c, ir::Stage::ttgir);
  const StageText* amdgcn = stage(c, ir::Stage::amdgcn);
  if (ttir) c.facts.ttir = ir::facts_from_ttir(ttir->text);
  if (ttir && ttgir && !c.facts.ttir.loops.empty()) {
    c.facts.schedules =
        ir::loop_schedules(ttir->text, ttir->map, c.facts.ttir.loops, ttgir->text, ttgir->map);
  }
  if (ttgir) c.facts.num_warps_base = ir::num_warps_of_ttgir(ttgir->text);
  if (ttgir && amdgcn) c.facts.buffer_ops = ir::buffer_ops(ttgir->text, amdgcn->text);
  for (ir::Stage from : {ir::Stage::amdgcn, ir::Stage::sass, ir::Stage::ptx}) {
    if (const StageText* text = stage(c, from)) {
      c.facts.resources = ir::resources_from_text(from, text->text);
      return;
    }
  }
}

}  // namespace

bool FirstCompilations::claim(const std::string& hash, uint64_t order) {
  std::lock_guard lock(mutex_);
  const auto [entry, added] = earliest_.try_emplace(hash, order);
  if (added) return true;
  if (entry->second < order) return false;
  entry->second = order;
  return true;
}

DigestedCompilation digest(trace::Compilation event, bool analyse, const std::string& where) {
  DigestedCompilation c;
  for (trace::Artifact& artifact : event.artifacts) {
    ArtifactInfo info;
    info.name = artifact.name;
    info.extension = extension_of(artifact.name);
    info.stage = ir::stage_from_extension(info.extension);
    info.bytes = artifact.text.size();
    info.lines = count_lines(artifact.text);
    StageText text{std::move(artifact.name), std::move(artifact.text), {}};
    if (is_placeholder(text.text)) {
      c.diagnostics.add(Diag::placeholder_text, fmt::format("{}: {}", where, text.name));
    } else if (analyse && info.stage != ir::Stage::other) {
      text.map = ir::map_stage(info.stage, text.text);
      if (text.map.not_understood > 0) {
        c.diagnostics.add(Diag::ir_not_understood, fmt::format("{}: {}", where, text.name),
                          text.map.not_understood);
      }
    }
    c.artifacts.push_back(std::move(info));
    c.texts.push_back(std::move(text));
  }
  event.artifacts.clear();
  c.event = std::move(event);
  if (!analyse) return c;
  for (size_t i = 0; i < c.texts.size(); ++i) {
    if (c.artifacts[i].stage != ir::Stage::sass) continue;
    const StageText* donor = stage(c, ir::Stage::ptx);
    if (!donor) donor = stage(c, ir::Stage::llir);
    if (donor) ir::infer_chains(c.texts[i].map, donor->map);
  }
  for (size_t i = 0; i < c.texts.size(); ++i) c.artifacts[i].coverage = c.texts[i].map.coverage;
  find_facts(c);
  return c;
}

}  // namespace ks::run
