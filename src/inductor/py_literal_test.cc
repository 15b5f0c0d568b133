#include "inductor/py_literal.h"

#include <gtest/gtest.h>

namespace ks::inductor {
namespace {

using Kind = PyValue::Kind;

TEST(PyLiteral, NumbersNamesAndConstants) {
  EXPECT_EQ(read_py_value("-12").integer, -12);
  EXPECT_EQ(read_py_value("1_000").integer, 1000);
  EXPECT_EQ(read_py_value("0x1F").integer, 31);
  EXPECT_DOUBLE_EQ(read_py_value("2.048e-06,").real, 2.048e-06);
  EXPECT_TRUE(read_py_value("99999999999999999999").is(Kind::real));
  EXPECT_TRUE(read_py_value("None").is(Kind::none));
  EXPECT_EQ(read_py_value("True").integer, 1);
  EXPECT_EQ(read_py_value("ReductionHint.INNER)").text, "ReductionHint.INNER");
  EXPECT_TRUE(read_py_value("1j").is(Kind::unknown));
}

TEST(PyLiteral, StringsOfEveryForm) {
  EXPECT_EQ(read_py_value(R"('a\n\x41\u00e9\\')").text, "a\nA\u00e9\\");
  EXPECT_EQ(read_py_value(R"(r'\n\'')").text, R"(\n\')");
  EXPECT_EQ(read_py_value("'''a'b\n''c'''").text, "a'b\n''c");
  EXPECT_EQ(read_py_value("('a' \"b\"\n 'c')").items.at(0).text, "abc");
  EXPECT_EQ(read_py_value("['a' + 'b']").items.at(0).text, "ab");
  EXPECT_EQ(read_py_value("'a\\\nb'").text, "ab");
  EXPECT_TRUE(read_py_value("[f'{x}']").items.at(0).is(Kind::unknown));
}

TEST(PyLiteral, ContainersAndCalls) {
  const PyValue value = read_py_value(
      "heur.reduction(\n size_hints={'x': 1024, 'r0_': 2}, \n hint=H.INNER, # why\n"
      " meta={'s': {1, 2}, (0,): [['tt', 16]], 'd': Props(type='cuda', cc=90)},\n 5)");
  EXPECT_EQ(value.text, "heur.reduction");
  EXPECT_EQ(value.get("size_hints")->source, "{'x': 1024, 'r0_': 2}");
  EXPECT_EQ(value.get("hint")->text, "H.INNER");
  const PyValue& meta = *value.get("meta");
  EXPECT_TRUE(meta.get("s")->is(Kind::list));
  EXPECT_EQ(meta.get("s")->items.size(), 2U);
  EXPECT_EQ(meta.get("d")->get("cc")->integer, 90);
  EXPECT_EQ(value.items.back().integer, 5);
  EXPECT_EQ(value.get("absent"), nullptr);
}

TEST(PyLiteral, UnknownExpressionsAreSkippedAlone) {
  const PyValue value = read_py_value(
      "f(a=x + 1, b=[i for i in range(3)], c=lambda q: (q, 2), d=-(3), e=7, g=x == y, h=2)");
  for (const char* name : {"a", "c", "d", "g"}) EXPECT_TRUE(value.get(name)->is(Kind::unknown));
  EXPECT_EQ(value.get("a")->source, "x + 1");
  EXPECT_EQ(value.get("c")->source, "lambda q: (q, 2)");
  EXPECT_EQ(value.get("e")->integer, 7);
  EXPECT_EQ(value.get("h")->integer, 2);
}

TEST(PyLiteral, DeepNestingAndManyItemsAreBounded) {
  const std::string deep(500'000, '[');
  EXPECT_TRUE(read_py_value(deep).is(Kind::list));
  EXPECT_TRUE(read_py_value(deep + std::string(500'000, ']')).is(Kind::list));
  std::string wide = "[";
  for (int i = 0; i < 400'000; ++i) wide += "1,";
  const PyValue value = read_py_value(wide + "]");
  EXPECT_LE(value.items.size(), kPyMaxNodes);
}

}  // namespace
}  // namespace ks::inductor
