#include "report/diff_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/words.h"

namespace ks::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

store::DiffField field(std::string name, std::vector<store::DiffValue> values) {
  store::DiffField f;
  f.name = std::move(name), f.distinct = values.size(), f.varies = values.size() > 1;
  for (const auto& value : values) f.present += value.launches;
  f.values = std::move(values);
  return f;
}

// Three launches: grid and n together, another field only in the last, a pointer and a pid.
store::KernelDiff example() {
  store::KernelDiff diff;
  diff.fields = {field("grid", {{"[64,1,1]", 2, {{0, 1}}}, {"[1,1,1]", 1, {{2, 2}}}}),
                 field("extracted_args.n.value", {{"8192", 2, {{0, 1}}}, {"128", 1, {{2, 2}}}}),
                 field("extracted_args.BLOCK.value", {{"128", 3, {{0, 2}}}}),
                 field("extracted_args.x.data_ptr", {}),
                 field("pid", {{"1", 1, {{0, 0}}}, {"2", 2, {{1, 2}}}})};
  diff.fields[3].is_pointer = true, diff.fields[3].distinct = 2, diff.fields[3].present = 3;
  diff.fields[3].aligned = 2, diff.fields[3].varies = true;
  diff.fields[4].is_volatile = true;
  diff.lock_steps = {{2, {"grid", "extracted_args.n.value"}}};
  diff.configurations = {
      {2, {{0, 1}}, {{"grid", "[64,1,1]"}, {"extracted_args.n.value", "8192"}}, {{"/a/b.py:7", 2}}},
      {1, {{2, 2}}, {{"grid", "[1,1,1]"}, {"extracted_args.n.value", std::nullopt}}, {}}};
  return diff;
}

store::KernelRow kernel() {
  store::KernelRow row;
  row.name = "add", row.user_launches = 3;
  return row;
}

TEST(DiffText, FieldsThatMoveTogetherAreOneTable) {
  const std::string text = diff_text(kernel(), example(), {100, false});
  EXPECT_THAT(text, HasSubstr("Vary together: 2 fields, 2 combinations\n"
                              "    launches  at       grid     n\n"
                              "           2  0-1  [64,1,1]  8192\n"
                              "           1  2     [1,1,1]   128\n"));
}

TEST(DiffText, SameFieldsAreFolded) {
  const std::string text = diff_text(kernel(), example(), {100, false});
  EXPECT_THAT(text, HasSubstr("Same in all launches (1 field)\n    BLOCK:  value=128\n"));
}

TEST(DiffText, PointersAndVolatileFieldsAreApart) {
  const std::string text = diff_text(kernel(), example(), {100, false});
  EXPECT_THAT(text, HasSubstr("x.data_ptr         2           2 of 3"));
  EXPECT_THAT(text, HasSubstr("pid (2)"));
  EXPECT_THAT(text, Not(HasSubstr("Varies: pid")));
}

TEST(DiffText, OneLaunchCannotDiffer) {
  store::KernelRow row = kernel();
  row.user_launches = 1;
  EXPECT_THAT(diff_text(row, example(), {}), HasSubstr("One launch, so nothing differs"));
}

TEST(DiffText, SaysWhereArgumentsWereNotRecorded) {
  store::KernelDiff diff;
  diff.fields = {field("name", {{"\"add\"", 3, {{0, 2}}}})};
  diff.configurations = {{3, {{0, 2}}, {}, {{"/a/b.py:7", 2}, {"/a/b.py:9", 1}}}};
  EXPECT_THAT(diff_text(kernel(), diff, {}),
              HasSubstr("Arguments not recorded in this trace: whether they vary is not known."));
  EXPECT_THAT(configurations_text(kernel(), diff, {}),
              HasSubstr("Launches (3 user launches; arguments not recorded in this trace)"));
  diff.fields.push_back(field("extracted_args.n.value", {{"1", 3, {{0, 2}}}}));
  EXPECT_THAT(diff_text(kernel(), diff, {}),
              HasSubstr("Arguments and grid are the same in all launches"));
}

TEST(DiffText, WhatInductorSetIsOneLine) {
  store::KernelDiff diff;
  diff.fields = {field("extracted_args.n.value", {{"1", 3, {{0, 2}}}}),
                 field("extracted_inductor_args.n.value", {{"1", 3, {{0, 2}}}}),
                 field("extracted_inductor_args.B.type", {{"\"int\"", 3, {{0, 2}}}}),
                 field("extracted_inductor_args.B.value", {{"64", 3, {{0, 2}}}}),
                 field("extracted_inductor_args.K.value", {{"true", 3, {{0, 2}}}})};
  EXPECT_THAT(diff_text(kernel(), diff, {}),
              HasSubstr("    n:  value=1\n    set by Inductor:  B=64  K=true\n"));
  EXPECT_EQ(short_field("extracted_inductor_args.ks0.value"), "inductor.ks0");
}

TEST(ConfigurationsText, EveryCallSiteWithAll) {
  store::KernelDiff diff = example();
  diff.configurations[0].call_sites = {{"/a/b.py:7", 1}, {"/a/c.py:8", 1}};
  const std::string text = configurations_text(kernel(), diff, {});
  EXPECT_THAT(text, HasSubstr("b.py:7 +1 more"));
  EXPECT_THAT(text, HasSubstr("--all lists every call site"));
  EXPECT_THAT(configurations_text(kernel(), diff, {}, true),
              HasSubstr("         1  0-1  /a/c.py:8\n"));
}

TEST(DiffText, NarrowTerminalGetsMoreBands) {
  const std::string text = diff_text(kernel(), example(), {30, false});
  EXPECT_THAT(text, HasSubstr("at       grid\n"));
  EXPECT_THAT(text, HasSubstr("at      n\n"));
}

TEST(ConfigurationsText, NamedAfterTheArgument) {
  const std::string text = configurations_text(kernel(), example(), {100, false});
  EXPECT_THAT(text, HasSubstr("  launches  at   call site       n\n"
                              "         2  0-1  b.py:7       8192\n"
                              "         1  2               absent\n"));
  EXPECT_THAT(text, HasSubstr("n moves with grid"));
}

TEST(DiffJson, ValuesAreJson) {
  EXPECT_THAT(diff_json(kernel(), example()),
              HasSubstr(R"({"value":[64,1,1],"launches":2,"at":[[0,1]]})"));
}

TEST(ShortField, DropsWhatAllShare) {
  EXPECT_EQ(short_field("extracted_args.n.value"), "n");
  EXPECT_EQ(short_field("extracted_args.x.shape"), "x.shape");
  EXPECT_EQ(short_field("compilation_metadata.num_warps"), "meta.num_warps");
  EXPECT_EQ(short_field("grid"), "grid");
}

TEST(RangesText, SaysHowManyMore) {
  EXPECT_EQ(ranges_text({{0, 2}, {4, 4}}), "0-2, 4");
  EXPECT_EQ(ranges_text({{0, 0}, {2, 2}, {4, 4}}, 2), "0, 2, … 1 more");
}

}  // namespace
}  // namespace ks::report
