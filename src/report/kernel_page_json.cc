#include "base/json_writer.h"
#include "report/json_parts.h"
#include "report/kernel_fields.h"
#include "report/kernel_page.h"

namespace ks::report {
namespace {

template <typename T>
void optional_field(JsonWriter& json, std::string_view name, const std::optional<T>& value) {
  json.key(name);
  value ? json.value(*value) : json.null();
}

void append_compilation(JsonWriter& json, const store::CompilationRow& row) {
  json.begin_object();
  optional_field(json, "rank", row.rank);
  optional_field(json, "pid", row.pid);
  optional_field(json, "frame_id", row.frame);
  optional_field(json, "frame_compile_id", row.frame_compile);
  optional_field(json, "cache_hit", row.cache_hit);
  optional_field(json, "total_us", row.total_us);
  json.field("call_site", row.call_site).key("stages_us").begin_object();
  for (const auto& [stage, us] : row.stages) json.field(stage, us);
  json.end_object().end_object();
}

void append_constants(JsonWriter& json, const KernelConstants& constants,
                      std::optional<uint64_t> kernel) {
  json.key("constants").begin_object();
  const auto known = kernel ? constants.find(*kernel) : constants.end();
  if (known != constants.end()) {
    for (const auto& [name, value] : known->second) json.field(name, value);
  }
  json.end_object();
}

void append_autotune(JsonWriter& json, const store::AutotuneRow& row,
                     const KernelConstants& constants) {
  json.begin_object().field("session", row.session).field("autotuner", row.autotuner);
  json.field("call_site", row.call_site).field("config", row.config);
  optional_field(json, "kernel_id", row.kernel);
  json.field("winner", row.winner);
  optional_field(json, "ms", row.best_ms);
  json.field("benchmark_launches", row.benchmark_launches);
  json.field("user_launches", row.user_launches);
  append_constants(json, constants, row.kernel);
  json.end_object();
}

void append_facts(JsonWriter& json, const store::KernelDetails& details) {
  json.key("stages").begin_array();
  for (const store::ArtifactRow& a : details.artifacts) {
    json.begin_object().field("stage", a.stage).field("name", a.name).field("bytes", a.bytes);
    json.field("lines", a.lines).field("mapped", a.mapped).field("unmapped", a.unmapped);
    json.field("unknown_location", a.unknown_location).end_object();
  }
  json.end_array().key("dots").begin_array();
  for (const store::DotRow& dot : details.dots) {
    json.begin_object().field("ttir_line", dot.line).field("loop_depth", dot.loop_depth);
    json.field("shape", dot.shape).field("types", dot.types).end_object();
  }
  json.end_array().key("loops").begin_array();
  for (const store::LoopRow& loop : details.loops) {
    json.begin_object().field("begin_line", loop.begin_line).field("end_line", loop.end_line);
    json.field("depth", loop.depth);
    optional_field(json, "trip_count", loop.trip_count);
    json.end_object();
  }
  json.end_array().key("cost_notes").begin_array();
  for (const std::string& note : details.cost_notes) json.value(note);
  json.end_array();
}

}  // namespace

std::string kernel_page_json(const store::KernelRow& kernel, const store::KernelDetails& details,
                             const store::KernelDiff& diff, const KernelConstants& constants) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema_version", 1).key("kernel");
  append_kernel(json, kernel);
  append_constants(json, constants, kernel.id);
  json.key("compilations").begin_array();
  for (const store::CompilationRow& row : details.compilations) append_compilation(json, row);
  json.end_array().key("autotune").begin_array();
  for (const store::AutotuneRow& row : details.autotune) append_autotune(json, row, constants);
  json.end_array();
  append_facts(json, details);
  append_diff(json, diff);
  json.end_object();
  return out + '\n';
}

std::string launches_json(const store::LaunchList& list) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema_version", 1).field("total", list.total);
  json.key("launches").begin_array();
  for (const store::LaunchItem& item : list.launches) {
    json.begin_object().field("launch_id", item.id).field("kind", item.kind);
    optional_field(json, "position", item.position);
    optional_field(json, "rank", item.rank);
    json.raw_field("grid", item.grid.empty() ? "null" : item.grid);
    json.field("call_site", item.call_site).key("varying").begin_object();
    for (const auto& [field, value] : item.varying) json.raw_field(field, value);
    json.end_object().end_object();
  }
  json.end_array().end_object();
  return out + '\n';
}

}  // namespace ks::report
