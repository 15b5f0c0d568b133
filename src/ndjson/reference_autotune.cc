#include "ndjson/reference_autotune.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/json_writer.h"
#include "ndjson/reference_launch_diff.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

namespace {

using run::Id;
using run::kNone;

struct Compiled {
  std::string hash;
  // JSON, kept for the first of a session only:
  std::string name, stack, python_source;
};

std::string group_hash_text(uint64_t hash) { return fmt::format("{:016x}", hash); }

ConfigParams params_of(const trace::Value& metadata) {
  ConfigParams params;
  for (std::string_view name : {"num_warps", "num_stages", "num_ctas", "maxnreg"}) {
    const trace::Value* value = metadata.find(name);
    if (value && !value->is_null()) params.emplace_back(name, trace::to_json(*value));
  }
  return params;
}

std::string frames_json(const trace::Value& stack, size_t count) {
  std::string out = "[";
  for (size_t i = 0; i < std::min(count, stack.items.size()); ++i) {
    if (i > 0) out += ',';
    trace::append_json(out, stack.items[i]);
  }
  return out + "]";
}

// Inductor's autotuner also makes benchmark launches, but none that the reference knows.
bool is_benchmark(const run::Run& run, const run::Stack& stack) {
  return stack.benchmark && std::any_of(stack.frames.begin(), stack.frames.end(), [&](Id id) {
           const run::StackFrame& f = run.frames[id];
           return f.function == "_bench" &&
                  f.filename.find("triton/runtime/autotuner.py") != std::string::npos;
         });
}

// JSON text of a leaf of the launch, empty if it has none at this path.
std::string_view leaf_json(const run::Run& run, Id launch_class, std::string_view field,
                           std::string_view dotted) {
  for (const run::Part& part : run.classes[launch_class].parts) {
    if (run.paths[part.path].dotted() != field) continue;
    for (const run::Leaf& leaf : run.contents[part.content].leaves) {
      if (leaf.value < run.values.size() && run.paths[leaf.path].dotted() == dotted) {
        return run.values[leaf.value];
      }
    }
  }
  return {};
}

// Launches numbered as they stand in `groups`.
DiffInput diff_input(const run::Run& run, const std::vector<const GroupLaunch*>& groups) {
  DiffInput input;
  std::map<Id, size_t> uses;
  std::map<Id, std::set<uint64_t>> seen;
  std::set<std::string_view> timestamps;
  for (uint32_t i = 0; i < groups.size(); ++i) {
    const GroupLaunch& group = *groups[i];
    const auto [at, added] = uses.try_emplace(group.launch_class, input.uses.size());
    if (added) input.uses.emplace_back().launch_class = group.launch_class;
    run::ClassUse& use = input.uses[at->second];
    ++use.count;
    if (!use.positions.empty() && use.positions.back().end + 1 == i) {
      use.positions.back().end = i;
    } else {
      use.positions.push_back({i, i});
    }
    size_t next = 0;
    for (const run::Part& part : run.classes[group.launch_class].parts) {
      for (Id path : run.contents[part.content].pointer_paths) {
        if (next == group.pointers.size()) break;
        const uint64_t pointer = group.pointers[next++];
        PointerValues& values = input.pointers[path];
        if (values.launches++ == 0) values.first = pointer;
        values.aligned += pointer % 16 == 0;
        values.distinct += seen[path].insert(pointer).second;
      }
    }
    if (group.timestamp.empty()) continue;
    if (timestamps.empty()) input.first_timestamp = group.timestamp;
    timestamps.insert(group.timestamp);
  }
  input.timestamps = timestamps.size();
  input.launches = groups.size();
  return input;
}

}  // namespace

void IdRuns::add(uint64_t id) {
  if (!runs_.empty() && runs_.back().second + 1 == id) {
    runs_.back().second = id;
  } else {
    runs_.emplace_back(id, id);
  }
}

uint64_t IdRuns::count() const {
  uint64_t count = 0;
  for (const auto& [first, last] : runs_) count += last - first + 1;
  return count;
}

