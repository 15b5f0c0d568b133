#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ks {

TEST(JsonWriter, WritesNestedValues) {
  std::string out;
  JsonWriter w(out);
  w.begin_object().field("a", 1).key("b").begin_array().value("x").value(true).null().end_array();
  w.field("c", 0.5).key("d").begin_object().end_object().end_object();
  EXPECT_EQ(out, R"({"a":1,"b":["x",true,null],"c":0.5,"d":{}})");
}

TEST(JsonWriter, EscapesWhatJsonDemandsAndNothingElse) {
  std::string out;
  append_json_string(out, std::string_view("q\"b\\s/\n\t\x01\x7f\xc3\xa9", 12));
  EXPECT_EQ(out, "\"q\\\"b\\\\s/\\n\\t\\u0001\x7f\xc3\xa9\"");
}

TEST(JsonWriter, NumbersThatJsonCannotHoldAreNull) {
  std::string out;
  JsonWriter(out).begin_array().value(std::nan("")).value(INFINITY).value(-0.0).end_array();
  EXPECT_EQ(out, "[null,null,-0.0]");
}

}  // namespace ks
