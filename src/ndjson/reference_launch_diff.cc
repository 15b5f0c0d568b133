#include "ndjson/reference_launch_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/json_writer.h"

namespace ks::ndjson {

namespace {

using run::Id;
using run::kNone;

bool contains_any(std::string_view key, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return key.find(part) != std::string_view::npos;
  });
}

bool is_excluded(std::string_view key) {
  return contains_any(key, {"occurrence_id", "launch_group_hash", "autotune_launch_type"});
}

bool is_summary(std::string_view key) {
  return contains_any(key, {"pid", "timestamp", "stream", "function", "data_ptr"});
}

struct FlatField {
  Id path = kNone;
  bool pointers = false;                    // some launches have their pointer apart
  std::vector<Id> values;                   // distinct, without pointers, in order of first sight
  std::vector<std::pair<size_t, Id>> uses;  // (index into DiffInput::uses, value), one per class
};

std::vector<FlatField> fields_of(const run::Run& run, const DiffInput& input) {
  std::vector<FlatField> fields;
  std::map<Id, size_t> index;
  for (size_t u = 0; u < input.uses.size(); ++u) {
    for (const run::Part& part : run.classes[input.uses[u].launch_class].parts) {
      for (const run::Leaf& leaf : run.contents[part.content].leaves) {
        const auto [at, added] = index.try_emplace(leaf.path, fields.size());
        if (added) fields.emplace_back().path = leaf.path;
        FlatField& field = fields[at->second];
        if (!field.uses.empty() && field.uses.back().first == u) {
          field.uses.back().second = leaf.value;  // two paths joined to one key: the later wins
        } else {
          field.uses.emplace_back(u, leaf.value);
        }
      }
    }
  }
  for (FlatField& field : fields) {
    std::set<Id> seen;
    for (const auto& [use, value] : field.uses) {
      field.pointers |= value == run::kPointerValue;
      if (value != run::kPointerValue && seen.insert(value).second) field.values.push_back(value);
    }
  }
  return fields;
}

std::string summary(uint64_t distinct) {
  return fmt::format(R"({{"diff_type":"summary","summary_text":"Varies across {} unique values"}})",
                     distinct);
}

std::string distribution(const run::Run& run, const DiffInput& input, const FlatField& field) {
  std::string out = R"({"diff_type":"distribution","values":[)";
  for (size_t i = 0; i < field.values.size(); ++i) {
    uint64_t count = 0;
    std::vector<run::Range> ranges;
    for (const auto& [use, value] : field.uses) {
      if (value != field.values[i]) continue;
      const run::ClassUse& u = input.uses[use];
      count += u.count;
      ranges.insert(ranges.end(), u.positions.begin(), u.positions.end());
    }
    if (i > 0) out += ',';
    out +=
        fmt::format(R"({{"value":{},"count":{},"launches":)", run.values[field.values[i]], count);
    append_ranges(out, run::union_of(std::move(ranges)));
    out += '}';
  }
  return out + "]}";
}

void add_field(const run::Run& run, const DiffInput& input, const FlatField& field,
               std::map<std::string, std::string>& diffs, std::map<std::string, std::string>& sames,
               ReferenceDiff& out) {
  const std::string key = run.paths[field.path].dotted();
  if (is_excluded(key)) return;
  uint64_t distinct = field.values.size();
  uint64_t pointer = 0;
  if (field.pointers) {
    const auto found = input.pointers.find(field.path);
    if (found != input.pointers.end()) {
      distinct += found->second.distinct;
      pointer = found->second.first;
    }
  }
  if (distinct <= 1) {
    const std::string json =
        field.values.empty() ? pointer_text(pointer) : run.values[field.values[0]];
    out.sames.set(key, json);
    sames[key] = json;
    return;
  }
  const std::string json = is_summary(key) ? summary(distinct) : distribution(run, input, field);
  out.diffs.set(key, json);
  diffs[key] = json;
}

