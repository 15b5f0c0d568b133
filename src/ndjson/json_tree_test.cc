#include "ndjson/json_tree.h"

#include <gmock/gmock.h>

namespace ks::ndjson {
namespace {

std::string text(const JsonTree& tree) {
  std::string out;
  tree.write(out);
  return out;
}

TEST(JsonTree, DotsNestAndOrderStays) {
  JsonTree tree;
  tree.set("b.x", "1");
  tree.set("a", "[2]");
  tree.set("b.y.z", "null");
  EXPECT_EQ(text(tree), R"({"b":{"x":1,"y":{"z":null}},"a":[2]})");
  EXPECT_THAT(tree.names(), ::testing::ElementsAre("b", "a"));
}

TEST(JsonTree, AKeyBehindATextStaysDottedBesideIt) {
  JsonTree tree;
  tree.set("a", "1");
  tree.set("a.b.c", "2");
  EXPECT_EQ(text(tree), R"({"a":1,"a.b.c":2})");
}

TEST(JsonTree, AKeyBehindAnObjectsTextGoesIntoIt) {
  JsonTree tree;
  tree.set("f", R"({"diff_type":"distribution","values":[1]})");
  tree.set("f.value", "2");
  tree.set("f.values.x", "3");
  EXPECT_EQ(text(tree),
            R"({"f":{"diff_type":"distribution","values":[1],"value":2,"values.x":3}})");
}

TEST(JsonTree, ATextInPlaceOfAMapReplacesItAsInTheReference) {
  JsonTree tree;
  tree.set("a.b", "1");
  tree.set("a", "2");
  EXPECT_EQ(text(tree), R"({"a":2})");
}

TEST(JsonTree, SplitKeysKeepTheirDots) {
  JsonTree tree;
  tree.set({"n.m", "v"}, 0, "1");
  tree.set({"skipped", "n.m", "w"}, 1, "2");
  EXPECT_EQ(text(tree), R"({"n.m":{"v":1,"w":2}})");
}

TEST(JsonTree, SplitKeysLoseNothingWhereATextMeetsAMap) {
  JsonTree text_first, map_first;
  text_first.set({"a"}, 0, "1");
  text_first.set({"a", "b", "c"}, 0, "2");
  map_first.set({"a", "b", "c"}, 0, "2");
  map_first.set({"a"}, 0, "1");
  EXPECT_EQ(text(text_first), R"({"a":1,"a.b.c":2})");
  EXPECT_EQ(text(map_first), R"({"a":1,"a.b.c":2})");
}

TEST(JsonTree, EmptyNamesAndEscapes) {
  JsonTree tree;
  tree.set("", "1");
  tree.set(".", "2");
  tree.set_member("q\"\n", "3");
  EXPECT_EQ(text(tree), R"({"":1,".":2,"q\"\n":3})");
}

TEST(JsonTree, LookUpAndErase) {
  JsonTree tree;
  tree.set("a.b", "1");
  tree.set("c", "2");
  ASSERT_NE(tree.child("a"), nullptr);
  EXPECT_EQ(*tree.child("a")->text("b"), "1");
  EXPECT_EQ(tree.child("c"), nullptr);
  EXPECT_EQ(tree.text("a"), nullptr);
  EXPECT_EQ(tree.text("nothing"), nullptr);
  tree.erase("a");
  tree.erase("nothing");
  EXPECT_EQ(text(tree), R"({"c":2})");
  tree.set("a", "3");
  EXPECT_EQ(text(tree), R"({"c":2,"a":3})");
  tree.erase("a");
  tree.erase("c");
  EXPECT_TRUE(tree.empty());
}

TEST(JsonTree, ManyDotsAreNoRecursion) {
  JsonTree tree;
  tree.set(std::string(2000, '.'), "1");
  EXPECT_EQ(text(tree).size(), 2001u * 5 + 1);
}

}  // namespace
}  // namespace ks::ndjson
