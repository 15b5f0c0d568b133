#include "ndjson/stage_map.h"

#include <algorithm>
#include <numeric>

#include "base/json_writer.h"
#include "ndjson/reference_text.h"

namespace ks::ndjson {
namespace {

struct Place {
  uint64_t line, column;
  uint32_t file;
  friend bool operator==(const Place&, const Place&) = default;
};

struct PlaceHash {
  size_t operator()(const Place& p) const noexcept {
    uint64_t h = p.line * 0x9E3779B97F4A7C15u + p.column;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u + p.file;
    return h ^ (h >> 29);
  }
};

// Numbers places from 0. One numbering with columns, one without.
class Places {
 public:
  explicit Places(bool columns) : columns_(columns) {}

  std::vector<uint32_t> of(const std::vector<MapEntry>& entries) {
    std::vector<uint32_t> ids(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const MapEntry& e = entries[i];
      const Place place{e.line, columns_ ? e.column : 0, e.file};
      if (place != last_ || ids_.empty()) {
        last_ = place;
        last_id_ = ids_.try_emplace(place, static_cast<uint32_t>(ids_.size())).first->second;
      }
      ids[i] = last_id_;
    }
    return ids;
  }
  size_t size() const { return ids_.size(); }

 private:
  bool columns_;
  Place last_{};
  uint32_t last_id_ = 0;
  std::unordered_map<Place, uint32_t, PlaceHash> ids_;
};

// The text lines of one stage, grouped by place.
struct Groups {
  std::vector<uint32_t> begin;  // per place; one more at the end
  std::vector<uint32_t> lines;

  Groups(const StageMap& map, const std::vector<uint32_t>& place, size_t places)
      : begin(places + 1), lines(place.size()) {
    std::vector<uint32_t> order(place.size());
    std::iota(order.begin(), order.end(), 0);
    const auto less = [&](uint32_t a, uint32_t b) {
      return map.entries[a].text_line < map.entries[b].text_line;
    };
    if (!std::is_sorted(order.begin(), order.end(), less)) std::ranges::sort(order, less);
    for (uint32_t p : place) ++begin[p + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    for (uint32_t i : order) lines[next[place[i]]++] = map.entries[i].text_line;
  }
};

// The lists of a stage as JSON, ready to be copied into the entries of other stages.
class ListTexts {
 public:
  ListTexts(const StageMap& map, const std::vector<uint32_t>& place, size_t places) {
    const Groups groups(map, place, places);
    begin_.reserve(places + 1);
    for (size_t p = 0; p < places; ++p) {
      begin_.push_back(text_.size());
      if (groups.begin[p] == groups.begin[p + 1]) continue;
      for (uint32_t i = groups.begin[p]; i < groups.begin[p + 1]; ++i) {
        text_ += i == groups.begin[p] ? '[' : ',';
        append_number(text_, groups.lines[i]);
      }
      text_ += ']';
    }
    begin_.push_back(text_.size());
  }

  std::string_view operator[](uint32_t place) const {
    return std::string_view(text_).substr(begin_[place], begin_[place + 1] - begin_[place]);
  }

 private:
  std::string text_;
  std::vector<size_t> begin_;
};

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

class Writer {
 public:
  Writer(const std::vector<StageMap>& stages, const FileTable& files) : stages_(stages) {
    for (uint32_t i = 0; i < files.size(); ++i) files_.push_back(quoted(files.name(i)));
    for (const StageMap& stage : stages)
      if (!stage.entries.empty()) used_.push_back(&stage);
    prepare_joins();
  }

  std::string write() {
    out_ = "{";
    for (size_t i = 0; i < used_.size(); ++i) write_stage(i);
    write_python();
    out_ += '}';
    return std::move(out_);
  }

 private:
  void prepare_joins() {
    Places exact(true), by_line(false);
    for (const StageMap* stage : used_) exact_ids_.push_back(exact.of(stage->entries));
    const bool any_without = std::ranges::any_of(used_, [](auto* s) { return !s->has_columns; });
    for (const StageMap* stage : used_) {
      by_line_ids_.push_back(any_without ? by_line.of(stage->entries) : std::vector<uint32_t>());
    }
    for (size_t i = 0; i < used_.size(); ++i) {
      exact_lists_.emplace_back(*used_[i], exact_ids_[i], exact.size());
      by_line_lists_.emplace_back(*used_[i], by_line_ids_[i], by_line.size());
    }
  }

  void write_stage(size_t s) {
    const StageMap& stage = *used_[s];
    out_ += quoted(stage.stage) + ":{";
    std::vector<std::string> keys;
    for (const StageMap* other : used_) keys.push_back("," + quoted(other->stage + "_lines") + ":");
    const std::string line_key = "," + quoted(stage.line_key) + ":";
    for (size_t i = 0; i < stage.entries.size(); ++i) {
      if (i > 0) out_ += ',';
      write_entry(stage, stage.entries[i], line_key);
      for (size_t t = 0; t < used_.size(); ++t) {
        if (t != s) write_join(s, t, i, keys[t]);
      }
      out_ += '}';
    }
    out_ += "},";
  }

