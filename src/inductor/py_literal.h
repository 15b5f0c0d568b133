#pragma once
// Python literals and calls as values: what stands in a decorator, never evaluated. What is neither
// (sums, comprehensions, f-strings, ...) is skipped and comes out as `unknown` with its text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ks::inductor {

struct PyValue {
  enum class Kind : uint8_t {
    unknown,
    none,
    boolean,
    integer,
    real,  // also an integer beyond 64 bits
    string,
    list,  // list, tuple or set: `items`
    dict,  // `keys` and `items` side by side
    call,  // `text` is the dotted name; a positional argument has a key of kind none
    name,  // dotted: ReductionHint.INNER
  };

  Kind kind = Kind::unknown;
  std::string_view source;  // as written, without blanks around; points into the text read
  std::string text;
  int64_t integer = 0;  // 0 or 1 of a boolean
  double real = 0;      // of an integer too
  std::vector<PyValue> keys, items;

  bool is(Kind k) const { return kind == k; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  // The value of a dict's or call's key; nothing where there is none.
  const PyValue* get(std::string_view key) const;
};

// What bounds a value's memory and stack; what is beyond is skipped as unknown.
inline constexpr size_t kPyMaxDepth = 32;
inline constexpr size_t kPyMaxNodes = 200'000;

// The value at the start of `text`; what follows it is not looked at. Linear in the text read.
PyValue read_py_value(std::string_view text);

}  // namespace ks::inductor