std::string IdRuns::text() const {
  std::string out;
  for (const auto& [first, last] : runs_) {
    if (!out.empty()) out += ", ";
    out += first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  return out;
}

std::string IdRuns::json() const {
  std::string out;
  JsonWriter writer(out);
  writer.begin_array();
  for (const auto& [first, last] : runs_) {
    for (uint64_t id = first; id <= last; ++id) writer.value(id);
  }
  writer.end_array();
  return out;
}

struct ReferenceAutotune::Session {
  std::string id;
  std::string stack;  // JSON of the user's frames
  size_t stand_in_order = SIZE_MAX;
  std::vector<Compiled> stand_ins, compilations;
  std::map<std::string, ConfigParams> params;  // by hash, of both
  std::unordered_map<uint64_t, GroupLaunch> groups;
  IdRuns benchmark, winner;
  std::optional<uint64_t> selected;  // launch group of the winner
  std::string result;                // JSON, empty if no event told

  std::vector<const Compiled*> compiled() const {
    std::vector<const Compiled*> all;
    for (const Compiled& c : stand_ins) all.push_back(&c);
    for (const Compiled& c : compilations) all.push_back(&c);
    return all;
  }

  std::vector<const GroupLaunch*> launches() const {  // by the last launch of each group
    std::vector<const GroupLaunch*> all;
    for (const auto& [hash, group] : groups) all.push_back(&group);
    std::sort(all.begin(), all.end(),
              [](auto* a, auto* b) { return a->occurrence_id < b->occurrence_id; });
    return all;
  }

  std::string winner_hash(const run::Run& run) const {
    return selected ? kernel_hash(run, groups.at(*selected).launch_class) : std::string();
  }
};

namespace {

using Session = ReferenceAutotune::Session;

std::string compilation_analysis(const Session& s, const std::vector<const Compiled*>& compiled) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("configs").begin_array();
  for (const Compiled* c : compiled) {
    json.begin_object().raw_field("compilation_config_params", params_json(s.params.at(c->hash)));
    json.field("compilation_hash", c->hash).end_object();
  }
  json.end_array().key("compilation_hashes").begin_array();
  for (const Compiled* c : compiled) json.value(c->hash);
  json.end_array().key("common_info").begin_object();
  json.raw_field("stack", compiled.front()->stack);
  json.raw_field("python_source", compiled.front()->python_source);
  json.end_object().end_object();
  return out;
}

std::string launch_analysis(const std::vector<const GroupLaunch*>& groups,
                            const ReferenceDiff& diff) {
  std::string out, sames, diffs;
  diff.sames.write(sames);
  diff.diffs.write(diffs);
  JsonWriter json(out);
  json.begin_object().key("launch_group_hashes").begin_array();
  for (const GroupLaunch* group : groups) json.value(group_hash_text(group->hash));
  json.end_array().key("launch_params_diff").begin_object();
  json.raw_field("sames", sames).raw_field("diffs", diffs);
  json.end_object().end_object();
  return out;
}

void write_head(JsonWriter& json, const Session& s, std::string_view name,
                const std::string& winner) {
  json.begin_object().field("event_type", "autotune_analysis").field("session_id", s.id);
  json.raw_field("session_stack", s.stack).raw_field("name", name.empty() ? "null" : name);
  json.key("selected_hash");
  s.selected ? json.value(group_hash_text(*s.selected)) : json.null();
  json.key("winner_compilation_hash");
  winner.empty() ? json.null() : json.value(winner);
}

void write_groups(JsonWriter& json, const std::vector<const Session*>& sessions) {
  json.key("possible_groups").begin_array();
  for (const Session* s : sessions) {
    json.begin_array();
    for (const Compiled* c : s->compiled()) json.value(c->hash);
    json.end_array();
  }
  json.end_array();
}

void write_occurrences(JsonWriter& json, const Session& s) {
  json.field("cache_usage", s.benchmark.empty());
  json.key("launch_ranges").begin_object();
  json.field("benchmark", s.benchmark.text()).field("winner", s.winner.text()).end_object();
  json.key("launch_occurrence_ids").begin_object();
  json.raw_field("benchmark", s.benchmark.json()).raw_field("winner", s.winner.json()).end_object();
}

std::vector<std::string> hashes_of(const std::vector<const Compiled*>& compiled) {
  std::vector<std::string> hashes;
  for (const Compiled* c : compiled) hashes.push_back(c->hash);
  return hashes;
}

// The sessions that compiled several configs, by each of the configs; of equal ones the first.
std::map<std::string, std::vector<const Session*>> sessions_by_config(
    const std::vector<const Session*>& sessions) {
  std::map<std::string, std::vector<const Session*>> by_config;
  std::set<std::vector<std::string>> seen;
  for (const Session* s : sessions) {
    if (s->params.size() < 2 || !seen.insert(hashes_of(s->compiled())).second) continue;
    for (const auto& [hash, params] : s->params) by_config[hash].push_back(s);
  }
  return by_config;
}

}  // namespace

