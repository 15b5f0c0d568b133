#include "profile/ncu_names.h"

#include <gtest/gtest.h>

namespace ks::profile {
namespace {

TEST(NcuNames, BareName) {
  EXPECT_EQ(bare_kernel_name("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
  EXPECT_EQ(bare_kernel_name("void at::native::elementwise_kernel<4, at::F<int>>(int, char*)"),
            "elementwise_kernel");
  EXPECT_EQ(bare_kernel_name("copy_blocked[v1,cw51](Array<long long, 1>, long long)"),
            "copy_blocked");
  EXPECT_EQ(bare_kernel_name(""), "");
}

TEST(NcuNames, SameKernel) {
  EXPECT_TRUE(same_kernel("triton_a_1", "triton_a_1"));
  EXPECT_TRUE(same_kernel("triton_a_1", "triton_a_1(float *, int)"));
  EXPECT_TRUE(same_kernel("triton_red_fused_long_name_21", "triton_red_fused_lon..."));
  EXPECT_TRUE(same_kernel("triton_", "triton__0d1d2de"));
  EXPECT_TRUE(same_kernel("triton_", "triton__0d1d2d3d4d5d6d7d8d9d10d11"));
  EXPECT_TRUE(same_kernel("triton_", "triton__012"));
  EXPECT_TRUE(same_kernel("triton_poi_fused_add_0", "triton_poi_fused_add_0_0d1d2"));
}

TEST(NcuNames, OtherKernel) {
  EXPECT_FALSE(same_kernel("triton_a_1", "triton_a_10"));
  EXPECT_FALSE(same_kernel("triton_a_1", "triton_a_1_2"));
  EXPECT_FALSE(same_kernel("triton_a", "triton_a_0"));
  EXPECT_FALSE(same_kernel("triton_a", "triton_a_1d2d"));
  EXPECT_FALSE(same_kernel("triton_b", "triton_a..."));
  EXPECT_FALSE(same_kernel("triton_b", "..."));
  EXPECT_FALSE(same_kernel("", "triton_b"));
  EXPECT_FALSE(same_kernel("triton_b", ""));
}

}  // namespace
}  // namespace ks::profile
