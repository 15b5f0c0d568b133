#include "report/kernel_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

store::KernelRow kernel(uint64_t id, std::string name, uint64_t variant) {
  store::KernelRow row;
  row.id = id, row.name = std::move(name), row.variant = variant, row.variants = 2;
  row.hash = "0123456789abcdef", row.compilation_seen = true, row.num_warps = 4;
  return row;
}

store::AutotuneRow config(std::string session, uint64_t id, uint64_t benchmark, bool winner) {
  store::AutotuneRow row;
  row.session = std::move(session), row.autotuner = "inductor", row.call_site = "/a/b.py:9";
  row.kernel = id, row.benchmark_launches = benchmark, row.winner = winner;
  return row;
}

const std::vector<store::KernelRow> kKernels = {kernel(0, "mm", 1), kernel(1, "mm", 2),
                                                kernel(2, "other", 1)};

TEST(KernelPage, HeaderLeavesOutWhatIsNotKnown) {
  store::KernelRow row = kernel(0, "mm", 1);
  row.benchmark_launches = 1234, row.cold_compilations = 1, row.cold_us = 12345;
  const std::string text = kernel_page(row, {}, {}, kKernels, {}, {});
  EXPECT_THAT(text, HasSubstr("mm#1\n  hash         0123456789abcdef\n"));
  EXPECT_THAT(text, HasSubstr("  launches     0 user launches, 1,234 benchmark\n"));
  EXPECT_THAT(text, HasSubstr("  compiled     1 cold (12.3 ms)\n"));
  EXPECT_THAT(text, Not(HasSubstr("resources")));
}

TEST(KernelPage, AutotuneShowsConfigsOfTheNameOnly) {
  store::KernelDetails details;
  details.autotune = {config("a", 0, 0, false), config("a", 2, 0, false),  // compiled ahead
                      config("b", 0, 10, false), config("b", 1, 20, true)};
  const std::string text = kernel_page(kKernels[1], details, {}, kKernels, {}, {});
  EXPECT_THAT(
      text, HasSubstr("Compiled ahead of autotuning at b.py:9, with 1 config of other kernels\n"));
  EXPECT_THAT(text, HasSubstr("Autotuned by inductor at b.py:9: 2 configs\n"));
  EXPECT_THAT(text, HasSubstr("  winner, this one  mm#2    01234567      4         20     0\n"));
  EXPECT_THAT(text, Not(HasSubstr("other#1")));
}

TEST(KernelPage, ConstantsTellConfigsApart) {
  store::KernelDetails details;
  details.autotune = {config("b", 0, 10, false), config("b", 1, 20, true)};
  const KernelConstants constants = {{0, {{"BLOCK", "64"}, {"T", "fp16"}}},
                                     {1, {{"BLOCK", "128"}, {"T", "fp16"}}}};
  const std::string text = kernel_page(kKernels[0], details, {}, kKernels, constants, {});
  EXPECT_THAT(text, HasSubstr("  constants    BLOCK=64 T=fp16\n"));
  EXPECT_THAT(text, HasSubstr("  winner    mm#2    01234567    128      4         20     0\n"
                              "  this one  mm#1    01234567     64      4         10     0\n"));
  EXPECT_THAT(kernel_page_json(kKernels[0], details, {}, constants),
              HasSubstr(R"("constants":{"BLOCK":"128","T":"fp16"})"));
}

TEST(KernelPage, LongListsAreCutUnlessAll) {
  store::KernelDetails details;
  for (int i = 0; i < 40; ++i) details.autotune.push_back(config("b", 0, 1, false));
  details.autotune.push_back(config("b", 1, 1, true));
  details.compilations.resize(20);
  const std::string cut = kernel_page(kKernels[0], details, {}, kKernels, {}, {});
  EXPECT_THAT(cut, HasSubstr("41 configs"));
  EXPECT_THAT(cut, HasSubstr("\n  winner "));
  EXPECT_THAT(cut, HasSubstr("  … 25 more: --all\n"));
  EXPECT_THAT(cut, HasSubstr("  … 12 more: --all\n"));
  EXPECT_THAT(kernel_page(kKernels[0], details, {}, kKernels, {}, {}, true),
              Not(HasSubstr("more")));
}

TEST(KernelPage, CoverageInPercent) {
  store::KernelDetails details;
  details.artifacts = {{0, "ttir", "mm.ttir", 2000, 40, 15, 4, 1}};
  EXPECT_THAT(kernel_page(kKernels[0], details, {}, kKernels, {}, {}),
              HasSubstr("  ttir      40    20  15 (75 %)         4            1  2.0 kB\n"));
}

TEST(LaunchesText, ArgumentsFirstAndNoDerivedSizes) {
  store::LaunchList list;
  list.total = 3;
  list.launches = {{5,
                    "user",
                    0,
                    std::nullopt,
                    "[4]",
                    "/a/b.py:9",
                    {{"extracted_args.x.shape", "[8]"},
                     {"extracted_args.x.numel", "8"},
                     {"extracted_args.n.value", "8"}}}};
  const std::string text = launches_text(list, {});
  EXPECT_THAT(text, HasSubstr("[4]   b.py:9     n=8 x.shape=[8]\n"));
  EXPECT_THAT(text, HasSubstr("… 2 more"));
}

}  // namespace
}  // namespace ks::report
