#pragma once
// Just enough of MLIR's text to see operations, types and loops line by line. Triton prints one
// operation a line. Internal to the folder.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/facts.h"

namespace ks::ir {

struct MlirOp {
  std::string_view result;  // "%5", "%5:2"; empty without
  std::string_view name;    // "tt.load"; empty: no operation on this line
  std::string_view rest;    // what follows the name, the trailing loc(...) taken off
};
MlirOp split_op(std::string_view line);

// Its name alone, for passes that look at few operations of a text.
std::string_view op_name(std::string_view line);

// Text after the last " : ", where the types stand; empty without.
std::string_view types_of(const MlirOp& op);

// The element type and shape of  tensor<4x8xf16, #enc>,  tensor<4x!tt.ptr<f32>>,  !tt.ptr<f32>,
// !tt.ptr<tensor<4xf16>>,  !tt.tensordesc<tensor<4xf16>>,  f32.  Pointers count as what they
// point at. Only the first type of the text is read.
struct ValueType {
  std::vector<uint64_t> shape;
  std::string_view dtype;
  uint64_t elements = 1;  // saturating

  std::optional<uint64_t> bytes() const;  // saturating; empty: unknown dtype
};
std::optional<ValueType> value_type(std::string_view text);

// Braces outside quotes: how much deeper the line ends than it begins.
int64_t brace_balance(std::string_view line);

// scf.for loops in order of their headers, if asked with trip counts from constants in the text.
enum class TripCounts : uint8_t { no, yes };
std::vector<Loop> find_loops(std::string_view text, TripCounts trip_counts);

// Calls f(line number from 1, line).
template <typename F>
void each_line(std::string_view text, F f) {
  uint32_t number = 1;
  for (size_t start = 0; start < text.size(); ++number) {
    size_t end = text.find('\n', start);
    if (end == text.npos) end = text.size();
    f(number, text.substr(start, end - start));
    start = end + 1;
  }
}

inline uint64_t saturating_multiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
inline uint64_t saturating_add(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

}  // namespace ks::ir
