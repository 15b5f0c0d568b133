#pragma once
// For tests: traces through run::read and Writer, and what came out as values.

#include <algorithm>
#include <map>

#include "ndjson/writer.h"
#include "run/test_run.h"
#include "trace/json_reader.h"

namespace ks::ndjson::testing {

using namespace ks::run::testing;
using trace::Value;

inline std::string canonical(const Value& value) {
  std::string out;
  trace::append_canonical(out, value);
  return out;
}

inline Value parse(std::string_view json) {
  auto value = trace::JsonReader().read_copy(json);
  EXPECT_TRUE(value) << "no JSON: " << json.substr(0, 200);
  return value ? std::move(*value) : Value();
}

inline std::string canonical(std::string_view json) { return canonical(parse(json)); }

using Events = std::vector<Value>;

inline Events events_of(const std::string& text) {
  Events events;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    EXPECT_NE(end, std::string::npos) << "the last line has no end";
    if (end == std::string::npos) break;
    if (end > start) events.push_back(parse(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return events;
}

struct Output {
  std::map<std::string, std::string> bytes;  // by path in the folder: as on disk
  std::map<std::string, Events> files;       // the NDJSON files, without .gz
  Value listing;                             // log_file_list.json

  Events of_type(std::string_view type) const {
    Events out;
    for (const auto& [name, events] : files) {
      for (const Value& e : events) {
        if (e.text("event_type") == type) out.push_back(e);
      }
    }
    return out;
  }
};

inline std::string raw_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Output output_of(const std::filesystem::path& folder) {
  Output out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string name = entry.path().lexically_relative(folder).string();
    out.bytes[name] = raw_bytes(entry.path());
    if (name == "log_file_list.json") {
      out.listing = parse(out.bytes[name]);
    } else if (name.ends_with(".ndjson") || name.ends_with(".ndjson.gz")) {
      const std::string text = file_text(entry.path());
      if (name.ends_with(".gz")) name.resize(name.size() - 3);
      out.files[name] = events_of(text);
    }
  }
  return out;
}

struct Options {
  bool exact = false;
  unsigned threads = 2;
  std::string requested_rank;
};

inline Output write_paths(const std::vector<std::string>& paths, const Options& options = {}) {
  const TempFolder folder;
  auto writer = Writer::create(folder.path(), {options.exact, true, options.requested_rank});
  EXPECT_TRUE(writer);
  if (!writer) return {};
  run::ReadOptions read;
  read.exact = options.exact;
  read.all_texts = true;
  read.threads = options.threads;
  const auto run = read_paths(paths, read, {writer->get()});
  const auto list = (*writer)->finish(run);
  EXPECT_TRUE(list) << (list ? "" : list.error().message);
  writer->reset();
  return output_of(folder.path());
}

inline Output write_files(const std::vector<TextFile>& files, const Options& options = {}) {
  const TempFolder folder;
  for (const TextFile& file : files) write_bytes(folder.path() / file.name, file.bytes);
  return write_paths({folder.path().string()}, options);
}

inline Output write_text(const std::string& text, const Options& options = {}) {
  return write_files({{kTraceName, text}}, options);
}

inline Options exactly() {
  Options options;
  options.exact = true;
  return options;
}

inline void remove_member(Value& object, std::string_view key) {
  std::erase_if(object.members, [&](const Value::Member& m) { return m.first == key; });
}

// What tests/compare_parsed.py --ignore ir_analysis pairs: events by type and key, in order.
inline std::map<std::string, std::vector<std::string>> paired(const Events& events,
                                                              bool several_fakes) {
  std::map<std::string, std::vector<std::string>> out;
  for (Value e : events) {
    const std::string type(e.text("event_type"));
    if (type == "ir_analysis") continue;
    std::string key(e.text("hash").empty() ? e.text("session_id") : e.text("hash"));
    if (type == "compilation") key = e.find("payload")->find("metadata")->text("hash");
    if (type == "launch") {
      const Value* metadata = e.find("compilation_metadata");
      key = metadata ? metadata->text("hash") : std::string_view();
    }
    if (several_fakes) remove_member(e, "occurrence_id");
    out[type + " " + key].push_back(canonical(e));
  }
  return out;
}

inline void expect_same_text(const std::string& expected, const std::string& actual,
                             const std::string& what) {
  if (expected == actual) return;
  const size_t at = static_cast<size_t>(
      std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end()).first -
      expected.begin());
  const size_t from = at < 150 ? 0 : at - 150;
  ADD_FAILURE() << what << " differs at " << at << "\nexpected ..." << expected.substr(from, 300)
                << "\nactual   ..." << actual.substr(from, 300);
}

inline Value sorted_listing(Value listing) {
  for (auto& [key, entry] : listing.members) {
    for (auto& [name, value] : entry.members) {
      if (name != "regular_files") continue;
      std::sort(value.items.begin(), value.items.end(),
                [](const Value& a, const Value& b) { return a.string < b.string; });
    }
  }
  return listing;
}

// Fakes are counted by folder, as occurrence numbers are the rank's.
inline size_t fakes_beside(const Output& output, const std::string& name) {
  const auto folder = std::filesystem::path(name).parent_path();
  size_t fakes = 0;
  for (const auto& [file, events] : output.files) {
    if (std::filesystem::path(file).parent_path() != folder) continue;
    for (const Value& e : events) fakes += e.flag("is_fake");
  }
  return fakes;
}

// As values; returns the number of events that were compared.
inline size_t expect_same(const Output& expected, const Output& actual) {
  size_t compared = 0;
  for (const auto& [name, events] : actual.files) {
    EXPECT_TRUE(expected.files.contains(name)) << name << " is not in the expected output";
  }
  for (const auto& [name, events] : expected.files) {
    const auto found = actual.files.find(name);
    EXPECT_NE(found, actual.files.end()) << name << " was not written";
    if (found == actual.files.end()) continue;
    const bool several_fakes = fakes_beside(expected, name) > 1;
    const auto a = paired(events, several_fakes), b = paired(found->second, several_fakes);
    for (const auto& [key, texts] : b)
      EXPECT_TRUE(a.contains(key)) << name << " " << key << " is too much";
    for (const auto& [key, texts] : a) {
      const auto other = b.find(key);
      EXPECT_NE(other, b.end()) << name << " " << key << " is missing";
      if (other == b.end()) continue;
      EXPECT_EQ(texts.size(), other->second.size()) << name << " " << key;
      for (size_t i = 0; i < std::min(texts.size(), other->second.size()); ++i, ++compared) {
        expect_same_text(texts[i], other->second[i], fmt::format("{} {} #{}", name, key, i));
      }
    }
  }
  return compared;
}

}  // namespace ks::ndjson::testing
