#pragma once
// ncu's printed values to base units. Its vocabulary changed over the years (docs/profile.md):
// nsecond/ns, Gbyte/second, Gbyte/s, GB/s, cycle/nsecond, Ghz, Kbyte/block, %, inst/cycle, ...

#include <optional>
#include <string>
#include <string_view>

namespace ks::profile {

struct Quantity {
  double value = 0;
  std::string unit;  // base unit: ns, byte, byte/s, hz, %, or as written where it has no prefix
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

// The number of a cell: separators of thousands (',', NBSP, narrow NBSP, ''', '_') go, a decimal
// point stays; "(!) n/a", "n/a", "" and text give nothing, nor does a ',' that cannot group (the
// decimal comma of "214,03"). nan and inf are read: callers decide.
std::optional<double> parse_number(std::string_view cell);

// Value and unit as printed to base units; an unknown unit is passed on with factor 1.
Quantity to_base(double value, std::string_view unit);

// A cell and its unit to base units. The decimal point is moved before the digits are read, so that
// "12.67" us is 12670 ns and not a neighbour of it.
std::optional<Quantity> read_quantity(std::string_view cell, std::string_view unit);

}  // namespace ks::profile
