#include "ndjson/mended_launch_diff.h"

#include <fmt/format.h>

#include <set>

#include "base/json_writer.h"
#include "ndjson/json_tree.h"

namespace ks::ndjson {

namespace {

struct Side {
  JsonTree tree;                              // without extracted_args
  std::map<std::string, JsonTree> arguments;  // by name
};

std::string summary(uint64_t distinct, const std::string& more = "") {
  return fmt::format(
      R"({{"diff_type":"summary","summary_text":"Varies across {} unique values"{}}})", distinct,
      more);
}

std::string distribution(const run::Run& run, const run::LaunchDiff& diff,
                         const run::FieldDiff& field) {
  std::string out = R"({"diff_type":"distribution","values":[)";
  for (size_t i = 0; i < field.values.size(); ++i) {
    const run::FieldValue& value = field.values[i];
    if (i > 0) out += ',';
    out +=
        fmt::format(R"({{"value":{},"count":{},"launches":)", run.values[value.value], value.count);
    append_ranges(out, diff.launches_of(field, value));
    out += '}';
  }
  out += ']';
  if (field.present < diff.launches) out += fmt::format(R"(,"present":{})", field.present);
  return out + "}";
}

// The JSON text of a field's diff, or of its one value; sets `differs`.
std::string describe(const run::Run& run, const DiffInput& input, const run::LaunchDiff& diff,
                     const run::FieldDiff& field, bool& differs) {
  const run::Path& path = run.paths[field.path];
  const auto pointers = input.pointers.find(field.path);
  uint64_t distinct = field.values.size();
  if (pointers != input.pointers.end()) distinct += pointers->second.distinct;
  differs = distinct > 1 || field.present < input.launches;
  if (!differs) {
    if (!field.values.empty()) return run.values[field.values[0].value];
    // Written with escapes, say, a pointer is not among those that were taken out of the text.
    return pointers == input.pointers.end() ? "null" : pointer_text(pointers->second.first);
  }
  if (pointers != input.pointers.end()) {
    return summary(distinct, fmt::format(R"(,"aligned_16":{},"present":{})",
                                         pointers->second.aligned, field.present));
  }
  if (path.is_volatile || path.is_measured) {
    const bool partly = field.present < input.launches;
    return summary(distinct, partly ? fmt::format(R"(,"present":{})", field.present) : "");
  }
  return distribution(run, diff, field);
}

void place(const run::Path& path, std::string json, Side& side) {
  if (path.parts.size() > 2 && path.parts[0] == "extracted_args") {
    side.arguments[path.parts[1]].set(path.parts, 2, std::move(json));
  } else {
    side.tree.set(path.parts, 0, std::move(json));
  }
}

void add_timestamps(const DiffInput& input, Side& sames, Side& diffs) {
  if (input.timestamps > 1) diffs.tree.set_member("timestamp", summary(input.timestamps));
  if (input.timestamps != 1) return;
  std::string json;
  append_json_string(json, input.first_timestamp);
  sames.tree.set_member("timestamp", json);
}

// Arguments with any difference go to the diffs whole, as the reference has it.
void add_arguments(const std::vector<std::string>& order, Side& sames, Side& diffs) {
  for (const std::string& name : order) {
    std::string json;
    const auto varying = diffs.arguments.find(name);
    if (varying == diffs.arguments.end()) {
      sames.arguments[name].write(json);
      sames.tree.set({"extracted_args", name}, 0, std::move(json));
      continue;
    }
    // Of launches where the argument is no object.
    const JsonTree* arguments = diffs.tree.child("extracted_args");
    const std::string* scalar = arguments ? arguments->text(name) : nullptr;
    if (scalar) varying->second.set_member("(no object)", *scalar);
    json = R"({"diff_type":"argument_diff","sames":)";
    sames.arguments[name].write(json);
    json += R"(,"diffs":)";
    varying->second.write(json);
    json += '}';
    diffs.tree.set({"extracted_args", name}, 0, std::move(json));
  }
}

}  // namespace

std::string mended_launch_diff(const run::Run& run, const DiffInput& input) {
  Side sames, diffs;
  std::vector<std::string> order;  // of arguments, by first sight
  std::set<std::string> known;
  const run::LaunchDiff diff = run::launch_diff(run, input.uses);
  for (const run::FieldDiff& field : diff.fields) {
    const run::Path& path = run.paths[field.path];
    bool differs = false;
    std::string json = describe(run, input, diff, field, differs);
    place(path, std::move(json), differs ? diffs : sames);
    if (path.parts.size() > 2 && path.parts[0] == "extracted_args" &&
        known.insert(path.parts[1]).second) {
      order.push_back(path.parts[1]);
    }
  }
  add_timestamps(input, sames, diffs);
  add_arguments(order, sames, diffs);
  std::string out = "\"diffs\":";
  diffs.tree.write(out);
  out += ",\"sames\":";
  sames.tree.write(out);
  return out;
}

}  // namespace ks::ndjson
