#pragma once
// A launch's line as it goes out, and its group hash (docs/trace-format.md).

#include <deque>
#include <string>
#include <unordered_map>

#include "trace/decode.h"
#include "trace/json_reader.h"

namespace ks::ndjson {

// The JSON text that Python's json module writes with sorted keys and separators "," and ":", of
// `value` without the members timestamp, pid, launch_group_hash, occurrence_id and function at any
// depth.
void append_hash_form(std::string& out, const trace::Value& value);

// Most fields of launches repeat, so the hash form of a field is made once for each distinct text
// and the pointers are put in. One object per thread; memory follows distinct fields.
class LaunchHasher {
 public:
  // First 16 hex digits of the SHA-256 of the record's hash form, as a number; nothing if a field
  // is not JSON (such a launch is left out of the run, too).
  std::optional<uint64_t> hash(const trace::DecodedBlock& block, const trace::Launch& launch);
  // Whether the launch has a string of more than 4,096 characters.
  bool has_long_string() const { return has_long_string_; }

 private:
  struct Form {
    bool valid = true;
    bool has_long_string = false;
    std::vector<std::string> pieces;  // between the pointers
    std::vector<uint32_t> order;      // which pointer of the field's text stands behind piece i
    size_t pointers = 0;              // of the field's text, as the decoder took them out
  };
  const Form& form_of(const trace::Field& field);
  Form make_form(const trace::Field& field, bool& repeats);
  void append(const Form& form, const uint64_t* pointers);

  trace::JsonReader reader_;
  std::unordered_map<Hash128, Form> forms_;
  std::deque<Form> own_forms_;  // of the current launch, good for no other
  std::string text_;
  Sha256 sha_;
  bool has_long_string_ = false;
};

// The record without what a parser had added, long strings shortened: for lines that cannot go out
// as they are. Without the closing brace; empty if it is not JSON.
std::string rewritten_launch(trace::JsonReader& reader, std::string_view padded_line);

}  // namespace ks::ndjson