ReferenceAutotune::ReferenceAutotune() = default;
ReferenceAutotune::~ReferenceAutotune() = default;
ReferenceAutotune::ReferenceAutotune(ReferenceAutotune&&) noexcept = default;
ReferenceAutotune& ReferenceAutotune::operator=(ReferenceAutotune&&) noexcept = default;

ReferenceAutotune::Session* ReferenceAutotune::session_of(const run::Run& run, Id stack) {
  if (stack == kNone) return nullptr;
  const run::Stack& s = run.stacks[stack];
  if (s.session == kNone || s.inductor) return nullptr;
  const auto [at, added] = index_.try_emplace(s.session, sessions_.size());
  if (added) sessions_.push_back(std::make_unique<Session>());
  return sessions_[at->second].get();
}

void ReferenceAutotune::compilation(const run::Run& run, Id stack, const trace::Compilation& event,
                                    std::string_view python_source_json) {
  add(run, stack, event, python_source_json, false);
}

void ReferenceAutotune::stand_in(const run::Run& run, Id stack, const trace::Compilation& event) {
  add(run, stack, event, {}, true);
}

void ReferenceAutotune::add(const run::Run& run, Id stack, const trace::Compilation& event,
                            std::string_view python_source_json, bool stand_in) {
  params_.try_emplace(event.hash, params_of(event.metadata));
  Session* s = session_of(run, stack);
  if (!s || !s->params.try_emplace(event.hash, params_of(event.metadata)).second) return;
  const run::AutotuneSession& session = run.sessions[run.stacks[stack].session];
  if (s->id.empty()) {
    s->id = session.session_id;
    s->stack = frames_json(event.stack, session.user_frames);
  }
  if (stand_in) s->stand_in_order = std::min(s->stand_in_order, stand_ins_++);
  std::vector<Compiled>& list = stand_in ? s->stand_ins : s->compilations;
  Compiled& c = list.emplace_back();
  c.hash = event.hash;
  if (list.size() > 1) return;
  const trace::Value* name = event.metadata.find("name");
  c.name = name ? trace::to_json(*name) : "null";
  c.stack = trace::to_json(event.stack);
  c.python_source = python_source_json.empty() ? "null" : python_source_json;
}

std::string_view ReferenceAutotune::launch(const run::Run& run,
                                           const run::LaunchClass& launch_class, Id id,
                                           std::span<const uint64_t> pointers,
                                           std::string_view timestamp, uint64_t group_hash,
                                           uint64_t occurrence_id) {
  Session* s = session_of(run, launch_class.stack);
  if (!s) return {};
  const run::Stack& stack = run.stacks[launch_class.stack];
  if (s->id.empty()) {
    const run::AutotuneSession& session = run.sessions[stack.session];
    s->id = session.session_id;
    trace::JsonReader reader;
    const auto frames = reader.read_copy(leaf_json(run, id, "stack", "stack"));
    s->stack = frames ? frames_json(*frames, session.user_frames) : "[]";
  }
  GroupLaunch& group = s->groups[group_hash];
  group.hash = group_hash;
  group.occurrence_id = occurrence_id;
  group.launch_class = id;
  group.pointers.assign(pointers.begin(), pointers.end());
  group.timestamp = timestamp;
  if (is_benchmark(run, stack)) {
    s->benchmark.add(occurrence_id);
    return "benchmark";
  }
  s->winner.add(occurrence_id);
  if (!run.groups[launch_class.group].hash.empty()) s->selected = group_hash;
  return s->benchmark.empty() ? "cached_winner" : "winner";
}

