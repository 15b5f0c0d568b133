#pragma once
// The only door to the JSON library together with decode.cc.

#include <memory>
#include <string_view>

#include "trace/value.h"

namespace ks::trace {

enum class JsonError : uint8_t { bad_json, bad_utf8, too_deep };

// Reads one whole JSON text, strictly: everything in it is checked. One object per thread; it
// keeps its buffers between calls.
class JsonReader {
 public:
  explicit JsonReader(unsigned max_depth = 1000);
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  // At least kPadding bytes after the text must be readable (their content does not matter).
  static constexpr size_t kPadding = 64;
  tl::expected<Value, JsonError> read(std::string_view padded_json);
  // For text without padding: copies it.
  tl::expected<Value, JsonError> read_copy(std::string_view json);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ks::trace
