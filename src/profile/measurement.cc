#include "profile/measurement.h"

#include <cmath>

#include "profile/measurement_json.h"

namespace ks::profile {
namespace {

struct StatusInfo {
  std::string_view name, text;
  bool cached;
};

constexpr StatusInfo kStatuses[] = {
#define X(name, cached, text) {#name, text, cached},
    KS_STATUSES(X)
#undef X
};

const StatusInfo& info(Status status) { return kStatuses[static_cast<size_t>(status)]; }

template <typename T>
void optional_field(JsonWriter& json, std::string_view name, const std::optional<T>& value) {
  if (value) json.field(name, *value);
}

void text_field(JsonWriter& json, std::string_view name, const std::string& text) {
  if (!text.empty()) json.field(name, text);
}

void dim_field(JsonWriter& json, std::string_view name,
               const std::optional<std::array<int64_t, 3>>& dim) {
  if (!dim) return;
  json.key(name).begin_array();
  for (const int64_t v : *dim) json.value(v);
  json.end_array();
}

void append_launch(JsonWriter& json, const LaunchFacts& launch) {
  json.begin_object();
  text_field(json, "kernel", launch.kernel);
  dim_field(json, "grid", launch.grid);
  dim_field(json, "block", launch.block);
  optional_field(json, "registers", launch.registers);
  optional_field(json, "local_bytes", launch.local_bytes);
  optional_field(json, "spills", launch.spills);
  optional_field(json, "static_shared", launch.static_shared);
  optional_field(json, "dynamic_shared", launch.dynamic_shared);
  optional_field(json, "blocks_per_sm", launch.blocks_per_sm);
  json.end_object();
}

void append_circumstances(JsonWriter& json, const Circumstances& c) {
  json.begin_object();
  text_field(json, "source", c.source);
  text_field(json, "device", c.device);
  text_field(json, "chip", c.chip);
  text_field(json, "capability", c.capability);
  optional_field(json, "sm_count", c.sm_count);
  text_field(json, "driver", c.driver);
  text_field(json, "cuda", c.cuda);
  text_field(json, "torch", c.torch);
  text_field(json, "triton", c.triton);
  text_field(json, "tool", c.tool);
  text_field(json, "cache_control", c.cache_control);
  text_field(json, "clock_control", c.clock_control);
  optional_field(json, "peak_dram_bytes_per_second", c.peak_dram_bytes_per_second);
  json.end_object();
}

}  // namespace

std::string_view status_name(Status status) { return info(status).name; }
std::string_view status_text(Status status) { return info(status).text; }
bool is_cached(Status status) { return info(status).cached; }

std::optional<Status> status_from_name(std::string_view name) {
  for (size_t i = 0; i < std::size(kStatuses); ++i) {
    if (kStatuses[i].name == name) return static_cast<Status>(i);
  }
  return std::nullopt;
}

std::optional<double> Measurement::metric(std::string_view name) const {
  const auto found = metrics.find(std::string(name));
  if (found == metrics.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

void append_measurement(JsonWriter& json, const Measurement& m) {
  json.begin_object().field("version", kMeasurementVersion).field("status", status_name(m.status));
  text_field(json, "reason", m.reason);
  json.key("metrics").begin_object();
  for (const auto& [name, value] : m.metrics) json.field(name, value);
  json.end_object();
  json.field("passes", m.passes);
  text_field(json, "config", m.config);
  append_launch(json.key("launch"), m.launch);
  optional_field(json, "latency_us", m.latency_us);
  text_field(json, "latency_source", m.latency_source);
  append_circumstances(json.key("circumstances"), m.circumstances);
  json.key("notes").begin_array();
  for (const std::string& note : m.notes) json.value(note);
  json.end_array().end_object();
}

std::string to_json(const Measurement& measurement) {
  std::string out;
  JsonWriter json(out);
  append_measurement(json, measurement);
  return out;
}

}  // namespace ks::profile
