#include "ndjson/reference_text.h"

#include <charconv>

namespace ks::ndjson {

uint64_t to_number(std::string_view digits) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc::result_out_of_range ? std::numeric_limits<uint64_t>::max() : number;
}

void append_number(std::string& out, uint64_t number) {
  char buffer[20];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, static_cast<size_t>(end - buffer));
}

}  // namespace ks::ndjson
