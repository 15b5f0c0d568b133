#include "ndjson/stand_in.h"

#include <fmt/format.h>

#include <array>

#include "base/json_writer.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

namespace {

// The JSON text of a field of a launch class; empty if it has none.
std::string field_json(const run::Run& run, const run::LaunchClass& c, std::string_view key) {
  for (const run::Part& part : c.parts) {
    const run::Path& path = run.paths[part.path];
    if (path.parts.size() != 1 || path.parts[0] != key) continue;
    const run::Content& content = run.contents[part.content];
    if (key != "stack") return content.json;
    const bool one_leaf = content.leaves.size() == 1 && content.leaves[0].value < run.values.size();
    return one_leaf ? run.values[content.leaves[0].value] : std::string();
  }
  return {};
}

trace::Value parse(const std::string& json) {
  auto value = trace::JsonReader().read_copy(json);
  return value ? std::move(*value) : trace::Value();
}

std::string metadata_json(const std::string& hash, const std::string& name,
                          const trace::Value& launch_metadata) {
  static constexpr std::array<std::string_view, 5> kKeys = {"num_warps", "num_stages", "num_ctas",
                                                            "maxnreg", "cluster_dims"};
  std::string out;
  JsonWriter w(out);
  w.begin_object().field("hash", hash);
  if (name.empty()) {
    w.key("name").null();
  } else {
    w.field("name", name);
  }
  for (std::string_view key : kKeys) {
    const trace::Value* value = launch_metadata.find(key);
    w.raw_field(key, value ? trace::to_json(*value) : "null");
  }
  w.end_object();
  return out;
}

}  // namespace

StandIn make_stand_in(const run::Run& run, const GroupOutput& group, const std::string& hash) {
  const run::LaunchClass& first = run.classes[group.uses.at(0).launch_class];
  const trace::Value launch_metadata = parse(field_json(run, first, "compilation_metadata"));
  std::string name = parse(field_json(run, first, "name")).string;
  if (name.empty()) name = launch_metadata.text("name");
  const std::string metadata = metadata_json(hash, name, launch_metadata);
  const std::string stack = field_json(run, first, "stack");

  StandIn out;
  JsonWriter w(out.json);
  w.begin_object().field("event_type", "compilation").field("is_fake", true);
  w.field("fake_reason", "No compilation event found; inferred from launch event");
  const std::string pid = field_json(run, first, "pid");
  w.raw_field("pid", pid.empty() ? "null" : pid);
  if (group.first_timestamp.empty()) {
    w.key("timestamp").null();
  } else {
    w.field("timestamp", group.first_timestamp);
  }
  w.raw_field("stack", stack.empty() ? "[]" : stack);
  w.key("payload").begin_object().raw_field("metadata", metadata);
  w.raw_field("file_content", "{}").raw_field("file_path", "{}").end_object();

  out.event.hash = hash;
  out.event.name = name;
  out.event.metadata = parse(metadata);
  out.event.stack = parse(stack.empty() ? "[]" : stack);
  out.event.timestamp = group.first_timestamp;
  return out;
}

std::string made_up_hash(const run::Run& run, const run::LaunchGroup& group) {
  const run::Process& process = run.processes[group.process];
  return sha256_hex(fmt::format("kernelscope:{}:{}:{}:{}", process.host, process.pid.value_or(-1),
                                group.name, group.function));
}

}  // namespace ks::ndjson
