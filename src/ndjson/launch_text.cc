#include "ndjson/launch_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "run/interner.h"

namespace ks::ndjson {

namespace {

using trace::Value;

bool is_left_out(std::string_view key) {
  return key == "timestamp" || key == "pid" || key == "launch_group_hash" ||
         key == "occurrence_id" || key == "function";
}

// Python's repr of a float: shortest digits, an exponent where the decimal one is < -4 or >= 16.
void append_python_float(std::string& out, double real) {
  std::string text = fmt::format("{}", real);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  out += text;
}

void append_python_string(std::string& out, std::string_view utf8) {
  out += '"';
  for (size_t i = 0; i < utf8.size();) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c < 0x80) {
      ++i;
      switch (c) {
        case '"':
          out += "\\\"";
          continue;
        case '\\':
          out += "\\\\";
          continue;
        case '\n':
          out += "\\n";
          continue;
        case '\r':
          out += "\\r";
          continue;
        case '\t':
          out += "\\t";
          continue;
        case '\b':
          out += "\\b";
          continue;
        case '\f':
          out += "\\f";
          continue;
        default:
          break;
      }
      if (c < 0x20) {
        out += fmt::format("\\u{:04x}", c);
      } else {
        out += static_cast<char>(c);
      }
      continue;
    }
    const int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;  // valid UTF-8: the reader has checked
    uint32_t point = c & (0x3F >> more);
    for (int k = 1; k <= more && i + k < utf8.size(); ++k) {
      point = point << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3F);
    }
    i += 1 + more;
    if (point >= 0x10000) {
      point -= 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (point >> 10), 0xDC00 + (point & 0x3FF));
    } else {
      out += fmt::format("\\u{:04x}", point);
    }
  }
  out += '"';
}

// Stands for the n-th pointer of a field while its form is made. Contains characters that are
// always escaped, so that no text of the trace can look like it by accident.
constexpr std::string_view kMark = "\x01\x02kernelscope pointer ";
constexpr std::string_view kEscapedMark = "\\u0001\\u0002kernelscope pointer ";

void mark_pointers(Value& value, std::vector<uint64_t>& pointers) {
  for (Value& item : value.items) mark_pointers(item, pointers);
  for (auto& [key, member] : value.members) {
    if (key == "data_ptr" && member.is_string()) {
      const size_t number = pointers.size();
      trace::hash_without_pointers("\"data_ptr\":\"" + member.string + "\"", pointers);
      if (pointers.size() > number) {
        member.string = fmt::format("{}{:08}", kMark, number);
        continue;
      }
    }
    mark_pointers(member, pointers);
  }
}

bool has_long(const Value& value) {
  constexpr size_t kLimit = 4096;
  if (value.is_string())
    return value.string.size() > kLimit && display_width(value.string) > kLimit;
  return std::any_of(value.items.begin(), value.items.end(), has_long) ||
         std::any_of(value.members.begin(), value.members.end(),
                     [](const Value::Member& m) { return has_long(m.second); });
}

}  // namespace

void append_hash_form(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::real:
      return append_python_float(out, value.real);
    case Value::Kind::string:
      return append_python_string(out, value.string);
    case Value::Kind::array:
      out += '[';
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        append_hash_form(out, value.items[i]);
      }
      out += ']';
      return;
    case Value::Kind::object: {
      std::vector<const Value::Member*> order;
      for (const Value::Member& member : value.members) {
        if (!is_left_out(member.first)) order.push_back(&member);
      }
      std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->first < b->first; });
      out += '{';
      for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0) out += ',';
        append_python_string(out, order[i]->first);
        out += ':';
        append_hash_form(out, order[i]->second);
      }
      out += '}';
      return;
    }
    default:
      return trace::append_json(out, value);
  }
}

