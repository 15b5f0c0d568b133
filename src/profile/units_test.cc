#include "profile/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ks::profile {
namespace {

TEST(ParseNumber, ReadsWhatNcuPrints) {
  EXPECT_EQ(parse_number("2.40"), 2.4);
  EXPECT_EQ(parse_number(" 4,691 "), 4691);
  EXPECT_EQ(parse_number("23,989,882,752.00"), 23989882752.0);
  EXPECT_EQ(parse_number("1\xC2\xA0"
                         "190\xC2\xA0"
                         "245"),
            1190245);
  EXPECT_EQ(parse_number("1\xE2\x80\xAF"
                         "190"),
            1190);
  EXPECT_EQ(parse_number("1'190'245.5"), 1190245.5);
  EXPECT_EQ(parse_number("1_000"), 1000);
  EXPECT_EQ(parse_number("12,34,567"), 1234567);  // Indian grouping
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  EXPECT_EQ(parse_number("+3"), 3);
  EXPECT_EQ(parse_number("1e+06"), 1e6);
}

TEST(ParseNumber, ReadsNotANumberAsSuch) {
  EXPECT_TRUE(std::isnan(parse_number("nan").value_or(0)));
  EXPECT_TRUE(std::isnan(parse_number("-nan(ind)").value_or(0)));
  EXPECT_EQ(parse_number("inf"), INFINITY);
}

TEST(ParseNumber, RefusesText) {
  for (const char* cell : {"", " ", "n/a", "(!) n/a", "CachePreferNone", "all", "1 2", "12%", "-",
                           ",", "1,", ",123", "0x10", "(128, 1, 1)", "1e999"}) {
    EXPECT_EQ(parse_number(cell), std::nullopt) << cell;
  }
  EXPECT_EQ(parse_number(std::string(1000, '1')), std::nullopt);
}

TEST(ParseNumber, RefusesADecimalCommaRatherThanMisreadIt) {
  EXPECT_EQ(parse_number("214,03"), std::nullopt);
  EXPECT_EQ(parse_number("0,298065"), std::nullopt);
  EXPECT_EQ(parse_number("1.234,56"), std::nullopt);
  EXPECT_EQ(parse_number("1,2345"), std::nullopt);
}

TEST(ToBase, KnowsEveryEra) {
  const struct {
    const char* unit;
    double factor;
    const char* base;
  } cases[] = {
      {"nsecond", 1, "ns"},
      {"usecond", 1e3, "ns"},
      {"msecond", 1e6, "ns"},
      {"second", 1e9, "ns"},
      {"ns", 1, "ns"},
      {"us", 1e3, "ns"},
      {"\xC2\xB5s", 1e3, "ns"},
      {"\xCE\xBCs", 1e3, "ns"},
      {"ms", 1e6, "ns"},
      {"s", 1e9, "ns"},
      {"byte/second", 1, "byte/s"},
      {"Kbyte/second", 1e3, "byte/s"},
      {"Mbyte/second", 1e6, "byte/s"},
      {"Gbyte/second", 1e9, "byte/s"},
      {"Tbyte/second", 1e12, "byte/s"},
      {"Gbyte/s", 1e9, "byte/s"},
      {"Tbyte/s", 1e12, "byte/s"},
      {"gbyte/second", 1e9, "byte/s"},
      {"GB/s", 1e9, "byte/s"},
      {"B/s", 1, "byte/s"},
      {"KB", 1e3, "byte"},
      {"Kbyte", 1e3, "byte"},
      {"Mbyte", 1e6, "byte"},
      {"Kbyte/block", 1e3, "byte/block"},
      {"byte/block", 1, "byte/block"},
      {"cycle/nsecond", 1e9, "hz"},
      {"cycle/usecond", 1e6, "hz"},
      {"cycle/second", 1, "hz"},
      {"Ghz", 1e9, "hz"},
      {"Mhz", 1e6, "hz"},
      {"hz", 1, "hz"},
      {"GHz", 1e9, "hz"},
      {"%", 1, "%"},
      {"percent", 1, "%"},
      {"inst/cycle", 1, "inst/cycle"},
      {"register/thread", 1, "register/thread"},
      {"sector/ns", 1e9, "sector/s"},
      {"sector/us", 1e6, "sector/s"},
      {"sector/ms", 1e3, "sector/s"},
      {"Kbyte/cycle", 1e3, "byte/cycle"},
      {"branches", 1, "branches"},
      {"", 1, ""},
      {"block", 1, "block"},
      {"pass", 1, "pass"},
      {"SM", 1, "SM"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(to_base(2, c.unit), (Quantity{2 * c.factor, c.base})) << c.unit;
  // Wrong, but what ncu does, so that its forms agree: 1591 %/byte are printed as 1.591 %/Kbyte.
  EXPECT_EQ(to_base(2, "%/Kbyte"), (Quantity{2000, "%/byte"}));
}

TEST(ReadQuantity, MovesTheDecimalPointExactly) {
  EXPECT_EQ(read_quantity("12.67", "us"), (Quantity{12670, "ns"}));
  EXPECT_EQ(read_quantity("0.07", "us"), (Quantity{70, "ns"}));  // 0.07 * 1000 is not 70
  EXPECT_EQ(read_quantity("2.01", "ms"), (Quantity{2010000, "ns"}));
  EXPECT_EQ(read_quantity("1,219.63", "Gbyte/s"), (Quantity{1219630000000, "byte/s"}));
  EXPECT_EQ(read_quantity("2e3", "us"), (Quantity{2e6, "ns"}));
  EXPECT_EQ(read_quantity("832.57", "nsecond"), (Quantity{832.57, "ns"}));
  EXPECT_EQ(read_quantity("0", ""), (Quantity{0, ""}));
  EXPECT_EQ(read_quantity("(!) n/a", "us"), std::nullopt);
}

}  // namespace
}  // namespace ks::profile
