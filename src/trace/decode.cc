#include "trace/decode.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "trace/json_reader.h"

// A line is parsed once by the library's first stage (structure and UTF-8), then only its top level
// is walked. The text of a launch's field is checked in full when it is first seen (run/interner),
// that of a compilation here.

namespace ks::trace {

namespace ondemand = simdjson::ondemand;

namespace {

enum class EventType : uint8_t { unknown, launch, compilation, autotune, derived, missing };

EventType event_type(std::string_view text) {
  if (text == "launch") return EventType::launch;
  if (text == "compilation") return EventType::compilation;
  if (text == "autotune") return EventType::autotune;
  for (std::string_view derived : {"launch_diff", "ir_analysis", "roofline", "autotune_analysis",
                                   "autotune_summary", "compilation_diff", "trace_diff"}) {
    if (text == derived) return EventType::derived;
  }
  return EventType::unknown;
}

// Members that a parser adds to a launch; the raw event does not have them.
bool is_derived_member(std::string_view key) {
  return key == "occurrence_id" || key == "launch_group_hash" || key == "autotune_launch_type";
}

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

// A key as a view that outlives the parser's buffers: into the line, or for a key with escapes into
// `odd`.
simdjson::error_code stable_key(ondemand::field& field, std::deque<std::string>& odd,
                                std::string_view& out) {
  const char* raw = field.key().raw();
  const char* end = raw;
  while (*end != '"' && *end != '\\') ++end;
  out = {raw, static_cast<size_t>(end - raw)};
  if (*end == '"') return simdjson::SUCCESS;
  std::string_view key;
  if (auto error = field.unescaped_key().get(key)) return error;
  out = odd.emplace_back(key);
  return simdjson::SUCCESS;
}

// The text of a value of any type.
simdjson::error_code raw_text(ondemand::value value, std::string_view& out) {
  ondemand::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto error = value.get_object().get(object)) return error;
    return object.raw_json().get(out);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto error = value.get_array().get(array)) return error;
    return array.raw_json().get(out);
  }
  out = trimmed(value.raw_json_token());
  return simdjson::SUCCESS;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

size_t behind_space(std::string_view json, size_t at) {
  return std::min(json.find_first_not_of(" \t\r\n", at), json.size());
}

// Reads a pointer's digits at text[pos]; 0 if they are not in plain form ending in a quote.
size_t plain_pointer(std::string_view text, size_t pos, uint64_t& value) {
  value = 0;
  size_t n = 0;
  for (; pos + n < text.size() && hex_digit(text[pos + n]) >= 0; ++n) {
    if (n == 16) return 0;
    value = value << 4 | static_cast<uint64_t>(hex_digit(text[pos + n]));
  }
  const bool closed = pos + n < text.size() && text[pos + n] == '"';
  const bool leading_zero = n > 1 && text[pos] == '0';
  return closed && !leading_zero ? n : 0;
}

}  // namespace

Hash128 hash_without_pointers(std::string_view json, std::vector<uint64_t>& pointers) {
  static constexpr std::string_view kKey = "\"data_ptr\"";
  Hash128 hash;
  bool first = true;
  size_t start = 0;
  auto add = [&](std::string_view piece) {
    const Hash128 h = hash128(piece);
    hash = first ? h : combine(hash, h);
    first = false;
  };
  // memmem, because find() stops at every quote.
  const auto find = [&](size_t from) {
    const void* found = memmem(json.data() + from, json.size() - from, kKey.data(), kKey.size());
    return found ? static_cast<size_t>(static_cast<const char*>(found) - json.data())
                 : std::string_view::npos;
  };
  for (size_t at = find(0); at != std::string_view::npos; at = find(at)) {
    const bool escaped = at > 0 && json[at - 1] == '\\';
    at += kKey.size();
    const size_t colon = behind_space(json, at);
    if (escaped || colon == json.size() || json[colon] != ':') continue;
    size_t digits = behind_space(json, colon + 1);
    if (json.compare(digits, 3, "\"0x") != 0) continue;
    digits += 3;
    uint64_t value = 0;
    const size_t n = plain_pointer(json, digits, value);
    if (n == 0) continue;
    pointers.push_back(value);
    add(json.substr(start, digits - start));
    start = digits + n;
    at = start;
  }
  add(json.substr(start));
  return hash;
}

struct Decoder::State {
  ondemand::parser parser;
  JsonReader reader;
  unsigned max_depth;
  DecodedBlock out;
  std::string_view name;
  uint64_t seed = 0;
  std::vector<std::pair<std::string_view, std::string_view>> members;  // of the current line

