#pragma once
// A JSON value as a tree, for the parts of a trace that are looked at closely. Each distinct part
// is parsed once (see run/interner.h), so this is written for clarity, not for speed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ks::trace {

struct Value {
  enum class Kind : uint8_t {
    null,
    boolean,
    integer,
    unsigned_integer,
    real,
    string,
    array,
    object
  };
  struct Member;

  Kind kind = Kind::null;
  union {
    bool boolean;
    int64_t integer = 0;        // any integer that fits
    uint64_t unsigned_integer;  // only above INT64_MAX
    double real;                // also integers beyond 64 bits, as orjson does
  };
  std::string string;
  std::vector<Value> items;
  std::vector<Member> members;  // in the order of the text; of equal keys the last one counts, at
                                // the place of the first (as in a Python dict)

  bool is_null() const { return kind == Kind::null; }
  bool is_string() const { return kind == Kind::string; }
  bool is_object() const { return kind == Kind::object; }
  bool is_array() const { return kind == Kind::array; }

  const Value* find(std::string_view key) const;  // null where this is no object or has no such key
  // Typed looks at a member; empty, zero or `fallback` where it is missing or of another type.
  std::string_view text(std::string_view key) const;
  int64_t number(std::string_view key, int64_t fallback = 0) const;
  bool flag(std::string_view key) const;
};

struct Value::Member {
  std::string first;
  Value second;
};

// Compact JSON in the form that orjson writes, keys in order.
void append_json(std::string& out, const Value& value);
std::string to_json(const Value& value);

// The identity of a value: as above with the keys of all maps sorted by code point. 1, 1.0 and
// true are three values; 0 and -0.0 two.
void append_canonical(std::string& out, const Value& value);

}  // namespace ks::trace
