#pragma once
// Protocol buffers at the level of the wire: fields of one message, in order, unknown ones
// included. No nesting, no copies, no allocation; the caller opens what it wants to.

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace ks::profile {

struct WireField {
  uint32_t number = 0;
  uint8_t type = 0;        // 0 varint, 1 eight bytes, 2 bytes, 5 four bytes
  uint64_t value = 0;      // of types 0, 1 and 5
  std::string_view bytes;  // of type 2

  double as_double() const { return std::bit_cast<double>(value); }
  float as_float() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Nothing at the end and at the first byte that cannot be; damaged() says which.
  std::optional<WireField> next();
  bool damaged() const { return damaged_; }

 private:
  std::optional<uint64_t> varint();
  std::optional<uint64_t> fixed(size_t size);
  bool read_value(WireField& field);

  std::string_view rest_;
  bool damaged_ = false;
};

// The first field of that number, or nothing.
std::optional<WireField> find_field(std::string_view message, uint32_t number);

}  // namespace ks::profile
