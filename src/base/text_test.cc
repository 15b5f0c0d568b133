#include "base/text.h"

#include <gtest/gtest.h>

namespace ks {

TEST(Text, GlobMatchesWholeNames) {
  EXPECT_TRUE(glob_match("triton_*", "triton_poi_fused_1"));
  EXPECT_TRUE(glob_match("*mm*_?", "addmm_kernel_3"));
  EXPECT_TRUE(glob_match("[a-c]x[!0]", "bx1"));
  EXPECT_FALSE(glob_match("add", "add_kernel"));
  EXPECT_FALSE(glob_match("[!a]b", "ab"));
  EXPECT_TRUE(glob_match("a[b", "a[b"));
  EXPECT_TRUE(glob_match("**", ""));
}

TEST(Text, GlobWithManyStarsIsNotExponential) {
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*b", std::string(20000, 'a')));
}

TEST(Text, NearestFindsTypos) {
  const std::vector<std::string> names = {"matmul_kernel", "softmax_kernel", "add_kernel"};
  EXPECT_EQ(nearest("matmul_kernl", names), (std::vector<std::string>{"matmul_kernel"}));
  EXPECT_TRUE(nearest("zzz", names).empty());
}

TEST(Text, HumanNumbers) {
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1234567), "1.2 MB");
  EXPECT_EQ(human_bytes(999999), "1.0 MB");
  EXPECT_EQ(human_count(1234567), "1,234,567");
  EXPECT_EQ(human_count(12), "12");
}

TEST(Text, ShortenMiddleCountsCharactersNotBytes) {
  EXPECT_EQ(shorten_middle("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(shorten_middle("éééééé", 5), "éé…éé");
  EXPECT_EQ(shorten_middle("abc", 5), "abc");
}

TEST(Text, SplitAndTrim) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(trim(" \t x y\r\n"), "x y");
}

}  // namespace ks
