#include "trace/json_reader.h"

#include <simdjson.h>

#include <limits>

namespace ks::trace {

namespace ondemand = simdjson::ondemand;
static_assert(JsonReader::kPadding >= simdjson::SIMDJSON_PADDING);

struct JsonReader::State {
  ondemand::parser parser;
  unsigned max_depth;
  std::string copy;
  bool too_deep = false;

  bool read(ondemand::value in, Value& out, unsigned depth);
  bool read_object(ondemand::value in, Value& out, unsigned depth);
  bool read_array(ondemand::value in, Value& out, unsigned depth);
  bool read_number(ondemand::value in, Value& out);
};

namespace {

bool at_end(ondemand::document& doc) {
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

JsonError to_error(simdjson::error_code code) {
  return code == simdjson::UTF8_ERROR ? JsonError::bad_utf8 : JsonError::bad_json;
}

Value& member_for(Value& object, std::string key) {
  // Linear for the short maps of a trace; a map with very many keys gives up the de-duplication
  // of equal keys rather than take quadratic time.
  if (object.members.size() <= 256) {
    for (Value::Member& member : object.members) {
      if (member.first == key) return member.second = Value();
    }
  }
  return object.members.emplace_back(std::move(key), Value()).second;
}

}  // namespace

bool JsonReader::State::read(ondemand::value in, Value& out, unsigned depth) {
  if (depth > max_depth) {
    too_deep = true;
    return false;
  }
  ondemand::json_type type;
  if (in.type().get(type)) return false;
  switch (type) {
    case ondemand::json_type::object:
      return read_object(in, out, depth);
    case ondemand::json_type::array:
      return read_array(in, out, depth);
    case ondemand::json_type::number:
      return read_number(in, out);
    case ondemand::json_type::string: {
      std::string_view text;
      if (in.get_string().get(text)) return false;
      out.kind = Value::Kind::string;
      out.string = text;
      return true;
    }
    case ondemand::json_type::boolean:
      out.kind = Value::Kind::boolean;
      return !in.get_bool().get(out.boolean);
    case ondemand::json_type::null: {
      const std::string_view token = in.raw_json_token();
      return token.substr(0, 4) == "null" &&
             token.find_first_not_of(" \t\r\n", 4) == std::string_view::npos;
    }
  }
  return false;
}

bool JsonReader::State::read_object(ondemand::value in, Value& out, unsigned depth) {
  out.kind = Value::Kind::object;
  ondemand::object object;
  if (in.get_object().get(object)) return false;
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key)) return false;
    std::string name(key);
    if (field.value().get(value)) return false;
    if (!read(value, member_for(out, std::move(name)), depth + 1)) return false;
  }
  return true;
}

bool JsonReader::State::read_array(ondemand::value in, Value& out, unsigned depth) {
  out.kind = Value::Kind::array;
  ondemand::array array;
  if (in.get_array().get(array)) return false;
  for (auto item : array) {
    ondemand::value value;
    if (item.get(value)) return false;
    if (!read(value, out.items.emplace_back(), depth + 1)) return false;
  }
  return true;
}

bool JsonReader::State::read_number(ondemand::value in, Value& out) {
  if (!in.get_int64().get(out.integer)) {
    out.kind = Value::Kind::integer;
    return true;
  }
  uint64_t u = 0;
  if (!in.get_uint64().get(u)) {
    out.kind = Value::Kind::unsigned_integer;
    out.unsigned_integer = u;
    return true;
  }
  double d = 0;
  if (in.get_double().get(d)) return false;
  out.kind = Value::Kind::real;
  out.real = d;
  return true;
}

JsonReader::JsonReader(unsigned max_depth) : state_(std::make_unique<State>()) {
  state_->max_depth = max_depth;
}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

tl::expected<Value, JsonError> JsonReader::read(std::string_view json) {
  State& s = *state_;
  s.too_deep = false;
  auto bad = [&](simdjson::error_code code) {
    return tl::make_unexpected(s.too_deep ? JsonError::too_deep : to_error(code));
  };
  ondemand::document doc;
  const simdjson::padded_string_view padded(json.data(), json.size(), json.size() + kPadding);
  if (auto error = s.parser.iterate(padded).get(doc)) return bad(error);
  ondemand::json_type type;
  if (auto error = doc.type().get(type)) return bad(error);
  Value out;
  if (type == ondemand::json_type::object || type == ondemand::json_type::array) {
    ondemand::value value;
    if (auto error = doc.get_value().get(value)) return bad(error);
    if (!s.read(value, out, 1)) return bad(simdjson::TAPE_ERROR);
    if (!at_end(doc)) return bad(simdjson::TAPE_ERROR);
    return out;
  }
  // A scalar is no document to the library: read it as the only item of a list.
  s.copy.assign("[").append(json).append("]");
  const size_t size = s.copy.size();
  s.copy.append(kPadding, ' ');
  auto list = read({s.copy.data(), size});
  if (!list) return list;
  if (list->items.size() != 1) return bad(simdjson::TAPE_ERROR);
  return std::move(list->items[0]);
}

tl::expected<Value, JsonError> JsonReader::read_copy(std::string_view json) {
  std::string padded(json);
  padded.append(kPadding, ' ');
  return read({padded.data(), json.size()});
}

}  // namespace ks::trace
