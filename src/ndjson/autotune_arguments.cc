#include "ndjson/autotune_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "base/json_writer.h"
#include "run/interner.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

namespace {

using run::Id;

constexpr std::string_view kParamsKey = "compilation_config_params";

// Argument objects as values: equal ones have equal numbers.
class ArgumentValues {
 public:
  struct Entry {
    std::string json;
    bool tensor = false;
    bool null = false;
  };

  explicit ArgumentValues(const run::Run& run) : run_(run) {}

  size_t number(Id content, std::span<const uint64_t> pointers) {
    const auto [known, added] = numbers_.try_emplace(
        {content, std::vector<uint64_t>(pointers.begin(), pointers.end())}, entries_.size());
    if (!added) return known->second;
    auto value = reader_.read_copy(run_.contents[content].json);
    if (!value) value = trace::Value();  // cannot be: we wrote it
    put_pointers(*value, pointers);
    run::shorten_strings(*value);
    std::string canonical;
    trace::append_canonical(canonical, *value);
    known->second = by_text_.try_emplace(std::move(canonical), entries_.size()).first->second;
    if (known->second == entries_.size()) {
      entries_.push_back(
          {trace::to_json(*value), value->text("type") == "tensor", value->is_null()});
    }
    return known->second;
  }

  const Entry& operator[](size_t number) const { return entries_[number]; }

 private:
  // In the order of run::Content::pointer_paths. Depth is bounded by the reader.
  static void put_pointers(trace::Value& value, std::span<const uint64_t>& pointers) {
    for (auto& [key, member] : value.members) {
      if (key == "data_ptr" && member.is_string() && !pointers.empty() &&
          is_pointer(member.string)) {
        member.string = fmt::format("0x{:x}", pointers.front());
        pointers = pointers.subspan(1);
      } else {
        put_pointers(member, pointers);
      }
    }
  }
  static bool is_pointer(const std::string& text) {
    std::vector<uint64_t> found;
    trace::hash_without_pointers("\"data_ptr\":\"" + text + "\"", found);
    return found.size() == 1;
  }

  const run::Run& run_;
  trace::JsonReader reader_;
  std::map<std::pair<Id, std::vector<uint64_t>>, size_t> numbers_;
  std::unordered_map<std::string, size_t> by_text_;
  std::vector<Entry> entries_;
};

// The values that an argument has in the launch groups of one compilation.
class Distribution {
 public:
  void add(size_t value) {
    const auto [at, added] = index_.try_emplace(value, values_.size());
    if (added) values_.emplace_back(value, 0);
    ++values_[at->second].second;
  }
  // Most frequent first, then by first sight.
  std::vector<std::pair<size_t, uint64_t>> sorted() const {
    auto values = values_;
    std::stable_sort(values.begin(), values.end(),
                     [](auto& a, auto& b) { return a.second > b.second; });
    return values;
  }
  std::optional<size_t> only() const {
    return values_.size() == 1 ? std::optional(values_[0].first) : std::nullopt;
  }
  bool has_tensor(const ArgumentValues& arguments) const {
    return std::any_of(values_.begin(), values_.end(),
                       [&](auto& v) { return arguments[v.first].tensor; });
  }
  std::string json(const ArgumentValues& arguments) const {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.field("unique_count", static_cast<uint64_t>(values_.size()));
    writer.key("values").begin_array();
    for (const auto& [value, count] : sorted()) {
      writer.begin_object().raw_field("value", arguments[value].json);
      writer.field("count", count).end_object();
    }
    writer.end_array().end_object();
    return out;
  }

 private:
  std::vector<std::pair<size_t, uint64_t>> values_;  // with count, in order of first sight
  std::map<size_t, size_t> index_;
};

struct Config {
  std::string hash;
  std::vector<std::string> order;  // of the arguments
  std::map<std::string, Distribution> arguments;
  std::optional<ConfigParams> params;
};

class ArgumentSummary {
 public:
  ArgumentSummary(const run::Run& run, const std::vector<const GroupLaunch*>& groups)
      : run_(run), values_(run) {
    for (const GroupLaunch* group : groups) add(*group);
  }

  std::vector<Config>& configs() { return configs_; }

  std::string json(const JsonTree* unchanged) const {
    std::string out;
    JsonWriter writer(out);
    std::string sames;
    if (unchanged) unchanged->write(sames);
    writer.begin_object().field("summary_version", 1);
    writer.raw_field("unchanged_args", unchanged ? sames : "{}");
    writer.key("per_config_args").begin_object();
    for (const Config& config : configs_) write_config(writer.key(config.hash), config);
    writer.end_object();
    write_order(writer.key("arg_order"), unchanged);
    writer.key("autotune_configs").begin_object();
    JsonTree same, varies;
    compare_params(same, varies);
    compare_arguments(same, varies);
    write_tree(writer.key("sames"), same);
    write_tree(writer.key("varies"), varies);
    writer.end_object().end_object();
    return out;
  }

