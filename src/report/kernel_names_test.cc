#include "report/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

store::KernelRow kernel(std::string name, uint64_t variant, uint64_t variants, std::string hash,
                        uint64_t launches = 0) {
  store::KernelRow row;
  row.name = std::move(name), row.variant = variant, row.variants = variants;
  row.hash = std::move(hash), row.user_launches = launches;
  return row;
}

const std::vector<store::KernelRow> kKernels = {
    kernel("add_kernel", 1, 1, "aaaa1111"), kernel("matmul_kernel", 1, 2, "aaaa2222", 3),
    kernel("matmul_kernel", 2, 2, "BBBB3333", 7), kernel("cafe", 1, 1, "0123"),
    kernel("odd#2", 1, 1, "4567")};

std::vector<std::string> found(std::string_view typed) {
  std::vector<std::string> hashes;
  for (const auto* match : find_kernels(kKernels, typed).kernels) hashes.push_back(match->hash);
  return hashes;
}

TEST(FindKernels, ByName) {
  EXPECT_THAT(found("matmul_kernel"), ElementsAre("aaaa2222", "BBBB3333"));
}
TEST(FindKernels, ByNumber) { EXPECT_THAT(found("matmul_kernel#2"), ElementsAre("BBBB3333")); }
TEST(FindKernels, ByGlob) {
  EXPECT_THAT(found("*_kernel"), ElementsAre("aaaa1111", "aaaa2222", "BBBB3333"));
}
TEST(FindKernels, ByHash) {
  EXPECT_THAT(found("aaaa2"), ElementsAre("aaaa2222"));
  EXPECT_THAT(found("bbbb"), ElementsAre("BBBB3333"));
  EXPECT_TRUE(find_kernels(kKernels, "aaaa").by_hash);
}
TEST(FindKernels, ThreeDigitsAreNoHash) { EXPECT_THAT(found("aaa"), IsEmpty()); }
TEST(FindKernels, NameBeforeHash) { EXPECT_THAT(found("cafe"), ElementsAre("0123")); }
TEST(FindKernels, NameThatLooksLikeANumber) { EXPECT_THAT(found("odd#2"), ElementsAre("4567")); }

TEST(FindKernels, NearestNames) {
  EXPECT_THAT(find_kernels(kKernels, "matmul_kernl").nearest, ElementsAre("matmul_kernel"));
  EXPECT_THAT(find_kernels(kKernels, "matmul").nearest, ElementsAre("matmul_kernel"));
  EXPECT_THAT(find_kernels(kKernels, "matmul#2").nearest, ElementsAre("matmul_kernel#2"));
  EXPECT_THAT(find_kernels(kKernels, "kernel").nearest, ElementsAre("add_kernel", "matmul_kernel"));
  EXPECT_THAT(find_kernels(kKernels, "xyzzy_plugh_quux").nearest, IsEmpty());
}

TEST(FindKernels, NumberThatTheNameLacks) {
  const KernelMatch match = find_kernels(kKernels, "matmul_kernel#9");
  EXPECT_THAT(match.nearest, ElementsAre("matmul_kernel"));
  EXPECT_EQ(match.variants, 2U);
  EXPECT_EQ(find_kernels(kKernels, "matmul#9").variants, 0U);
  EXPECT_EQ(find_kernels(kKernels, "add_kernel#2").variants, 1U);
}

TEST(FindKernels, SaysHowManyMoreNamesBeginSo) {
  std::vector<store::KernelRow> many;
  for (const char* name : {"fused_a", "fused_b", "fused_c", "fused_d", "not_fused"}) {
    many.push_back(kernel(name, 1, 1, "aaaa1111"));
  }
  const KernelMatch match = find_kernels(many, "fused");
  EXPECT_THAT(match.nearest, ElementsAre("fused_a", "fused_b", "fused_c"));
  EXPECT_EQ(match.more, 2U);
}

TEST(KernelLabel, NumberOnlyWhereThereAreSeveral) {
  EXPECT_EQ(kernel_label(kKernels[0]), "add_kernel");
  EXPECT_EQ(kernel_label(kKernels[2]), "matmul_kernel#2");
}

TEST(MostLaunched, FirstOfEquals) {
  EXPECT_EQ(most_launched({&kKernels[1], &kKernels[2]}), &kKernels[2]);
  EXPECT_EQ(most_launched({&kKernels[3], &kKernels[0]}), &kKernels[3]);
  EXPECT_EQ(most_launched({}), nullptr);
}

}  // namespace
}  // namespace ks::report
