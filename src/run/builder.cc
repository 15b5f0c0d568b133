#include "run/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "run/finish.h"

namespace ks::run {

// What decides to which kernel a launch belongs.
struct GroupKey {
  std::string hash;
  std::string name;
  std::string function;
};

std::string_view to_string(LaunchKind kind) {
  static constexpr std::string_view kNames[] = {"user", "winner", "benchmark", "warm_up",
                                                "graph_capture"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view to_string(Attribution attribution) {
  static constexpr std::string_view kNames[] = {"hash", "exact", "handle order", "none"};
  return kNames[static_cast<size_t>(attribution)];
}

int64_t parse_seconds(std::string_view t) {
  if (t.size() < 19 || t[4] != '-' || t[7] != '-' || t[13] != ':' || t[16] != ':') return 0;
  const auto number = [&](size_t at, size_t count) {
    int64_t n = 0;
    for (size_t i = at; i < at + count; ++i) {
      if (t[i] < '0' || t[i] > '9') return int64_t{-1};
      n = n * 10 + (t[i] - '0');
    }
    return n;
  };
  const int64_t year = number(0, 4), month = number(5, 2), day = number(8, 2);
  const int64_t hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || hour < 0 || minute < 0 || second < 0) {
    return 0;
  }
  // Days since 1970 in the Gregorian calendar, the year taken to begin in March.
  const int64_t y = year - (month <= 2), era = y / 400, year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  const int64_t days = era * 146097 + day_of_era - 719468;
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

// What the tracer writes instead of the arguments during graph capture: a text, where an argument
// of that name would be an object.
static bool is_capture_note(const Run& run, const Part& part) {
  return run.paths[part.path].parts.back() == "_note" &&
         run.contents[part.content].json.starts_with('"');
}

Builder::Builder(BuildOptions options, std::span<Observer* const> observers)
    : options_(std::move(options)),
      observers_(observers.begin(), observers.end()),
      interner_(run_, options_.flatten),
      reader_(options_.max_depth) {}

int64_t Builder::seconds(std::string_view timestamp) {
  if (timestamp != last_timestamp_) {
    last_timestamp_ = timestamp;
    last_seconds_ = parse_seconds(timestamp);
  }
  return last_seconds_;
}

Id Builder::add_process(const io::InputFile& file, std::optional<int> rank) {
  // A process is host, pid and its chain of files. Files that do not say are one each.
  if (file.parsed.pid) {
    for (Id i = 0; i < run_.processes.size(); ++i) {
      const Process& p = run_.processes[i];
      if (p.pid == file.parsed.pid && p.host == file.parsed.host.value_or("") && p.rank == rank) {
        return i;
      }
    }
  }
  run_.processes.push_back({rank, file.parsed.pid, file.parsed.host.value_or(""), 0, 0});
  return static_cast<Id>(run_.processes.size() - 1);
}

Id Builder::add_file(const std::string& name, Id process) {
  run_.files.push_back({name, process, 0, 0});
  return static_cast<Id>(run_.files.size() - 1);
}

Id Builder::kernel_by_hash(const std::string& hash) {
  const auto [entry, added] = kernels_.try_emplace(hash, static_cast<Id>(run_.kernels.size()));
  if (added) run_.kernels.emplace_back().hash = hash;
  return entry->second;
}

std::optional<trace::FrameIds> Builder::frame_of(const trace::Compilation& c,
                                                 bool& from_torch_trace) const {
  from_torch_trace = false;
  if (c.frame || options_.kernel_frames.empty()) return c.frame;
  const auto find = [&](std::string_view path) -> std::optional<trace::FrameIds> {
    const auto found = options_.kernel_frames.find(path);
    if (found == options_.kernel_frames.end()) return std::nullopt;
    from_torch_trace = true;
    return found->second;
  };
  if (c.python) {
    if (auto frame = find(c.python->file_path)) return frame;
  }
  for (const trace::Value& frame : c.stack.items) {
    const std::string_view file = frame.text("filename");
    if (file.find("torchinductor") == std::string_view::npos || !file.ends_with(".py")) continue;
    if (auto ids = find(file)) return ids;
  }
  return std::nullopt;
}

Result<> Builder::compilation(Id process, DigestedCompilation c) {
  trace::Compilation& event = c.event;
  run_.diagnostics.merge(c.diagnostics);
  Process& p = run_.processes[process];
  if (!p.pid) p.pid = event.pid;
  ++p.compilations;

  const Id kernel_id = kernel_by_hash(event.hash);
  Kernel& kernel = run_.kernels[kernel_id];
  Compilation compilation;
  compilation.kernel = kernel_id;
  compilation.process = process;
  compilation.stack = interner_.stack(event.stack);
  compilation.frame = frame_of(event, compilation.frame_from_torch_trace);
  if (const trace::Value* hit = event.metadata.find("cache_hit")) {
    if (hit->kind == trace::Value::Kind::boolean) compilation.cache_hit = hit->boolean;
  }
  compilation.time = seconds(event.timestamp);
  compilation.times = compile_times(event.metadata);

  const bool first = !kernel.compilation_seen;
  if (first) {
    kernel.compilation_seen = true;
    kernel.name = event.name;
    kernel.metadata = kernel_metadata(event.metadata);
    for (const auto& [artifact, path] : event.file_path.members) {
      if (path.is_string()) kernel.file_paths.emplace_back(artifact, path.string);
    }
    kernel.artifacts = std::move(c.artifacts);
    kernel.facts = std::move(c.facts);
    if (event.python) {
      kernel.source = interner_.source(event.python->code);
      kernel.python = event.python;
      kernel.python->code.clear();
    }
    for (Observer* o : observers_) {
      if (auto r = o->kernel(run_, kernel_id, c.texts); !r) return r;
    }
    kernel.facts.schedules = {};
  } else {
    run_.diagnostics.add(Diag::duplicate_compilation);
  }
  const Id id = static_cast<Id>(run_.compilations.size());
  run_.compilations.push_back(std::move(compilation));
  run_.kernels[kernel_id].compilations.push_back(id);
  for (Observer* o : observers_) {
    if (auto r = o->compilation(run_, id, event, c.index); !r) return r;
  }
  return {};
}

Result<> Builder::autotune(Id, const trace::Autotune& event, size_t index) {
  const Id stack = interner_.stack(event.stack);
  const Id session = run_.stacks[stack].session;
  if (session == kNone) {
    run_.diagnostics.add(Diag::unknown_event, "autotune event without a session");
  } else {
    note_autotune(run_.sessions[session], event);
  }
  for (Observer* o : observers_) {
    if (auto r = o->autotune(run_, stack, event, index); !r) return r;
  }
  return {};
}

Result<> Builder::launch(Id process, const trace::DecodedBlock& block, const trace::Record& record,
                         size_t index, std::string_view name) {
  const trace::Launch& launch = std::get<trace::Launch>(record.event);
  const auto where = [&] {
    return fmt::format("{}:{}", name, block.block.lines[record.line].number);
  };
  const auto found = classes_.find(launch.identity);
  Id id = kNone;
  if (found != classes_.end()) {
    id = found->second;
  } else {
    id = new_class(process, block, launch, where());
    // Not remembered, so that each such launch is counted for what is wrong with it.
    if (id == kNone) return {};
    classes_.emplace(launch.identity, id);
  }

  LaunchClass& c = run_.classes[id];
  LaunchGroup& group = run_.groups[c.group];
  LaunchRow row{run_.launches++, c.group, id, kNone, seconds(launch.timestamp)};
  ++c.count;
  c.last_launch = row.id;
  ++run_.processes[process].launches;
  if (row.time != 0) {
    if (group.first_time == 0) group.first_time = row.time;
    group.last_time = row.time;
  }
  const std::span<const uint64_t> pointers(block.pointers.data() + launch.pointers.begin,
                                           launch.pointers.size());
  uint64_t& counted = group.launches[static_cast<size_t>(c.kind)];
  if (is_user(c.kind)) {
    row.position = static_cast<uint32_t>(counted);
    if (!c.positions.empty() && c.positions.back().end + 1 == row.position) {
      c.positions.back().end = row.position;
    } else {
      c.positions.push_back({row.position, row.position});
    }
    count_pointers(id, pointers);
  }
  ++counted;
  for (Observer* o : observers_) {
    if (auto r = o->launch(run_, row, pointers, index); !r) return r;
  }
  return {};
}

void Builder::count_pointers(Id id, std::span<const uint64_t> pointers) {
  if (slots_.size() <= id) slots_.resize(run_.classes.size());
  std::vector<PointerSlot>& slots = slots_[id];
  if (slots.empty()) slots = pointer_slots(run_.classes[id]);
  for (size_t i = 0; i < std::min(slots.size(), pointers.size()); ++i) {
    PointerStats& stats = *slots[i].stats;
    if (stats.count++ == 0) stats.first = pointers[i];
    stats.aligned += pointers[i] % 16 == 0;
    stats.distinct += slots[i].seen->insert(pointers[i]).second;
  }
}

std::vector<Builder::PointerSlot> Builder::pointer_slots(const LaunchClass& c) {
  std::vector<PointerSlot> slots;
  for (const Part& part : c.parts) {
    for (Id path : run_.contents[part.content].pointer_paths) {
      slots.push_back({&run_.groups[c.group].pointers[path], &pointers_[{c.group, path}]});
    }
  }
  return slots;
}

Id Builder::new_class(Id process, const trace::DecodedBlock& block, const trace::Launch& launch,
                      const std::string& where) {
  const Id id = static_cast<Id>(run_.classes.size());
  LaunchClass c;
  c.process = process;
  GroupKey key;
  const auto begin = block.fields.begin() + launch.fields.begin;
  const auto end = block.fields.begin() + launch.fields.end;
  for (auto field = begin; field != end; ++field) {
    const bool repeated_later = std::any_of(
        field + 1, end, [&](const trace::Field& other) { return other.key == field->key; });
    if (repeated_later) continue;
    if (!add_field(c, *field, key, where)) return kNone;
  }
  c.group = group_of(process, key, where);
  if (c.group == kNone) return kNone;
  run_.groups[c.group].classes.push_back(id);
  if (c.captured) {
    c.kind = LaunchKind::graph_capture;
  } else if (c.stack != kNone && run_.stacks[c.stack].benchmark) {
    c.kind = LaunchKind::benchmark;
  }
  run_.classes.push_back(std::move(c));
  return id;
}

bool Builder::add_field(LaunchClass& c, const trace::Field& field, GroupKey& key,
                        const std::string& where) {
  const bool arguments = field.key.starts_with("extracted_");
  if (arguments) {  // parsed once per distinct text, whatever stack it comes with
    const auto known = arguments_.find(combine(field.hash, hash128(field.key)));
    if (known != arguments_.end()) {
      c.parts.insert(c.parts.end(), known->second.begin(), known->second.end());
      for (const Part& part : known->second) c.captured |= is_capture_note(run_, part);
      return true;
    }
  }
  auto value = reader_.read(field.json);
  if (!value) {
    run_.diagnostics.add(value.error() == trace::JsonError::too_deep   ? Diag::too_deep
                         : value.error() == trace::JsonError::bad_utf8 ? Diag::bad_utf8
                                                                       : Diag::bad_json,
                         fmt::format("{}: {}", where, field.key));
    return false;
  }
  const std::vector<std::string> prefix = {std::string(field.key)};
  const auto expect = [&](bool ok) {
    if (!ok && !value->is_null()) {
      run_.diagnostics.add(Diag::bad_field, fmt::format("{}: {}", where, field.key));
    }
    return ok;
  };
  if (arguments) {
    const size_t first = c.parts.size();
    add_arguments(c, field, *value, where);
    arguments_.emplace(combine(field.hash, hash128(field.key)),
                       std::vector<Part>(c.parts.begin() + first, c.parts.end()));
    return true;
  }
  if (field.key == "stack" && expect(value->is_array())) c.stack = interner_.stack(*value);
  if (field.key == "name" && expect(value->is_string())) key.name = value->string;
  if (field.key == "function") key.function = field.json;
  if (field.key == "pid" && value->kind == trace::Value::Kind::integer) {
    std::optional<int64_t>& pid = run_.processes[c.process].pid;
    if (!pid) pid = value->integer;
  }
  if (field.key == "compilation_metadata" && expect(value->is_object())) {
    key.hash = value->text("hash");
    if (key.name.empty()) key.name = value->text("name");
  }
  if (field.key == "metadata" && key.hash.empty()) {  // 2025-06: a list without names
    for (const trace::Value& item : value->items) {
      const bool is_hash = item.string.size() == 64 &&
                           item.string.find_first_not_of("0123456789abcdef") == std::string::npos;
      if (is_hash) key.hash = item.string;
    }
    if (value->is_object()) key.hash = value->text("hash");
  }
  if (field.key == "grid" && expect(value->is_array())) {
    for (const trace::Value& item : value->items) {
      if (item.kind == trace::Value::Kind::integer) c.grid.push_back(item.integer);
    }
    c.grid_value = interner_.value(*value);
  }
  c.parts.push_back({interner_.path(prefix), interner_.content(field.hash, prefix, *value)});
  return true;
}

void Builder::add_arguments(LaunchClass& c, const trace::Field& field, const trace::Value& value,
                            const std::string& where) {
  std::vector<std::string> prefix = {std::string(field.key)};
  if (!value.is_object()) {
    if (!value.is_null()) {
      run_.diagnostics.add(Diag::bad_field, fmt::format("{}: {}", where, field.key));
    }
    c.parts.push_back({interner_.path(prefix), interner_.content(field.hash, prefix, value)});
    return;
  }
  prefix.emplace_back();
  std::vector<uint64_t> pointers;
  for (const auto& [name, argument] : value.members) {
    prefix[1] = name;
    const Hash128 hash = trace::hash_without_pointers(trace::to_json(argument), pointers);
    c.parts.push_back({interner_.path(prefix), interner_.content(hash, prefix, argument)});
    c.captured |= is_capture_note(run_, c.parts.back());
  }
}

Id Builder::group_of(Id process, const GroupKey& key, const std::string& where) {
  if (key.hash.empty() && key.name.empty()) {
    run_.diagnostics.add(Diag::launch_without_name, where);
    return kNone;
  }
  const std::string text =
      key.hash.empty() ? fmt::format("{}\n{}\n{}", process, key.name, key.function) : key.hash;
  const auto [entry, added] = groups_.try_emplace(text, static_cast<Id>(run_.groups.size()));
  if (added) {
    LaunchGroup group;
    group.hash = key.hash;
    group.name = key.name;
    if (key.hash.empty()) {
      group.process = process;
      group.function = key.function;
      group.attribution = Attribution::none;
    } else {
      group.kernel = kernel_by_hash(key.hash);
      if (run_.kernels[group.kernel].name.empty()) run_.kernels[group.kernel].name = key.name;
    }
    run_.groups.push_back(std::move(group));
  }
  return entry->second;
}

Run Builder::finish() {
  attribute_groups(run_);
  make_stand_ins(run_);
  settle_autotune(run_);
  count_launches(run_);
  return std::move(run_);
}

}  // namespace ks::run
