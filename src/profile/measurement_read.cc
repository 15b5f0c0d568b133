// The way back from JSON: what a worker or a file of the cache holds is not to be trusted.

#include <fmt/format.h>

#include <cmath>

#include "profile/measurement_json.h"
#include "trace/json_reader.h"

namespace ks::profile {
namespace {

using Kind = trace::Value::Kind;

// Deeper than any measurement; a worker's text could be hostile.
constexpr unsigned kMaxDepth = 16;

std::optional<double> number(const trace::Value& value) {
  switch (value.kind) {
    case Kind::integer:
      return static_cast<double>(value.integer);
    case Kind::unsigned_integer:
      return static_cast<double>(value.unsigned_integer);
    case Kind::real:
      return value.real;
    default:
      return std::nullopt;
  }
}

// Takes members out of one object; the first of a wrong type is kept as the error.
class Members {
 public:
  Members(const trace::Value& object, std::string_view where) : object_(object), where_(where) {
    if (!object.is_object()) wrong(where);
  }

  void take(std::string_view name, std::string& out) {
    const trace::Value* value = get(name);
    if (!value) return;
    if (!value->is_string()) return wrong(name);
    out = value->string;
  }
  void take(std::string_view name, std::optional<double>& out) {
    const trace::Value* value = get(name);
    if (!value) return;
    out = number(*value);
    if (!out) wrong(name);
  }
  void take(std::string_view name, std::optional<int64_t>& out) {
    const trace::Value* value = get(name);
    if (!value) return;
    if (value->kind != Kind::integer) return wrong(name);
    out = value->integer;
  }
  void take(std::string_view name, int64_t& out) {
    std::optional<int64_t> value;
    take(name, value);
    if (value) out = *value;
  }
  void take(std::string_view name, std::optional<std::array<int64_t, 3>>& out) {
    const trace::Value* value = get(name);
    if (!value) return;
    if (!value->is_array() || value->items.size() != 3) return wrong(name);
    out.emplace();
    for (size_t i = 0; i < 3; ++i) {
      if (value->items[i].kind != Kind::integer) return wrong(name);
      (*out)[i] = value->items[i].integer;
    }
  }
  void take(std::string_view name, std::map<std::string, double>& out) {
    const trace::Value* value = get(name);
    if (!value) return;
    if (!value->is_object()) return wrong(name);
    for (const trace::Value::Member& member : value->members) {
      if (member.second.is_null()) continue;  // how a worker writes nan and inf
      const std::optional<double> v = number(member.second);
      if (!v) return wrong(member.first);
      out.insert_or_assign(member.first, *v);
    }
  }
  void take(std::string_view name, std::vector<std::string>& out) {
    const trace::Value* value = get(name);
    if (!value) return;
    if (!value->is_array()) return wrong(name);
    for (const trace::Value& item : value->items) {
      if (!item.is_string()) return wrong(name);
      out.push_back(item.string);
    }
  }
  // Null where it is not there.
  const trace::Value* get(std::string_view name) const {
    const trace::Value* value = object_.find(name);
    return value && !value->is_null() ? value : nullptr;
  }
  void wrong(std::string_view name) {
    if (error_.empty()) error_ = fmt::format("{}: \"{}\" is of a wrong type", where_, name);
  }
  const std::string& error() const { return error_; }

 private:
  const trace::Value& object_;
  std::string_view where_;
  std::string error_;
};

std::string take_launch(const trace::Value& value, LaunchFacts& launch) {
  Members members(value, "launch");
  members.take("kernel", launch.kernel);
  members.take("grid", launch.grid);
  members.take("block", launch.block);
  members.take("registers", launch.registers);
  members.take("local_bytes", launch.local_bytes);
  members.take("spills", launch.spills);
  members.take("static_shared", launch.static_shared);
  members.take("dynamic_shared", launch.dynamic_shared);
  members.take("blocks_per_sm", launch.blocks_per_sm);
  return members.error();
}

std::string take_circumstances(const trace::Value& value, Circumstances& c) {
  Members members(value, "circumstances");
  members.take("source", c.source);
  members.take("device", c.device);
  members.take("chip", c.chip);
  members.take("capability", c.capability);
  members.take("sm_count", c.sm_count);
  members.take("driver", c.driver);
  members.take("cuda", c.cuda);
  members.take("torch", c.torch);
  members.take("triton", c.triton);
  members.take("tool", c.tool);
  members.take("cache_control", c.cache_control);
  members.take("clock_control", c.clock_control);
  members.take("peak_dram_bytes_per_second", c.peak_dram_bytes_per_second);
  return members.error();
}

std::string take_status(Members& members, Measurement& m) {
  int64_t version = kMeasurementVersion;
  members.take("version", version);
  if (version != kMeasurementVersion) {
    return fmt::format("measurement of format {}; this version reads {}", version,
                       kMeasurementVersion);
  }
  std::string name;
  members.take("status", name);
  const std::optional<Status> status = status_from_name(name);
  if (!status) return fmt::format("measurement: no status \"{}\"", name);
  m.status = *status;
  return "";
}

}  // namespace

Result<trace::Value> read_json(std::string_view json) {
  thread_local trace::JsonReader reader(kMaxDepth);
  auto value = reader.read_copy(json);
  if (!value) return fail(ErrorKind::input, "not a JSON text that we can read");
  return std::move(*value);
}

Result<Measurement> measurement_from_value(const trace::Value& value) {
  Measurement m;
  Members members(value, "measurement");
  if (!members.error().empty()) return fail(ErrorKind::input, members.error());
  std::string error = take_status(members, m);
  members.take("reason", m.reason);
  members.take("metrics", m.metrics);
  members.take("passes", m.passes);
  members.take("config", m.config);
  members.take("latency_us", m.latency_us);
  members.take("latency_source", m.latency_source);
  members.take("notes", m.notes);
  if (error.empty()) error = members.error();
  const trace::Value* launch = members.get("launch");
  if (error.empty() && launch) error = take_launch(*launch, m.launch);
  const trace::Value* circumstances = members.get("circumstances");
  if (error.empty() && circumstances) error = take_circumstances(*circumstances, m.circumstances);
  if (!error.empty()) return fail(ErrorKind::input, std::move(error));
  return m;
}

Result<Measurement> measurement_from_json(std::string_view json) {
  const Result<trace::Value> value = read_json(json);
  if (!value) return tl::make_unexpected(value.error());
  return measurement_from_value(*value);
}

}  // namespace ks::profile
