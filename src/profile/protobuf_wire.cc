#include "profile/protobuf_wire.h"

namespace ks::profile {

std::optional<uint64_t> WireReader::varint() {
  uint64_t value = 0;
  for (size_t i = 0; i < rest_.size() && i < 10; ++i) {
    const uint8_t byte = static_cast<uint8_t>(rest_[i]);
    value |= uint64_t{byte & 0x7FU} << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> WireReader::fixed(size_t size) {
  if (rest_.size() < size) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>(rest_[i])} << (8 * i);
  rest_.remove_prefix(size);
  return value;
}

bool WireReader::read_value(WireField& field) {
  std::optional<uint64_t> value;
  if (field.type == 1) value = fixed(8);
  if (field.type == 5) value = fixed(4);
  if (field.type == 0 || field.type == 2) value = varint();
  if (!value) return false;
  field.value = *value;
  if (field.type != 2) return true;
  if (*value > rest_.size()) return false;
  field.bytes = rest_.substr(0, *value);
  rest_.remove_prefix(*value);
  return true;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty() || damaged_) return std::nullopt;
  WireField field;
  const std::optional<uint64_t> tag = varint();
  if (tag) {
    field.number = static_cast<uint32_t>(*tag >> 3);
    field.type = static_cast<uint8_t>(*tag & 7);
    if (*tag >> 35 == 0 && field.number > 0 && read_value(field)) return field;
  }
  damaged_ = true;
  return std::nullopt;
}

std::optional<WireField> find_field(std::string_view message, uint32_t number) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == number) return field;
  }
  return std::nullopt;
}

}  // namespace ks::profile