  explicit State(unsigned depth) : reader(depth), max_depth(depth) {}

  std::string where(const io::Line& line, std::string_view detail = {}) const {
    return detail.empty() ? fmt::format("{}:{}", name, line.number)
                          : fmt::format("{}:{}: {}", name, line.number, detail);
  }
  void bad(Diag diag, const io::Line& line, std::string_view detail = {}) {
    out.diagnostics.add(diag, where(line, detail));
  }
  void bad_json(simdjson::error_code code, const io::Line& line, bool last);

  void decode_line(uint32_t index, bool last);
  simdjson::error_code split(std::string_view text, EventType& type, Compilation& compilation);
  simdjson::error_code read_payload(ondemand::value value, std::string_view text, Compilation& c);
  simdjson::error_code read_texts(ondemand::value value, std::vector<Artifact>& artifacts);
  bool read_value(std::string_view json, Value& value, const io::Line& line);
  void add_launch(uint32_t index);
  void add_compilation(uint32_t index, Compilation& c);
  void add_autotune(uint32_t index);

  // Set by read_payload, parsed afterwards: the library walks one document at a time.
  struct PayloadTexts {
    std::string_view metadata, file_path, pt_info, python_source, times;
    bool payload_null = false;
  } payload;
};

Decoder::Decoder(unsigned max_depth) : state_(std::make_unique<State>(max_depth)) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;

DecodedBlock Decoder::decode(io::Block block, std::string_view name, uint64_t seed) {
  State& s = *state_;
  s.out = DecodedBlock();
  s.out.block = std::move(block);
  s.out.diagnostics = s.out.block.diagnostics;
  s.name = name;
  s.seed = seed;
  const size_t count = s.out.block.lines.size();
  for (size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count && s.out.block.last_line_unterminated;
    s.decode_line(static_cast<uint32_t>(i), last);
  }
  return std::move(s.out);
}

void Decoder::State::bad_json(simdjson::error_code code, const io::Line& line, bool last) {
  if (last) return bad(Diag::truncated_line, line);
  if (code == simdjson::UTF8_ERROR) return bad(Diag::bad_utf8, line);
  if (code == simdjson::DEPTH_ERROR) return bad(Diag::too_deep, line);
  bad(Diag::bad_json, line, simdjson::error_message(code));
}

// Walks the top level. For a compilation `payload` is read on the way if the event type came first,
// as every writer has it.
simdjson::error_code Decoder::State::split(std::string_view text, EventType& type,
                                           Compilation& compilation) {
  members.clear();
  payload = PayloadTexts();
  ondemand::document doc;
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + io::Block::kPadding);
  if (auto error = parser.iterate(padded).get(doc)) return error;
  ondemand::object object;
  if (auto error = doc.get_object().get(object)) return error;
  for (auto item : object) {
    ondemand::field field;
    std::string_view key;
    if (auto error = std::move(item).get(field)) return error;
    if (auto error = stable_key(field, out.odd_keys, key)) return error;
    ondemand::value value = field.value();
    if (key == "payload" && type == EventType::compilation) {
      if (auto error = read_payload(value, text, compilation)) return error;
      continue;
    }
    std::string_view json;
    if (auto error = raw_text(value, json)) return error;
    if (key == "event_type") {
      type = json.size() >= 2 && json.front() == '"' ? event_type(json.substr(1, json.size() - 2))
                                                     : EventType::unknown;
    }
    members.emplace_back(key, json);
  }
  // Something behind the object is an error; behind the end there is no location.
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS
                                                                   : simdjson::TAPE_ERROR;
}

simdjson::error_code Decoder::State::read_payload(ondemand::value value, std::string_view text,
                                                  Compilation& c) {
  ondemand::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != ondemand::json_type::object) {
    payload.payload_null = true;
    std::string_view ignored;
    return raw_text(value, ignored);
  }
  ondemand::object object;
  if (auto error = value.get_object().get(object)) return error;
  std::string_view whole;
  if (auto error = object.raw_json().get(whole)) return error;
  c.payload_end = static_cast<size_t>(whole.data() + whole.size() - 1 - text.data());
  bool empty = false;
  if (auto error = object.reset().get(empty)) return error;
  for (auto field : object) {
    std::string_view key;
    ondemand::value member;
    if (auto error = field.unescaped_key().get(key)) return error;
    if (auto error = field.value().get(member)) return error;
    if (key == "file_content" && member.type().value_unsafe() == ondemand::json_type::object) {
      if (auto error = read_texts(member, c.artifacts)) return error;
      continue;
    }
    c.has_derived |= key == "ir_stages" || key == "source_mappings";
    std::string_view json;
    if (auto error = raw_text(member, json)) return error;
    if (key == "metadata") payload.metadata = json;
    if (key == "file_path") payload.file_path = json;
    if (key == "pt_info") payload.pt_info = json;
    if (key == "python_source") payload.python_source = json;
    if (key == "times") payload.times = json;
  }
  return simdjson::SUCCESS;
}

