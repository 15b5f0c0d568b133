#include "report/kernel_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

store::KernelRow kernel(uint64_t id, std::string name, uint64_t launches, std::string status) {
  store::KernelRow row;
  row.id = id, row.name = std::move(name), row.user_launches = launches;
  row.status = std::move(status), row.compilation_seen = true, row.hash = "0123456789";
  return row;
}

std::vector<store::KernelRow> example() {
  std::vector<store::KernelRow> kernels = {
      kernel(0, "b", 2, "launched"), kernel(1, "a", 0, "autotune candidate, not chosen"),
      kernel(2, "c", 9, "launched"), kernel(3, "a", 0, "not launched")};
  kernels[1].benchmark_launches = 40;
  kernels[0].cold_us = 1500;
  return kernels;
}

std::vector<uint64_t> ids(const KernelChoice& choice) {
  static const std::vector<store::KernelRow> kernels = example();
  std::vector<uint64_t> found;
  const auto list = choose_kernels(kernels, choice);
  for (const auto* kernel : list->shown) found.push_back(kernel->id);
  return found;
}

TEST(ChooseKernels, HidesCandidatesAndSorts) {
  EXPECT_THAT(ids({}), ElementsAre(2, 0, 3));
  EXPECT_THAT(ids({.filter = "", .all = true}), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(ids({.sort = "name", .filter = "", .all = true}), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(ids({.sort = "order", .filter = ""}), ElementsAre(0, 2, 3));
  EXPECT_THAT(ids({.sort = "compile-time", .filter = "", .limit = 1}), ElementsAre(0));
  EXPECT_THAT(ids({.filter = "[bc]"}), ElementsAre(2, 0));
}

TEST(ChooseKernels, UnknownKeyIsAnError) {
  EXPECT_FALSE(choose_kernels(example(), {.sort = "colour", .filter = ""}));
}

TEST(KernelTable, SaysWhatIsNotShown) {
  const auto kernels = example();
  const std::string text = kernel_table(*choose_kernels(kernels, {.filter = "", .limit = 2}), {});
  EXPECT_THAT(text, HasSubstr("\n4 kernels: 2 launched, 1 never launched, 1 autotune candidate not "
                              "chosen\n51 launches: 11 by the program, 40 by autotuners"));
  EXPECT_THAT(text, HasSubstr("\n2 of 4 listed: --all --limit 0 lists the others\n"));
  EXPECT_THAT(kernel_table(*choose_kernels(kernels, {.filter = ""}), {}),
              HasSubstr("\n3 of 4 listed: --all lists the candidates too\n"));
  EXPECT_THAT(kernel_table(*choose_kernels(kernels, {.filter = "", .all = true}), {}),
              Not(HasSubstr("listed")));
}

TEST(KernelTable, CountsWhatFits) {
  const auto kernels = example();
  EXPECT_THAT(kernel_table(*choose_kernels(kernels, {.filter = "b"}), {}),
              HasSubstr("\n1 kernel fits b: 1 launched\n2 launches: 2 by the program\n"));
  EXPECT_EQ(kernel_table(*choose_kernels(kernels, {.filter = "zz*"}), {}), "no kernel fits zz*\n");
}

TEST(VariantTable, ConstantsThatDifferHaveColumns) {
  const auto kernels = example();
  const KernelConstants constants = {{0, {{"A", "1"}, {"BLOCK", "64"}}},
                                     {2, {{"A", "1"}, {"BLOCK", "128"}}}};
  const std::string text = variant_table({&kernels[0], &kernels[2]}, constants, {});
  EXPECT_THAT(text, HasSubstr("launches  BLOCK"));
  EXPECT_THAT(text, Not(HasSubstr("A")));
}

TEST(KernelTable, CsvHasAColumnForEachField) {
  const auto kernels = example();
  const std::string csv = kernel_csv(*choose_kernels(kernels, {.filter = "c"}));
  const size_t end = csv.find('\n');
  EXPECT_EQ(std::count(csv.begin(), csv.begin() + end, ','),
            std::count(csv.begin() + end + 1, csv.end(), ','));
  EXPECT_THAT(csv, HasSubstr("\nc,c,1,0123456789,9,"));
}

TEST(KernelTable, JsonHasNullForUnknown) {
  const auto kernels = example();
  const std::string json = kernel_json(*choose_kernels(kernels, {.filter = "c"}));
  EXPECT_THAT(json, HasSubstr(R"("name":"c")"));
  EXPECT_THAT(json, HasSubstr(R"("registers":null)"));
  EXPECT_THAT(json, Not(HasSubstr(",,")));
}

}  // namespace
}  // namespace ks::report
