#include "base/json_writer.h"
#include "run/finish.h"

namespace ks::run {

namespace {

std::optional<int64_t> integer(const trace::Value& object, std::string_view key) {
  const trace::Value* v = object.find(key);
  return v && v->kind == trace::Value::Kind::integer ? std::optional(v->integer) : std::nullopt;
}

}  // namespace

std::optional<int64_t> CompileTimes::total() const {
  if (!ir_initialization && stages.empty() && !store_results) return std::nullopt;
  int64_t sum = ir_initialization.value_or(0) + store_results.value_or(0);
  for (const auto& [stage, time] : stages) sum += time;
  return sum;
}

KernelMetadata kernel_metadata(const trace::Value& metadata) {
  KernelMetadata m;
  m.num_warps = integer(metadata, "num_warps");
  m.num_stages = integer(metadata, "num_stages");
  m.num_ctas = integer(metadata, "num_ctas");
  m.shared = integer(metadata, "shared");
  m.maxnreg = integer(metadata, "maxnreg");
  m.warp_size = integer(metadata, "warp_size");
  m.triton_version = metadata.text("triton_version");
  if (const trace::Value* target = metadata.find("target")) {
    m.backend = target->text("backend");
    if (const trace::Value* arch = target->find("arch")) {
      m.arch = arch->is_string() ? arch->string : trace::to_json(*arch);
    }
    if (!m.warp_size) m.warp_size = integer(*target, "warp_size");
  }
  if (m.backend.empty()) m.backend = metadata.text("backend_name");
  if (m.arch.empty()) m.arch = metadata.text("arch");
  JsonWriter w(m.json);
  w.begin_object();
  for (const trace::Value::Member& member : metadata.members) {
    if (member.first == "asm" || member.first == "times" || member.first == "cache_hit") continue;
    w.raw_field(member.first, trace::to_json(member.second));
  }
  w.end_object();
  return m;
}

CompileTimes compile_times(const trace::Value& metadata) {
  CompileTimes times;
  const trace::Value* t = metadata.find("times");
  if (!t || !t->is_object()) return times;
  times.ir_initialization = integer(*t, "ir_initialization");
  times.store_results = integer(*t, "store_results");
  if (const trace::Value* stages = t->find("lowering_stages")) {
    for (const trace::Value& stage : stages->items) {
      if (stage.items.size() != 2 || !stage.items[0].is_string()) continue;
      if (stage.items[1].kind != trace::Value::Kind::integer) continue;
      times.stages.emplace_back(stage.items[0].string, stage.items[1].integer);
    }
  }
  return times;
}

}  // namespace ks::run
