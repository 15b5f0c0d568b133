#include "profile/worker_protocol.h"

#include <algorithm>
#include <array>

#include "base/json_writer.h"
#include "profile/child_process.h"
#include "profile/measurement_json.h"

namespace ks::profile {
namespace {

using trace::Value;

constexpr std::array<std::string_view, 5> kFaultWords = {
    "illegal memory access", "unspecified launch failure", "device-side assert",
    "misaligned address", "illegal instruction"};

Result<Circumstances> read_circumstances(const Value& value) {
  // The reader of measurements knows their form; this is one that holds nothing else.
  Value whole, status;
  whole.kind = Value::Kind::object;
  status.kind = Value::Kind::string;
  status.string = status_name(Status::not_run);
  whole.members = {{"status", status}, {"circumstances", value}};
  Result<Measurement> measurement = measurement_from_value(whole);
  if (!measurement) return tl::make_unexpected(measurement.error());
  return std::move(measurement->circumstances);
}

Result<Reply> read_hello(const Value& value, Reply reply) {
  reply.kind = Reply::Kind::hello;
  reply.text = one_line(value.text("text"));
  reply.pid = value.number("pid");
  if (const std::string_view problem = value.text("problem"); !problem.empty()) {
    reply.problem = status_from_name(problem);
    if (!reply.problem) return fail(ErrorKind::input, "unknown problem in its greeting");
  }
  const Value* circumstances = value.find("circumstances");
  if (!circumstances || circumstances->is_null()) return reply;
  Result<Circumstances> read = read_circumstances(*circumstances);
  if (!read) return tl::make_unexpected(read.error());
  reply.circumstances = std::move(*read);
  return reply;
}

Result<Reply> read_done(const Value& value, Reply reply) {
  reply.kind = Reply::Kind::done;
  reply.leaving = value.flag("leaving");
  const Value* measurement = value.find("measurement");
  if (!measurement) return fail(ErrorKind::input, "\"done\" without a measurement");
  Result<Measurement> read = measurement_from_value(*measurement);
  if (!read) return tl::make_unexpected(read.error());
  reply.measurement = std::move(*read);
  return reply;
}

}  // namespace

bool tells_fault(std::string_view stderr_text) {
  return std::any_of(kFaultWords.begin(), kFaultWords.end(), [&](std::string_view words) {
    return stderr_text.find(words) != std::string_view::npos;
  });
}

std::string measure_request(const Task& task, const Policy& policy) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("op", "measure").field("id", static_cast<uint64_t>(task.id));
  json.field("path", task.path).field("kernel", task.kernel).key("metrics").begin_array();
  for (const std::string& metric : policy.metrics.metrics) json.value(metric);
  json.end_array().field("cache_control", policy.cache_control);
  json.field("clock_control", policy.clock_control).field("latency", policy.latency);
  json.field("pinned_config", task.pinned_config).field("timeout_s", policy.timeout_s);
  json.end_object();
  return out += '\n';
}

std::string exit_request() { return "{\"op\":\"exit\"}\n"; }

Result<Reply> read_reply(std::string_view line) {
  const Result<Value> value = read_json(line);
  if (!value) return tl::make_unexpected(value.error());
  const std::string_view op = value->text("op");
  Reply reply;
  if (op == "hello") return read_hello(*value, std::move(reply));
  const Value* id = value->find("id");
  if (!id || id->kind != Value::Kind::integer || id->integer < 0) {
    return fail(ErrorKind::input, "no task's number");
  }
  reply.id = static_cast<size_t>(id->integer);
  if (op == "done") return read_done(*value, std::move(reply));
  if (op != "phase") return fail(ErrorKind::input, "no \"op\" that we know");
  reply.kind = Reply::Kind::phase;
  reply.phase = one_line(value->text("phase"), 40);
  return reply;
}

std::optional<std::string> LineBuffer::next() {
  const size_t end = bytes_.find('\n', std::max(start_, searched_));
  if (end == std::string::npos) {
    bytes_.erase(0, start_);
    start_ = 0;
    searched_ = bytes_.size();
    return std::nullopt;
  }
  std::string line = bytes_.substr(start_, end - start_);
  start_ = searched_ = end + 1;
  return line;
}

}  // namespace ks::profile
