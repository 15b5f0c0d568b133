#include "trace/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"

namespace ks::trace {

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

std::string_view Value::text(std::string_view key) const {
  const Value* v = find(key);
  return v && v->is_string() ? std::string_view(v->string) : std::string_view();
}

int64_t Value::number(std::string_view key, int64_t fallback) const {
  const Value* v = find(key);
  return v && v->kind == Kind::integer ? v->integer : fallback;
}

bool Value::flag(std::string_view key) const {
  const Value* v = find(key);
  return v && v->kind == Kind::boolean && v->boolean;
}

namespace {

template <bool kSorted>
void append(std::string& out, const Value& value);

template <bool kSorted>
void append_object(std::string& out, const Value& value) {
  std::vector<const Value::Member*> order;
  order.reserve(value.members.size());
  for (const Value::Member& member : value.members) order.push_back(&member);
  if constexpr (kSorted) {
    std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->first < b->first; });
  }
  out += '{';
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(out, order[i]->first);
    out += ':';
    append<kSorted>(out, order[i]->second);
  }
  out += '}';
}

template <bool kSorted>
void append_array(std::string& out, const Value& value) {
  out += '[';
  for (size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ',';
    append<kSorted>(out, value.items[i]);
  }
  out += ']';
}

template <bool kSorted>
void append(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::null:
      out += "null";
      return;
    case Value::Kind::boolean:
      out += value.boolean ? "true" : "false";
      return;
    case Value::Kind::integer:
      out += fmt::format_int(value.integer).c_str();
      return;
    case Value::Kind::unsigned_integer:
      out += fmt::format_int(value.unsigned_integer).c_str();
      return;
    case Value::Kind::real:
      append_json_real(out, value.real);
      return;
    case Value::Kind::string:
      append_json_string(out, value.string);
      return;
    case Value::Kind::array:
      append_array<kSorted>(out, value);
      return;
    case Value::Kind::object:
      append_object<kSorted>(out, value);
      return;
  }
}

}  // namespace

void append_json(std::string& out, const Value& value) { append<false>(out, value); }
void append_canonical(std::string& out, const Value& value) { append<true>(out, value); }

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

}  // namespace ks::trace
