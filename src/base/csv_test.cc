#include "base/csv.h"

#include <gmock/gmock.h>

namespace ks {
namespace {

using testing::ElementsAre;

std::vector<CsvRow> read_all(std::string_view text) {
  CsvReader reader(text);
  std::vector<CsvRow> rows;
  while (auto row = reader.next()) rows.push_back(std::move(*row));
  return rows;
}

TEST(CsvReader, CellsOfAnyLineEnd) {
  EXPECT_THAT(read_all("a,b\r\nc,\rd\ne"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", ""),
                                                       ElementsAre("d"), ElementsAre("e")));
}

TEST(CsvReader, NothingIsNoRowAndABlankLineIsOne) {
  EXPECT_TRUE(read_all("").empty());
  EXPECT_THAT(read_all("\na\n"), ElementsAre(ElementsAre(""), ElementsAre("a")));
}

TEST(CsvReader, QuotedCellsHoldCommasQuotesAndLineEnds) {
  EXPECT_THAT(read_all("\"{'x': 1, 'r0_': 2}\",\"a \"\"b\"\"\",\"1\n2\"\nz\n"),
              ElementsAre(ElementsAre("{'x': 1, 'r0_': 2}", "a \"b\"", "1\n2"), ElementsAre("z")));
}

TEST(CsvReader, QuotesInTheMiddleAreLetters) {
  EXPECT_THAT(read_all("a\"b,\"c\"d,e\n"), ElementsAre(ElementsAre("a\"b", "cd", "e")));
}

TEST(CsvReader, AQuoteNeverClosedSwallowsOnlyItself) {
  EXPECT_THAT(read_all("a,\"b\nc,d\n"),
              ElementsAre(ElementsAre("a", "\"b"), ElementsAre("c", "d")));
}

TEST(CsvReader, ByteOrderMarkIsNoText) {
  EXPECT_THAT(read_all("\xEF\xBB\xBF\"a\",b"), ElementsAre(ElementsAre("a", "b")));
}

TEST(CsvReader, LineAndOffsetOfRows) {
  const std::string text = "h\r\n\"a\nb\"\nc";
  CsvReader reader(text);
  reader.next();
  EXPECT_EQ(reader.line(), 1U);
  EXPECT_EQ(reader.offset(), 3U);
  reader.next();
  EXPECT_EQ(reader.line(), 2U);
  reader.next();
  EXPECT_EQ(reader.line(), 4U);
  EXPECT_EQ(reader.offset(), text.size());
}

TEST(CsvReader, ManyUnclosedQuotesStayLinear) {
  std::string text;
  for (int i = 0; i < 1000000; ++i) text += "\"\"\"\n";
  text += "\"x";
  size_t rows = 0;
  CsvReader reader(text);
  while (reader.next()) ++rows;
  EXPECT_GT(rows, 0U);
}

TEST(CsvRowOut, QuotesAsPythonDoes) {
  std::string out;
  append_csv_row(out, {"a", "b,c", "d\"e", "", "f\ng", " h"});
  append_csv_row(out, {""});
  EXPECT_EQ(out, "a,\"b,c\",\"d\"\"e\",,\"f\ng\", h\n\"\"\n");
}

TEST(CsvRowOut, ComesBackAsItWas) {
  const CsvRow row = {"", "\"", "a\r\nb", ",", "plain"};
  std::string out;
  append_csv_row(out, row);
  EXPECT_EQ(read_all(out).at(0), row);
}

}  // namespace
}  // namespace ks
