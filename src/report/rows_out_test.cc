#include "report/rows_out.h"

#include <gtest/gtest.h>

#include <limits>

namespace ks::report {
namespace {

using store::Cell;
using store::CellKind;

Cell text(std::string_view bytes, CellKind kind = CellKind::text) {
  Cell cell;
  cell.kind = kind;
  cell.bytes = bytes;
  return cell;
}

Cell integer(int64_t value) {
  Cell cell;
  cell.kind = CellKind::integer;
  cell.integer = value;
  return cell;
}

Cell real(double value) {
  Cell cell;
  cell.kind = CellKind::real;
  cell.real = value;
  return cell;
}

std::string print(RowFormat format, const std::vector<std::string>& names,
                  const std::vector<std::vector<Cell>>& rows) {
  std::string out;
  const auto printer =
      row_printer(format, [&](std::string_view piece) { return out += piece, true; }, {});
  std::vector<store::Column> columns;
  for (const std::string& name : names) columns.push_back({name, "VARCHAR", false});
  printer->columns(columns);
  for (const auto& row : rows) printer->row(row);
  printer->end();
  return out;
}

TEST(CsvRows, QuotesWhatNeedsIt) {
  EXPECT_EQ(
      print(RowFormat::csv, {"a", "b,c"}, {{text("x\"y"), text("1\n2")}, {Cell{}, integer(-5)}}),
      "a,\"b,c\"\n\"x\"\"y\",\"1\n2\"\n,-5\n");
}

TEST(JsonRows, OneObjectPerRow) {
  EXPECT_EQ(
      print(RowFormat::json, {"a", "a"},
            {{integer(1), text("[1,2]", CellKind::json)}, {Cell{}, text("q\"", CellKind::text)}}),
      "[\n{\"a\":1,\"a_2\":[1,2]},\n{\"a\":null,\"a_2\":\"q\\\"\"}\n]\n");
}

TEST(JsonRows, NoRowsIsAnEmptyArray) { EXPECT_EQ(print(RowFormat::json, {"a"}, {}), "[]\n"); }

TEST(JsonRows, NotANumberIsNull) {
  EXPECT_EQ(print(RowFormat::json, {"a"}, {{real(std::numeric_limits<double>::quiet_NaN())}}),
            "[\n{\"a\":null}\n]\n");
}

TEST(TableRows, BlobsAreDigitsAndTextIsHarmless) {
  EXPECT_EQ(print(RowFormat::table, {"a", "b"},
                  {{text(std::string_view("\x00\xff", 2), CellKind::blob), text("\x1b]0;t\x07")}}),
            "a     b\n00ff  \\x1b]0;t\\x07\n");
}

std::string print_two(RowFormat format) {
  std::string out;
  AnswerPrinter printer(format, [&](std::string_view piece) { return out += piece, true; }, {});
  const std::vector<store::Column> columns = {{"a", "INTEGER", true}};
  const std::vector<Cell> row = {integer(1)};
  for (size_t i = 0; i < 2; ++i) {
    store::RowSink* sink = printer.next(i, 2);
    sink->columns(columns);
    if (i == 0) sink->row(row);
  }
  printer.end();
  return out;
}

TEST(AnswerPrinter, SeveralAnswersAreApart) {
  EXPECT_EQ(print_two(RowFormat::csv), "a\n1\n\na\n");
  EXPECT_EQ(print_two(RowFormat::table), "a\n1\n\na\n");
  EXPECT_EQ(print_two(RowFormat::json), "[\n[\n{\"a\":1}\n]\n,\n[]\n]\n");
}

TEST(TableRows, LastColumnsGoFirstAndNumbersStayWhole) {
  std::string out;
  const auto printer = row_printer(
      RowFormat::table, [&](std::string_view piece) { return out += piece, true; }, {30, false});
  printer->columns(std::vector<store::Column>{
      {"name", "VARCHAR", false}, {"n", "BIGINT", true}, {"more", "VARCHAR", false}});
  printer->row(std::vector<Cell>{text("a_rather_long_name_of_a_kernel"), integer(12345678901),
                                 text("something")});
  printer->end();
  EXPECT_EQ(out,
            "name                         n\n"
            "a_rather…a_kernel  12345678901\n"
            "too narrow for: more (--csv and --json have all)\n");
}

TEST(CsvRows, StopsWhenNobodyReads) {
  const auto printer = row_printer(RowFormat::csv, [](std::string_view) { return false; }, {});
  const std::vector<Cell> row = {integer(1)};
  EXPECT_FALSE(printer->row(row));
}

}  // namespace
}  // namespace ks::report
