#pragma once
// Appends compact JSON to a string. The caller keeps the nesting right; commas and quotes are ours.
// Strings are written as UTF-8 as they are; what is not UTF-8 must not come in.

#include <cstdint>
#include <string>
#include <string_view>

namespace ks {

// "text" with quotes and escapes, as orjson writes it: \" \\ \b \f \n \r \t, \u00xx below 0x20.
void append_json_string(std::string& out, std::string_view text);

// Shortest digits that read back, always with a '.' or an exponent, so that it stays a float.
void append_json_real(std::string& out, double real);

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool b);
  JsonWriter& value(double d);  // shortest digits that read back; not finite: null
  JsonWriter& value(int64_t i);
  JsonWriter& value(uint64_t u);
  JsonWriter& value(int i) { return value(static_cast<int64_t>(i)); }
  JsonWriter& value(uint32_t u) { return value(static_cast<uint64_t>(u)); }
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // text that is already JSON

  template <typename T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  JsonWriter& raw_field(std::string_view name, std::string_view json) {
    return key(name).raw(json);
  }

 private:
  JsonWriter& open(char c);
  JsonWriter& close(char c);
  void separate();

  std::string& out_;
  bool need_comma_ = false;
};

}  // namespace ks