// Texts that are no strings are left out (nothing that we know writes such).
simdjson::error_code Decoder::State::read_texts(ondemand::value value,
                                                std::vector<Artifact>& artifacts) {
  ondemand::object object;
  if (auto error = value.get_object().get(object)) return error;
  for (auto field : object) {
    std::string_view key, text;
    ondemand::value member;
    if (auto error = field.unescaped_key().get(key)) return error;
    std::string artifact(key);
    if (auto error = field.value().get(member)) return error;
    ondemand::json_type type;
    if (auto error = member.type().get(type)) return error;
    if (type != ondemand::json_type::string) {
      if (auto error = raw_text(member, text)) return error;
      continue;
    }
    if (auto error = member.get_string().get(text)) return error;
    auto same = std::find_if(artifacts.begin(), artifacts.end(),
                             [&](const Artifact& a) { return a.name == artifact; });
    if (same != artifacts.end()) {
      same->text = text;
    } else {
      artifacts.push_back({std::move(artifact), std::string(text)});
    }
  }
  return simdjson::SUCCESS;
}

void Decoder::State::decode_line(uint32_t index, bool last) {
  const io::Line& line = out.block.lines[index];
  const std::string_view text = out.block.view(line);
  Compilation compilation;
  EventType type = EventType::missing;
  simdjson::error_code error = split(text, type, compilation);
  if (error == simdjson::INCORRECT_TYPE || error == simdjson::SCALAR_DOCUMENT_AS_VALUE) {
    auto value = reader.read(text);
    if (value) return bad(Diag::not_an_object, line);
  }
  if (error) return bad_json(error, line, last);
  const bool payload_first =
      type == EventType::compilation && compilation.payload_end == 0 && !payload.payload_null;
  if (payload_first) {  // the type came after the payload: walk again, knowing it
    if ((error = split(text, type, compilation))) return bad_json(error, line, last);
  }
  switch (type) {
    case EventType::launch:
      return add_launch(index);
    case EventType::compilation:
      return add_compilation(index, compilation);
    case EventType::autotune:
      return add_autotune(index);
    case EventType::derived:
      return bad(Diag::derived_event, line);
    case EventType::unknown:
    case EventType::missing:
      return bad(Diag::unknown_event, line);
  }
}

void Decoder::State::add_launch(uint32_t index) {
  Launch launch;
  launch.fields.begin = static_cast<uint32_t>(out.fields.size());
  launch.pointers.begin = static_cast<uint32_t>(out.pointers.size());
  Hash128 identity{seed, 0};
  for (auto [key, json] : members) {
    if (key == "timestamp" && json.size() >= 2 && json.front() == '"') {
      launch.timestamp = json.substr(1, json.size() - 2);
      continue;
    }
    if (is_derived_member(key)) {
      launch.has_derived = true;
      continue;
    }
    const Hash128 hash = hash_without_pointers(json, out.pointers);
    out.fields.push_back({key, json, hash});
    identity = combine(identity, combine(hash128(key), hash));
  }
  launch.identity = identity;
  launch.fields.end = static_cast<uint32_t>(out.fields.size());
  launch.pointers.end = static_cast<uint32_t>(out.pointers.size());
  out.records.push_back({index, launch});
}

bool Decoder::State::read_value(std::string_view json, Value& value, const io::Line& line) {
  if (json.empty()) return true;
  auto read = reader.read(json);
  if (!read) {
    const JsonError error = read.error();
    bad(error == JsonError::too_deep   ? Diag::too_deep
        : error == JsonError::bad_utf8 ? Diag::bad_utf8
                                       : Diag::bad_json,
        line);
    return false;
  }
  value = std::move(*read);
  return true;
}

