#include "profile/metric_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::profile {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

TEST(MetricSet, BasicIsTheOnePassSet) {
  const auto set = metric_set("basic");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->metrics.size(), 20u);
  EXPECT_THAT(set->metrics, Contains("dram__bytes_read.sum"));
}

TEST(MetricSet, OthersHaveBasicInThem) {
  const auto basic = metric_set("basic")->metrics;
  EXPECT_THAT(metric_set("sol")->metrics, IsSupersetOf(basic));
  EXPECT_THAT(metric_set("flops")->metrics, IsSupersetOf(basic));
}

TEST(MetricSet, NamesFollowTheChip) {
  const auto workstation = metric_set("basic", "GB202")->metrics;
  EXPECT_THAT(workstation, Contains("dram__bytes_op_read.sum"));
  EXPECT_THAT(workstation, Not(Contains("dram__bytes_read.sum")));
  const auto integrated = metric_set("sol", "GB20B")->metrics;
  for (const auto& name : integrated) EXPECT_FALSE(name.starts_with("dram")) << name;
  EXPECT_THAT(metric_set("flops", "GH100")->metrics, Contains("sm__ops_path_tensor_src_fp16.sum"));
  EXPECT_THAT(metric_set("flops", "GA100")->metrics,
              Not(Contains("sm__ops_path_tensor_src_fp16.sum")));
  const auto turing = metric_set("flops", "TU102")->metrics;
  for (const auto& name : turing) {
    EXPECT_FALSE(name.starts_with("sm__ops_path_tensor")) << name;
  }
}

TEST(MetricSet, AListKeepsItsOrderAndLosesDuplicates) {
  const auto set = metric_set(" dram__bytes.sum, gpu__time_duration.sum,dram__bytes.sum,");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->name, "custom");
  EXPECT_EQ(set->metrics, (std::vector<std::string>{"dram__bytes.sum", "gpu__time_duration.sum"}));
}

TEST(MetricSet, AnythingButNamesIsRefused) {
  for (const char* text : {"", ",", "full", "a__b.sum;rm", "a__b.sum --x", "$(x)__y",
                           "regex:dram__.*", "a__b\nc__d", "Basic"}) {
    EXPECT_FALSE(metric_set(text)) << text;
  }
}

TEST(MetricSet, KeyDoesNotDependOnOrder) {
  EXPECT_EQ(metric_set_key(*metric_set("b__x.sum,a__x.sum")),
            metric_set_key(*metric_set("a__x.sum,b__x.sum")));
  EXPECT_NE(metric_set_key(*metric_set("basic")), metric_set_key(*metric_set("sol")));
}

}  // namespace
}  // namespace ks::profile
