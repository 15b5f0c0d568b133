#include "profile/plan.h"

#include <gtest/gtest.h>

namespace ks::profile {
namespace {

RowKernel row(const char* name, const char* hash, const char* category = "pointwise") {
  RowKernel r;
  r.kernel = name;
  r.source_hash = hash;
  r.category = category;
  r.path = r.named_path = std::string("/k/c") + hash + ".py";
  return r;
}

TEST(Plan, EachKernelOnceAndEveryRowHasItsPlace) {
  const Plan plan = make_plan({row("a", "1"), row("b", "2"), row("a", "1")}, {});
  ASSERT_EQ(plan.kernels.size(), 2u);
  EXPECT_EQ(plan.kernel_of_row, (std::vector<size_t>{0, 1, 0}));
  EXPECT_EQ(plan.kernels[1].task.id, 1u);
  EXPECT_EQ(plan.kernels[1].task.path, "/k/c2.py");
  EXPECT_EQ(plan.kernels[1].stem, "c2");
}

TEST(Plan, WithoutAHashOnlyTheSameFileIsTheSameKernel) {
  RowKernel a = row("triton_", ""), b = row("triton_", "");
  b.named_path = "/k/other.py";
  EXPECT_EQ(make_plan({a, b, a}, {}).kernel_of_row, (std::vector<size_t>{0, 1, 0}));
}

TEST(Plan, FiltersSayWhoLeftARowOut) {
  Selection selection;
  selection.kernel_glob = "triton_*";
  selection.category = "reduction";
  selection.limit = 1;
  const Plan plan = make_plan(
      {row("triton_a", "1", "reduction"), row("x", "2", "reduction"), row("triton_b", "3"),
       row("triton_c", "4", "reduction"), row("triton_a", "1", "reduction")},
      selection);
  EXPECT_EQ(plan.left_out_by,
            (std::vector<std::string>{"", "--kernel", "--category", "--limit", ""}));
  EXPECT_EQ(plan.rows_left_out, 3u);
  EXPECT_EQ(plan.kernel_of_row[4], 0u);
  EXPECT_EQ(plan.kernel_of_row[1], Plan::kNone);
}

TEST(Plan, ShardsShareTheKernelsOut) {
  std::vector<RowKernel> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(row("k", std::to_string(i).c_str()));
  size_t kernels = 0;
  for (uint64_t i = 0; i < 3; ++i) {
    Selection selection;
    selection.shard = {i, 3, ""};
    kernels += make_plan(rows, selection).kernels.size();
  }
  EXPECT_EQ(kernels, 100u);
}

TEST(Plan, WhatCannotRunIsPlannedForTheCacheToAnswer) {
  RowKernel r = row("a", "1");
  r.blocked = Status::no_file;
  r.reason = "gone";
  const Plan plan = make_plan({r}, {});
  ASSERT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(plan.kernels[0].blocked, Status::no_file);
  EXPECT_EQ(plan.kernels[0].reason, "gone");
}

}  // namespace
}  // namespace ks::profile
