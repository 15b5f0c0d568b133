#include "run/interner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ks::run {

namespace {

constexpr size_t kLongString = 4096;  // code points

template <size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

constexpr std::array<std::string_view, 4> kVolatile = {"pid", "timestamp", "stream", "function"};
constexpr std::array<std::string_view, 12> kMeasured = {"min",
                                                        "max",
                                                        "mean",
                                                        "std",
                                                        "tensor_hash",
                                                        "blob_path",
                                                        "blob_size",
                                                        "blob_size_uncompressed",
                                                        "compression_ratio",
                                                        "compression",
                                                        "deduplicated",
                                                        "tensor_capture_error"};

Path make_path(const std::vector<std::string>& parts) {
  Path path;
  path.parts = parts;
  path.is_pointer = parts.back() == "data_ptr";
  path.is_volatile = path.is_pointer || (parts.size() == 1 && is_one_of(parts[0], kVolatile));
  path.is_measured = parts.size() >= 3 && is_one_of(parts.back(), kMeasured);
  return path;
}

bool is_plain_pointer(const trace::Value& value) {
  std::vector<uint64_t> pointers;
  if (!value.is_string()) return false;
  trace::hash_without_pointers("\"data_ptr\":\"" + value.string + "\"", pointers);
  return pointers.size() == 1;
}

bool holds_objects(const trace::Value& list) {
  return std::any_of(list.items.begin(), list.items.end(), [](const trace::Value& item) {
    return item.is_object() || (item.is_array() && holds_objects(item));
  });
}

std::string join(const std::vector<std::string>& parts, char separator) {
  return fmt::format("{}", fmt::join(parts, std::string_view(&separator, 1)));
}

}  // namespace

std::string Path::dotted() const { return join(parts, '.'); }

void shorten_strings(trace::Value& value) {
  if (value.is_string() && value.string.size() > kLongString) {
    const size_t length = display_width(value.string);
    if (length > kLongString) value.string = fmt::format("<{} chars omitted>", length);
  }
  for (trace::Value& item : value.items) shorten_strings(item);
  for (trace::Value::Member& member : value.members) shorten_strings(member.second);
}

Id Interner::path(const std::vector<std::string>& parts) {
  const auto [entry, added] = paths_.try_emplace(join(parts, rules_.exact ? '.' : '\0'),
                                                 static_cast<Id>(run_.paths.size()));
  if (added) run_.paths.push_back(make_path(parts));
  return entry->second;
}

Id Interner::value(const trace::Value& value) {
  std::string canonical;
  trace::append_canonical(canonical, value);
  const auto [entry, added] =
      values_.try_emplace(hash128(canonical), static_cast<Id>(run_.values.size()));
  if (added) run_.values.push_back(trace::to_json(value));
  return entry->second;
}

Id Interner::source(std::string_view text) {
  const auto [entry, added] =
      sources_.try_emplace(hash128(text), static_cast<Id>(run_.sources.size()));
  if (added) run_.sources.emplace_back(text);
  return entry->second;
}

Id Interner::stack(const trace::Value& frames) {
  Stack stack;
  std::vector<const StackFrame*> view;
  Hash128 identity;
  for (const trace::Value& item : frames.items) {
    if (!item.is_object()) continue;
    StackFrame frame{std::string(item.text("filename")), std::string(item.text("name")),
                     std::string(item.text("loc")), item.number("line")};
    const Hash128 hash = combine(hash128(frame.filename, static_cast<uint64_t>(frame.line)),
                                 combine(hash128(frame.function), hash128(frame.code)));
    const auto [entry, added] = frames_.try_emplace(hash, static_cast<Id>(run_.frames.size()));
    if (added) run_.frames.push_back(std::move(frame));
    stack.frames.push_back(entry->second);
    identity = combine(identity, hash);
  }
  const auto [known, added] = stacks_.try_emplace(identity, static_cast<Id>(run_.stacks.size()));
  if (!added) return known->second;

  for (Id id : stack.frames) view.push_back(&run_.frames[id]);
  const AutotuneTraits traits = autotune_traits(view);
  stack.benchmark = traits.benchmark;
  stack.inductor = traits.inductor;
  if (!traits.session_id.empty()) {
    const auto [session, is_new] =
        sessions_.try_emplace(traits.session_id, static_cast<Id>(run_.sessions.size()));
    if (is_new) {
      AutotuneSession s;
      s.session_id = traits.session_id;
      s.inductor = traits.inductor;
      s.stack = known->second;
      s.user_frames = traits.user_frames;
      run_.sessions.push_back(std::move(s));
    }
    stack.session = session->second;
  }
  const size_t site = user_call_site(view);
  if (site < view.size()) stack.call_site = stack.frames[site];
  run_.stacks.push_back(std::move(stack));
  return known->second;
}

Id Interner::content(Hash128 hash, const std::vector<std::string>& prefix,
                     const trace::Value& value) {
  hash = combine(hash, hash128(join(prefix, '\0')));
  const auto [entry, added] = contents_.try_emplace(hash, static_cast<Id>(run_.contents.size()));
  if (!added) return entry->second;
  Content content;
  std::vector<std::string> parts = prefix;
  if (rules_.exact) {
    trace::Value shortened = value;
    shorten_strings(shortened);
    flatten(parts, shortened, content);
  } else {
    flatten(parts, value, content);
  }
  if (prefix.size() != 1 || prefix[0] != "stack") content.json = trace::to_json(value);
  run_.contents.push_back(std::move(content));
  return entry->second;
}

// Depth is bounded by the reader of the JSON.
void Interner::flatten(std::vector<std::string>& parts, const trace::Value& value,
                       Content& content) {
  if (value.is_object()) {
    for (const trace::Value::Member& member : value.members) {
      parts.push_back(member.first);
      flatten(parts, member.second, content);
      parts.pop_back();
    }
    return;
  }
  if (value.is_array() && !rules_.exact && parts[0] != "stack" && holds_objects(value)) {
    for (size_t i = 0; i < value.items.size(); ++i) {
      parts.push_back(std::to_string(i));
      flatten(parts, value.items[i], content);
      parts.pop_back();
    }
    return;
  }
  Leaf leaf{path(parts), kPointerValue};
  if (parts.back() == "data_ptr" && is_plain_pointer(value)) {
    content.pointer_paths.push_back(leaf.path);
  } else {
    leaf.value = this->value(value);
  }
  content.leaves.push_back(leaf);
}

}  // namespace ks::run