// Direct keys of the argument objects of all launches that have a value of their own.
std::map<std::string, std::vector<std::string>> argument_keys(const run::Run& run,
                                                              const DiffInput& input) {
  std::map<std::string, std::set<std::string>> keys;
  std::map<std::string, std::vector<std::string>> ordered;
  std::set<std::pair<Id, Id>> seen;
  for (const run::ClassUse& use : input.uses) {
    for (const run::Part& part : run.classes[use.launch_class].parts) {
      if (!seen.insert({part.path, part.content}).second) continue;
      const std::vector<std::string>& prefix = run.paths[part.path].parts;
      if (prefix.size() != 2 || prefix[0] != "extracted_args") continue;
      for (const run::Leaf& leaf : run.contents[part.content].leaves) {
        const std::string dotted = run.paths[leaf.path].dotted();
        const std::string head = "extracted_args." + prefix[1] + ".";
        if (!dotted.starts_with(head)) continue;
        const std::string key = dotted.substr(head.size());
        if (key.find('.') == std::string::npos && keys[prefix[1]].insert(key).second) {
          ordered[prefix[1]].push_back(key);
        }
      }
    }
  }
  return ordered;
}

std::string argument_diff(const std::string& name, const std::vector<std::string>& keys,
                          const std::map<std::string, std::string>& diffs,
                          const std::map<std::string, std::string>& sames, bool& any) {
  JsonTree inner_sames, inner_diffs;
  for (const std::string& key : keys) {
    const std::string flat = "extracted_args." + name + "." + key;
    if (auto d = diffs.find(flat); d != diffs.end()) {
      inner_diffs.set_member(key, d->second);
    } else if (auto s = sames.find(flat); s != sames.end()) {
      inner_sames.set_member(key, s->second);
    }
  }
  any = !inner_sames.empty() || !inner_diffs.empty();
  std::string out = R"({"diff_type":"argument_diff","sames":)";
  inner_sames.write(out);
  out += R"(,"diffs":)";
  inner_diffs.write(out);
  return out + "}";
}

void group_arguments(const run::Run& run, const DiffInput& input,
                     const std::map<std::string, std::string>& diffs,
                     const std::map<std::string, std::string>& sames, ReferenceDiff& out) {
  JsonTree* varying = out.diffs.child("extracted_args");
  if (!varying) return;  // nothing differs: `sames` are as they should be
  const auto keys = argument_keys(run, input);
  JsonTree* constant = out.sames.child("extracted_args");
  JsonTree arguments;
  for (const std::string& name : varying->names()) {
    if (const std::string* text = varying->text(name)) {  // no object: the reference crashes
      arguments.set_member(name, *text);
    } else if (const auto known = keys.find(name); known != keys.end()) {
      bool any = false;
      std::string json = argument_diff(name, known->second, diffs, sames, any);
      if (any) arguments.set_member(name, std::move(json));
    }
    if (constant) constant->erase(name);
  }
  if (constant && constant->empty()) out.sames.erase("extracted_args");
  out.diffs.erase("extracted_args");
  if (arguments.empty()) return;
  std::string json;
  arguments.write(json);
  out.diffs.set_member("extracted_args", json);
}

}  // namespace

std::string pointer_text(uint64_t pointer) { return fmt::format("\"0x{:x}\"", pointer); }

void append_ranges(std::string& out, const std::vector<run::Range>& ranges) {
  out += '[';
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (i > 0) out += ',';
    fmt::format_to(std::back_inserter(out), R"({{"start":{},"end":{}}})", ranges[i].start,
                   ranges[i].end);
  }
  out += ']';
}

ReferenceDiff reference_launch_diff(const run::Run& run, const DiffInput& input) {
  ReferenceDiff out;
  std::map<std::string, std::string> diffs, sames;  // flat
  for (const FlatField& field : fields_of(run, input)) {
    add_field(run, input, field, diffs, sames, out);
  }
  if (input.timestamps == 1) {
    std::string json;
    append_json_string(json, input.first_timestamp);
    out.sames.set("timestamp", json);
  } else if (input.timestamps > 1) {
    out.diffs.set("timestamp", summary(input.timestamps));
  }
  if (input.launches > 1) group_arguments(run, input, diffs, sames, out);
  return out;
}

}  // namespace ks::ndjson