 private:
  void add(const GroupLaunch& group) {
    const std::string& hash = kernel_hash(run_, group.launch_class);
    if (hash.empty()) return;
    const auto [at, added] = index_.try_emplace(hash, configs_.size());
    if (added) configs_.emplace_back().hash = hash;
    Config& config = configs_[at->second];
    std::span<const uint64_t> pointers = group.pointers;
    for (const run::Part& part : run_.classes[group.launch_class].parts) {
      const size_t own =
          std::min(run_.contents[part.content].pointer_paths.size(), pointers.size());
      add_argument(config, part, pointers.first(own));
      pointers = pointers.subspan(own);
    }
  }

  void add_argument(Config& config, const run::Part& part, std::span<const uint64_t> pointers) {
    constexpr std::string_view kPrefix = "extracted_args.";
    std::string name = run_.paths[part.path].dotted();  // the name itself may have dots
    if (!name.starts_with(kPrefix)) return;
    name.erase(0, kPrefix.size());
    if (seen_.insert(name).second) order_.push_back(name);
    const auto [at, added] = config.arguments.try_emplace(name);
    if (added) config.order.push_back(name);
    at->second.add(values_.number(part.content, pointers));
  }

  void write_config(JsonWriter& writer, const Config& config) const {
    writer.begin_object();
    for (const std::string& name : config.order) {
      if (name == kParamsKey && config.params) continue;
      writer.raw_field(name, config.arguments.at(name).json(values_));
    }
    if (config.params) writer.raw_field(kParamsKey, params_json(*config.params));
    writer.end_object();
  }

  void write_order(JsonWriter& writer, const JsonTree* unchanged) const {
    writer.begin_array();
    for (const std::string& name : order_) writer.value(name);
    std::set<std::string> rest;
    if (unchanged) {
      for (std::string& name : unchanged->names()) rest.insert(std::move(name));
    }
    for (const std::string& name : rest) {
      if (!seen_.contains(name)) writer.value(name);
    }
    writer.end_array();
  }

  static void write_tree(JsonWriter& writer, const JsonTree& tree) {
    std::string json;
    tree.write(json);
    writer.raw(json);
  }

  // A parameter that the first configs lack counts as equal, as in the reference.
  void compare_params(JsonTree& same, JsonTree& varies) const {
    std::set<std::string> names;
    for (const Config& config : configs_) {
      if (!config.params) continue;
      for (const auto& [name, value] : *config.params) names.insert(name);
    }
    for (const std::string& name : names) {
      std::string baseline;
      bool equal = true;
      JsonTree values;
      for (const Config& config : configs_) {
        const std::string value = param(config, name);
        if (baseline.empty()) baseline = value;
        equal = equal && value == baseline;
        values.set_member(config.hash, value.empty() ? "null" : value);
      }
      put(equal ? same : varies, name, equal ? baseline : text(values));
    }
  }

  static std::string param(const Config& config, const std::string& name) {
    if (config.params) {
      for (const auto& [key, value] : *config.params) {
        if (key == name) return value;
      }
    }
    return {};
  }

  void compare_arguments(JsonTree& same, JsonTree& varies) const {
    for (const std::string& name : std::set<std::string>(order_.begin(), order_.end())) {
      if (name == kParamsKey) continue;
      const bool tensor = std::any_of(configs_.begin(), configs_.end(), [&](const Config& config) {
        const auto at = config.arguments.find(name);
        return at != config.arguments.end() && at->second.has_tensor(values_);
      });
      if (!tensor) compare_argument(name, same, varies);
    }
  }

  void compare_argument(const std::string& name, JsonTree& same, JsonTree& varies) const {
    std::optional<size_t> baseline;
    bool equal = true;
    JsonTree values;
    for (const Config& config : configs_) {
      const auto at = config.arguments.find(name);
      if (at == config.arguments.end()) {
        equal = false;
        values.set_member(config.hash, "null");
        continue;
      }
      std::optional<size_t> only = at->second.only();
      values.set_member(config.hash, only ? values_[*only].json : at->second.json(values_));
      if (!only) {
        equal = false;
        continue;
      }
      if (values_[*only].null) only.reset();
      if (!baseline) baseline = only;
      equal = equal && only == baseline;
    }
    equal = equal && baseline;
    put(equal ? same : varies, name, equal ? values_[*baseline].json : text(values));
  }

  static void put(JsonTree& tree, const std::string& name, std::string json) {
    tree.set_member(name, std::move(json));
  }
  static std::string text(const JsonTree& tree) {
    std::string json;
    tree.write(json);
    return json;
  }

  const run::Run& run_;
  ArgumentValues values_;
  std::vector<Config> configs_;  // in order of first sight
  std::map<std::string, size_t> index_;
  std::vector<std::string> order_;  // of all arguments
  std::set<std::string> seen_;
};

}  // namespace

std::string params_json(const ConfigParams& params) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  for (const auto& [name, value] : params) json.raw_field(name, value);
  json.end_object();
  return out;
}

const std::string& kernel_hash(const run::Run& run, Id launch_class) {
  return run.groups[run.classes[launch_class].group].hash;
}

std::string argument_summary(
    const run::Run& run, const std::vector<const GroupLaunch*>& groups, const JsonTree* unchanged,
    const std::function<std::optional<ConfigParams>(const std::string&)>& params_of) {
  ArgumentSummary summary(run, groups);
  for (Config& config : summary.configs()) config.params = params_of(config.hash);
  return summary.json(unchanged);
}

}  // namespace ks::ndjson
