#include "report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

Table example() {
  Table table{{{"name", Align::left, 0, 8, false},
               {"n", Align::right, 0, 0, false},
               {"note", Align::left, 2, 0, true}},
              {}};
  table.add({"a_rather_long_kernel_name", "1", "x"});
  table.add({"ü", "12,345", ""});
  return table;
}

TEST(Table, AlignsNumbersRight) {
  EXPECT_EQ(render(example(), {}),
            "name                            n  note\n"
            "a_rather_long_kernel_name       1  x\n"
            "ü                          12,345\n");
}

TEST(Table, ShortensBeforeItDrops) {
  std::vector<std::string> hidden;
  EXPECT_EQ(render(example(), {30, false}, "", &hidden),
            "name                   n  note\n"
            "a_rather…el_name       1  x\n"
            "ü                 12,345\n");
  EXPECT_TRUE(hidden.empty());
}

TEST(Table, DropsByPriorityAndSaysSo) {
  std::vector<std::string> hidden;
  EXPECT_EQ(render(example(), {16, false}, "", &hidden),
            "name           n\n"
            "a_ra…ame       1\n"
            "ü         12,345\n");
  EXPECT_EQ(hidden, std::vector<std::string>{"note"});
}

TEST(Table, NamesWhatIsHiddenInALastLine) {
  EXPECT_THAT(render(example(), {16, false}),
              testing::EndsWith("ü         12,345\n"
                                "too narrow for: note (COLUMNS sets the width)\n"));
}

TEST(HiddenText, OfManyTheFirstAreNamed) {
  std::vector<std::string> hidden;
  EXPECT_EQ(hidden_text(hidden, "x", {}), "");
  for (int i = 0; i < 15; ++i) hidden.push_back(std::string(1, static_cast<char>('a' + i)));
  EXPECT_EQ(hidden_text(hidden, "x", {40, false}),
            "too narrow for: a, b, c, d, e, f, g, h,\ni, j, k, l, 3 more columns (x)\n");
}

TEST(Table, LeavesOutEmptyOptionalColumns) {
  Table table = example();
  table.rows[0][2].clear();
  EXPECT_EQ(render(table, {}).find("note"), std::string::npos);
}

TEST(Table, CellsAreMadePrintable) {
  Table table{{{"name"}}, {}};
  table.add({"a\x1b[2Jb"});
  EXPECT_EQ(render(table, {}), "name\na\\x1b[2Jb\n");
}

TEST(Table, RowsMayBeShort) {
  Table table{{{"a"}, {"b"}}, {}};
  table.add({"1"});
  EXPECT_EQ(render(table, {}, "  "), "  a  b\n  1\n");
}

}  // namespace
}  // namespace ks::report