  void write_entry(const StageMap& stage, const MapEntry& e, const std::string& line_key) {
    out_ += '"';
    append_number(out_, e.text_line);
    out_ += "\":{\"file\":";
    out_ += files_[e.file];
    out_ += ",\"line\":";
    append_number(out_, e.line);
    out_ += ",\"column\":";
    append_number(out_, e.column);
    out_ += line_key;
    append_number(out_, e.text_line);
    if (e.loc_def) out_ += ",\"kind\":\"loc_def\"";
    if (e.detail != kNoDetail) write_detail(stage.details[e.detail], e.loc_def);
  }

  void write_detail(const EntryDetail& d, bool loc_def) {
    if (d.is_callsite && !loc_def) {
      out_ += ",\"is_callsite\":true,\"callsite_callee\":";
      append_json_string(out_, d.callee);
      out_ += ",\"callsite_caller\":";
      append_json_string(out_, d.caller);
    }
    if (d.has_name) {
      out_ += ",\"alias_name\":";
      append_json_string(out_, d.alias_name);
    }
    if (d.is_alias) {
      out_ += ",\"loc_id\":";
      append_json_string(out_, d.loc_id);
    }
  }

  void write_join(size_t s, size_t t, size_t entry, const std::string& key) {
    const bool columns = used_[s]->has_columns && used_[t]->has_columns;
    const std::string_view list =
        columns ? exact_lists_[t][exact_ids_[s][entry]] : by_line_lists_[t][by_line_ids_[s][entry]];
    if (list.empty()) return;
    if (joined_bytes_ + list.size() > kMaxJoinedBytes) return;
    joined_bytes_ += list.size();
    out_ += key;
    out_ += list;
  }

  // Lines in order of first sight, stages in order within a line.
  void write_python() {
    std::unordered_map<uint64_t, uint32_t> index;
    std::vector<uint64_t> lines;
    std::vector<std::vector<uint32_t>> slots(stages_.size());
    for (size_t s = 0; s < stages_.size(); ++s) {
      for (const PythonRef& ref : stages_[s].python) {
        const auto [at, fresh] = index.try_emplace(ref.line, static_cast<uint32_t>(lines.size()));
        if (fresh) lines.push_back(ref.line);
        slots[s].push_back(at->second);
      }
    }
    std::vector<std::string> bodies(lines.size());
    for (size_t s = 0; s < stages_.size(); ++s) append_python_stage(stages_[s], slots[s], bodies);
    out_ += "\"python\":{";
    for (size_t i = 0; i < lines.size(); ++i) {
      out_ += i > 0 ? ",\"" : "\"";
      append_number(out_, lines[i]);
      out_ += "\":{";
      out_ += bodies[i];
      out_ += '}';
    }
    out_ += '}';
  }

  static void append_python_stage(const StageMap& stage, const std::vector<uint32_t>& slots,
                                  std::vector<std::string>& bodies) {
    const std::string key = quoted(stage.stage + "_lines") + ":[";
    std::vector<bool> open(bodies.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      std::string& body = bodies[slots[i]];
      if (!open[slots[i]]) body += (body.empty() ? "" : ",") + key;
      body += open[slots[i]] ? ",\"" : "\"";
      open[slots[i]] = true;
      append_number(body, stage.python[i].text_line);
      body += '"';
    }
    for (size_t i = 0; i < bodies.size(); ++i)
      if (open[i]) bodies[i] += ']';
  }

  const std::vector<StageMap>& stages_;
  std::vector<const StageMap*> used_;
  std::vector<std::string> files_;
  std::vector<std::vector<uint32_t>> exact_ids_, by_line_ids_;
  std::vector<ListTexts> exact_lists_, by_line_lists_;
  size_t joined_bytes_ = 0;
  std::string out_;
};

}  // namespace

uint32_t FileTable::id(std::string_view file) {
  if (!names_.empty() && names_.back() == file) return static_cast<uint32_t>(names_.size() - 1);
  const auto [at, fresh] = ids_.try_emplace(file, static_cast<uint32_t>(names_.size()));
  if (fresh) names_.push_back(file);
  return at->second;
}

std::string write_source_mappings(const std::vector<StageMap>& stages, const FileTable& files) {
  return Writer(stages, files).write();
}

JoinedLines join_lines(const StageMap& from, const StageMap& to) {
  Places places(from.has_columns && to.has_columns);
  const std::vector<uint32_t> from_ids = places.of(from.entries);
  const std::vector<uint32_t> to_ids = places.of(to.entries);
  Groups groups(to, to_ids, places.size());
  JoinedLines joined{std::move(groups.lines), {}};
  for (uint32_t p : from_ids) joined.range.emplace_back(groups.begin[p], groups.begin[p + 1]);
  return joined;
}

}  // namespace ks::ndjson
