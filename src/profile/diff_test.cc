#include "profile/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::profile {
namespace {

using inductor::MetadataTable;
using testing::HasSubstr;

const std::vector<std::string> kColumns = {"kernel_name", "kernel_category", "xnumel",
                                           "source_hash", "duration_us",     "dram_bytes",
                                           "device",      "cache_control"};

MetadataTable table(std::vector<std::vector<std::string>> rows) {
  return {kColumns, std::move(rows), {}};
}

std::vector<std::string> row(const char* name, const char* hash, const char* us,
                             const char* device = "NVIDIA H200", const char* bytes = "1000000") {
  return {name, "pointwise", "1024", hash, us, bytes, device, "all"};
}

TEST(Diff, RanksChangesAndKeepsNoiseOut) {
  const TableDiff diff = diff_tables(
      table({row("a", "1", "10"), row("b", "2", "100"), row("c", "3", "50"), row("d", "4", "2")}),
      table({row("a", "1", "12"), row("b", "2", "60"), row("c", "3", "51"), row("d", "4", "2.3")}),
      {});
  ASSERT_EQ(diff.rows.size(), 4u);
  EXPECT_EQ(diff.rows[0].kernel, "b");
  EXPECT_EQ(diff.rows[0].change, Change::faster);
  EXPECT_EQ(diff.rows[0].delta_us, -40);
  EXPECT_EQ(diff.rows[1].kernel, "a");
  EXPECT_EQ(diff.rows[1].change, Change::slower);
  EXPECT_EQ(diff.same, 2u);  // 2 %, and 0.3 us
  EXPECT_EQ(diff.before_us, 162);
}

TEST(Diff, MatchesByHashThenByNameCategoryAndShape) {
  const TableDiff diff = diff_tables(
      table({row("triton_poi_add_0", "1", "10"), row("triton_poi_add_1", "2", "20")}),
      table({row("triton_poi_add_7", "2", "20"), row("triton_poi_add_9", "9", "30")}), {});
  ASSERT_EQ(diff.rows.size(), 2u);
  EXPECT_EQ(diff.rows[0].matched_by, "name, category and shape");
  EXPECT_EQ(diff.rows[0].before_us, 10);
  EXPECT_EQ(diff.rows[0].after_us, 30);
  EXPECT_EQ(diff.rows[1].matched_by, "source hash");
}

TEST(Diff, OtherShapesAreOtherKernels) {
  auto after = table({row("a", "2", "20")});
  after.rows[0][2] = "2048";
  const TableDiff diff = diff_tables(table({row("a", "1", "10")}), after, {});
  EXPECT_EQ(diff.only_before, 1u);
  EXPECT_EQ(diff.only_after, 1u);
}

TEST(Diff, OtherDevicesAndPoliciesDoNotCompare) {
  auto after = table({row("a", "1", "99", "NVIDIA A100"), row("b", "2", "99")});
  after.rows[1][7] = "none";
  const TableDiff diff = diff_tables(table({row("a", "1", "10"), row("b", "2", "10")}), after, {});
  EXPECT_EQ(diff.not_comparable, 2u);
  EXPECT_EQ(diff.slower, 0u);
  EXPECT_EQ(diff.rows[0].why, "device: NVIDIA H200 and NVIDIA A100");
  EXPECT_THAT(diff.rows[1].why, HasSubstr("cache_control"));
}

TEST(Diff, AKernelWithoutATimeDoesNotCompare) {
  const TableDiff diff = diff_tables(table({row("a", "1", "")}), table({row("a", "1", "5")}), {});
  EXPECT_EQ(diff.rows[0].change, Change::not_comparable);
  EXPECT_EQ(diff.rows[0].why, "no duration before");
}

TEST(Diff, RowsOfOneKernelCountOnce) {
  const TableDiff diff = diff_tables(table({row("a", "1", "10"), row("a", "1", "10")}),
                                     table({row("a", "1", "20"), row("a", "1", "20")}), {});
  EXPECT_EQ(diff.rows.size(), 1u);
  EXPECT_EQ(diff.after_us, 20);
}

TEST(Diff, SaysWhatElseChanged) {
  const TableDiff diff = diff_tables(table({row("a", "1", "10")}),
                                     table({row("a", "1", "10", "NVIDIA H200", "1500000")}), {});
  EXPECT_EQ(diff.rows[0].change, Change::same);
  EXPECT_EQ(diff.rows[0].why, "DRAM bytes +50.0 %");
}

TEST(Diff, TablesOfTheScriptCompare) {
  const auto before = inductor::read_metadata("kernel_name,ncu_duration_us\na,10\n");
  const auto after = inductor::read_metadata("kernel_name,ncu_duration_us\na,20\n");
  ASSERT_TRUE(before && after);
  EXPECT_EQ(diff_tables(*before, *after, {}).slower, 1u);
}

TEST(Diff, TextIsHarmlessAndLimited) {
  const TableDiff diff = diff_tables(table({row("a\x1b[2J", "1", "10"), row("b", "2", "10")}),
                                     table({row("a\x1b[2J", "1", "90"), row("b", "2", "20")}), {});
  const std::string text = diff_text(diff, 1, 80);
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_THAT(text, HasSubstr("2 slower"));
  EXPECT_THAT(text, HasSubstr("and 1 more"));
}

}  // namespace
}  // namespace ks::profile