void ReferenceAutotune::autotune(const run::Run& run, Id stack, const trace::Autotune& event) {
  Session* s = session_of(run, stack);
  if (!s) return;
  if (s->id.empty()) {
    const run::AutotuneSession& session = run.sessions[run.stacks[stack].session];
    s->id = session.session_id;
    s->stack = frames_json(event.stack, session.user_frames);
  }
  s->result.clear();
  JsonWriter json(s->result);
  json.begin_object().key("best_config");
  event.best_config ? json.value(*event.best_config) : json.null();
  json.raw_field("configs_timings", trace::to_json(event.timings));
  json.raw_field("benchmark_duration", event.duration_json.empty() ? "null" : event.duration_json);
  json.key("cache_hit");
  event.cache_hit ? json.value(*event.cache_hit) : json.null();
  json.end_object();
}

std::vector<ReferenceAutotune::Event> ReferenceAutotune::analyses(const run::Run& run) const {
  std::vector<const Session*> sessions;
  for (const auto& s : sessions_) sessions.push_back(s.get());
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](auto* a, auto* b) { return a->stand_in_order < b->stand_in_order; });
  const auto by_config = sessions_by_config(sessions);
  const std::vector<const Session*> none;
  std::vector<Event> events;
  for (const Session* s : sessions) {
    if (s->benchmark.count() < 2 && s->params.size() < 2) continue;
    const auto alike = by_config.find(s->winner_hash(run));
    Event event = analysis(run, *s, alike == by_config.end() ? none : alike->second);
    if (!event.kernel_hash.empty()) events.push_back(std::move(event));  // else no file to go to
  }
  return events;
}

ReferenceAutotune::Event ReferenceAutotune::analysis(
    const run::Run& run, const Session& s, const std::vector<const Session*>& alike) const {
  const auto compiled = s.compiled();
  const auto groups = s.launches();
  const std::string winner = s.winner_hash(run);
  Event event;
  std::string_view name;
  if (!compiled.empty()) {
    event.kernel_hash = compiled.front()->hash;
    name = compiled.front()->name;
  } else {
    const Id first = groups.front()->launch_class;
    event.kernel_hash = kernel_hash(run, first);
    name = leaf_json(run, first, "compilation_metadata", "compilation_metadata.name");
  }
  JsonWriter json(event.json);
  write_head(json, s, name, winner);
  write_groups(json, compiled.empty() ? alike : std::vector<const Session*>{&s});
  json.raw_field("compilation_analysis",
                 compiled.empty() ? "null" : compilation_analysis(s, compiled));
  if (groups.empty()) {
    json.key("launch_analysis").null();
    write_occurrences(json, s);
  } else {
    ReferenceDiff diff = reference_launch_diff(run, diff_input(run, groups));
    json.raw_field("launch_analysis", launch_analysis(groups, diff));
    write_occurrences(json, s);
    json.raw_field("autotune_args_summary",
                   argument_summary(run, groups, diff.sames.child("extracted_args"),
                                    [&](const std::string& hash) { return params_for(s, hash); }));
  }
  if (!s.result.empty()) json.raw_field("autotune_result", s.result);
  return event;
}

// Of a session that compiled nothing itself the rank's compilations are asked.
std::optional<ConfigParams> ReferenceAutotune::params_for(const Session& s,
                                                          const std::string& hash) const {
  const auto& table = s.params.empty() ? params_ : s.params;
  const auto known = table.find(hash);
  if (known == table.end() || (s.params.empty() && known->second.empty())) return std::nullopt;
  return known->second;
}

std::string ReferenceAutotune::summary(const run::Run& run) const {
  std::map<std::string, uint64_t> wins;  // sessions, not launches
  for (const auto& s : sessions_) {
    if (std::string hash = s->winner_hash(run); !hash.empty()) ++wins[std::move(hash)];
  }
  if (wins.empty()) return {};
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("event_type", "autotune_summary");
  json.key("winner_run_counts").begin_object();
  for (const auto& [hash, count] : wins) json.field(hash, count);
  json.end_object();
  return out;
}

}  // namespace ks::ndjson
