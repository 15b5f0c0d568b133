#include "trace/value.h"

#include <gtest/gtest.h>

#include "trace/json_reader.h"

namespace ks::trace {

namespace {
std::string round_trip(std::string_view json) {
  auto value = JsonReader().read_copy(json);
  return value ? to_json(*value) : "error";
}
std::string canonical(std::string_view json) {
  std::string out;
  append_canonical(out, JsonReader().read_copy(json).value());
  return out;
}
}  // namespace

TEST(Value, RoundTripsEveryKind) {
  const char* json = R"({"a":[1,-2,18446744073709551615,1.5,true,false,null],"b":{"c":"x\n\"é"}})";
  EXPECT_EQ(round_trip(json), json);
  EXPECT_EQ(round_trip(" [ 1 , 2 ] "), "[1,2]");
  EXPECT_EQ(round_trip("\"x\""), "\"x\"");
  EXPECT_EQ(round_trip("7"), "7");
  EXPECT_EQ(round_trip("null"), "null");
}

TEST(Value, KeepsIntegersRealsAndBooleansApart) {
  EXPECT_EQ(canonical("1"), "1");
  EXPECT_EQ(canonical("1.0"), "1.0");
  EXPECT_EQ(canonical("1.00"), "1.0");
  EXPECT_EQ(canonical("-0.0"), "-0.0");
  EXPECT_EQ(canonical("1e22"), canonical("1.0e22"));
  EXPECT_EQ(canonical("123456789012345678901234567890"),
            canonical("123456789012345678901234567890.0"));
}

TEST(Value, CanonicalSortsKeysButKeepsListOrder) {
  EXPECT_EQ(canonical(R"({"b":1,"a":[{"d":1,"c":2},0]})"), R"({"a":[{"c":2,"d":1},0],"b":1})");
}

TEST(Value, OfEqualKeysTheLastCountsAtThePlaceOfTheFirst) {
  EXPECT_EQ(round_trip(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const char* bad : {"", "{", "[1,]", "{\"a\":}", "nul", "NaN", "[1] 2", "{\"a\" 1}", "[1 2]",
                          "\"\\ud800\"", "[01]", "{\"a\":nulll}"}) {
    EXPECT_EQ(round_trip(bad), "error") << bad;
  }
}

TEST(JsonReader, TellsWhy) {
  EXPECT_EQ(JsonReader().read_copy("\"\xff\"").error(), JsonError::bad_utf8);
  const std::string deep = std::string(1001, '[') + std::string(1001, ']');
  EXPECT_EQ(JsonReader(1000).read_copy(deep).error(), JsonError::too_deep);
  EXPECT_TRUE(JsonReader(1001).read_copy(deep).has_value());
}

}  // namespace ks::trace