namespace {

// A member that must be an object (or may be missing); anything else is reported and left out.
const Value& object_or_empty(Value& value) {
  if (!value.is_object()) value = Value{Value::Kind::object, {}, {}, {}, {}};
  return value;
}

std::optional<int64_t> optional_int(const Value& object, std::string_view key) {
  const Value* v = object.find(key);
  if (v && v->kind == Value::Kind::integer) return v->integer;
  return std::nullopt;
}

std::optional<FrameIds> frame_ids(const Value& pt_info) {
  if (!pt_info.is_object()) return std::nullopt;
  FrameIds ids;
  ids.frame_id = optional_int(pt_info, "frame_id");
  ids.frame_compile_id = optional_int(pt_info, "frame_compile_id");
  ids.compiled_autograd_id = optional_int(pt_info, "compiled_autograd_id");
  // The writer says attempt, the reference's schema attempt_id.
  ids.attempt = pt_info.number("attempt", pt_info.number("attempt_id"));
  if (!ids.frame_id && !ids.frame_compile_id) return std::nullopt;
  return ids;
}

PythonSource python_source(const Value& v) {
  PythonSource source;
  source.file_path = v.text("file_path");
  source.start_line = v.number("start_line");
  source.end_line = v.number("end_line");
  source.code = v.find("code") ? v.text("code") : v.text("content");
  source.function_start_line = v.number("function_start_line");
  source.function_end_line = v.number("function_end_line");
  return source;
}

}  // namespace

void Decoder::State::add_compilation(uint32_t index, Compilation& c) {
  const io::Line& line = out.block.lines[index];
  Value pt_info, python, times;
  for (auto [key, json] : members) {
    Value value;
    if (key == "stack" && !read_value(json, c.stack, line)) return;
    if (key == "is_fake" && json == "true") return bad(Diag::derived_event, line);
    if (key != "pid" && key != "timestamp") continue;
    if (!read_value(json, value, line)) return;
    if (key == "pid" && value.kind == Value::Kind::integer) c.pid = value.integer;
    if (key == "timestamp") c.timestamp = value.string;
  }
  if (!read_value(payload.metadata, c.metadata, line) ||
      !read_value(payload.file_path, c.file_path, line) ||
      !read_value(payload.pt_info, pt_info, line) ||
      !read_value(payload.python_source, python, line) || !read_value(payload.times, times, line)) {
    return;
  }
  const auto object_expected = [&](const Value& value, std::string_view json,
                                   std::string_view key) {
    if (!json.empty() && !value.is_object()) bad(Diag::bad_field, line, key);
  };
  object_expected(c.metadata, payload.metadata, "payload.metadata");
  object_expected(c.file_path, payload.file_path, "payload.file_path");
  if (payload.payload_null) bad(Diag::bad_field, line, "payload");
  object_or_empty(c.metadata);
  object_or_empty(c.file_path);
  c.hash = c.metadata.text("hash");
  if (c.hash.empty()) return bad(Diag::compilation_without_hash, line);
  c.name = c.metadata.text("name");
  c.frame = frame_ids(pt_info);
  c.attempt_id = pt_info.number("attempt_id");
  if (python.is_object()) c.python = python_source(python);
  c.python_source_json = payload.python_source;
  if (times.is_object() && !c.metadata.find("times")) {  // its place before 2025-08-25
    c.metadata.members.emplace_back("times", std::move(times));
  }
  if (!payload.metadata.empty()) {
    const char* end = payload.metadata.data() + payload.metadata.size() - 1;
    c.metadata_end = static_cast<size_t>(end - out.block.view(line).data());
  }
  out.records.push_back({index, std::move(c)});
}

void Decoder::State::add_autotune(uint32_t index) {
  const io::Line& line = out.block.lines[index];
  Autotune a;
  for (auto [key, json] : members) {
    Value value;
    if (!read_value(json, value, line)) return;
    if (key == "kernel_name") a.kernel_name = value.string;
    if (key == "cache_key") a.cache_key = value.string;
    if (key == "best_config" && value.is_string()) a.best_config = value.string;
    if (key == "autotune_key") a.key = value.string;
    if (key == "timestamp") a.timestamp = value.string;
    if (key == "duration") a.duration_json = json;
    if (key == "duration" && value.kind == Value::Kind::real) a.duration_s = value.real;
    if (key == "duration" && value.kind == Value::Kind::integer) {
      a.duration_s = static_cast<double>(value.integer);
    }
    if (key == "cache_hit" && value.kind == Value::Kind::boolean) a.cache_hit = value.boolean;
    if (key == "pid" && value.kind == Value::Kind::integer) a.pid = value.integer;
    if (key == "stack")
      a.stack = std::move(value);
    else if (key == "configs_timings")
      a.timings = std::move(value);
  }
  out.records.push_back({index, std::move(a)});
}

}  // namespace ks::trace