const LaunchHasher::Form& LaunchHasher::form_of(const trace::Field& field) {
  const auto known = forms_.find(field.hash);
  if (known != forms_.end()) return known->second;
  bool repeats = true;
  Form form = make_form(field, repeats);
  if (!repeats) return own_forms_.emplace_back(std::move(form));
  return forms_.emplace(field.hash, std::move(form)).first->second;
}

// Sets `repeats` to whether the form is good for all texts with this hash.
LaunchHasher::Form LaunchHasher::make_form(const trace::Field& field, bool& repeats) {
  Form form;
  auto value = reader_.read(field.json);
  if (!value) {
    form.valid = false;
    return form;
  }
  form.has_long_string = has_long(*value);
  std::vector<uint64_t> taken_out, marked;
  trace::hash_without_pointers(field.json, taken_out);
  form.pointers = taken_out.size();
  Value with_marks = *value;
  mark_pointers(with_marks, marked);
  // Equal keys and escapes: the pointers of the text are not those of the value.
  repeats = marked == taken_out;
  std::string text;
  append_hash_form(text, repeats ? with_marks : *value);
  size_t start = 0;
  for (size_t at = text.find(kEscapedMark); at != std::string::npos && repeats;
       at = text.find(kEscapedMark, start)) {
    form.pieces.push_back(text.substr(start, at - start));
    const size_t digits = at + kEscapedMark.size();
    const auto number = std::strtoul(text.substr(digits, 8).c_str(), nullptr, 10);
    form.order.push_back(static_cast<uint32_t>(number));
    start = digits + 8;
  }
  form.pieces.push_back(text.substr(start));
  return form;
}

void LaunchHasher::append(const Form& form, const uint64_t* pointers) {
  for (size_t i = 0; i < form.pieces.size(); ++i) {
    text_ += form.pieces[i];
    if (i < form.order.size()) {
      fmt::format_to(std::back_inserter(text_), "0x{:x}", pointers[form.order[i]]);
    }
  }
}

std::optional<uint64_t> LaunchHasher::hash(const trace::DecodedBlock& block,
                                           const trace::Launch& launch) {
  struct Entry {
    const trace::Field* field;
    const Form* form;
    const uint64_t* pointers;
  };
  std::vector<Entry> entries;
  entries.reserve(launch.fields.size());
  own_forms_.clear();
  has_long_string_ = false;
  const uint64_t* pointers = block.pointers.data() + launch.pointers.begin;
  for (uint32_t i = launch.fields.begin; i < launch.fields.end; ++i) {
    const trace::Field& field = block.fields[i];
    const Form& form = form_of(field);
    if (!form.valid) return std::nullopt;
    has_long_string_ |= form.has_long_string;
    if (!is_left_out(field.key)) entries.push_back({&field, &form, pointers});
    pointers += form.pointers;
  }
  // Stable, so that of equal keys the last one of the text is behind the others.
  std::stable_sort(entries.begin(), entries.end(),
                   [](auto& a, auto& b) { return a.field->key < b.field->key; });
  text_ = "{";
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i + 1 < entries.size() && entries[i + 1].field->key == entries[i].field->key) continue;
    if (text_.size() > 1) text_ += ',';
    append_python_string(text_, entries[i].field->key);
    text_ += ':';
    append(*entries[i].form, entries[i].pointers);
  }
  text_ += '}';
  sha_.reset();
  sha_.update(text_);
  const auto digest = sha_.finish();
  uint64_t hash = 0;
  for (size_t i = 0; i < 8; ++i) hash = hash << 8 | digest[i];
  return hash;
}

std::string rewritten_launch(trace::JsonReader& reader, std::string_view padded_line) {
  auto value = reader.read(padded_line);
  if (!value || !value->is_object()) return {};
  std::erase_if(value->members, [](const Value::Member& member) {
    return member.first == "occurrence_id" || member.first == "launch_group_hash" ||
           member.first == "autotune_launch_type";
  });
  run::shorten_strings(*value);
  std::string text = trace::to_json(*value);
  text.pop_back();
  return text;
}

}  // namespace ks::ndjson
