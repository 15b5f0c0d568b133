// CUPTI's host half for real: which counters exist on which chip, and in how many passes. Needs
// NVIDIA's library, but no GPU.

#include "profile/collector/host_config.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "profile/collector/collector.h"
#include "profile/metric_set.h"

namespace ks::collector {
namespace {

using testing::Contains;
using testing::HasSubstr;

class HostConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(KS_CUPTI_LIBRARY)) GTEST_SKIP() << "no libcupti on this machine";
    ASSERT_EQ(ks_open(KS_CUPTI_LIBRARY), 0) << ks_problem();
  }

  size_t passes(const std::string& chip, const std::string& set) {
    const Result<profile::MetricSet> metrics = profile::metric_set(set, chip);
    EXPECT_TRUE(metrics.has_value()) << metrics.error().message;
    HostConfig host;
    const Problem problem = host.open(chip, metrics->metrics);
    EXPECT_FALSE(problem) << chip << " " << set << ": " << problem.text;
    return host.passes();
  }
};

TEST_F(HostConfigTest, KnowsTheChipsOfItsTime) {
  EXPECT_THAT(HostConfig::chips(), Contains("GH100"));
  EXPECT_THAT(HostConfig::chips(), Contains("GB202"));
}

TEST_F(HostConfigTest, BasicIsOnePassFromAmpereOn) {
  for (const char* chip : {"GA100", "GA102", "AD102", "GH100", "GB100", "GB202"})
    EXPECT_EQ(passes(chip, "basic"), 1) << chip;
  EXPECT_EQ(passes("TU102", "basic"), 2);
}

TEST_F(HostConfigTest, EverySetIsValidOnEveryDiscreteChip) {
  for (const char* chip : {"TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"})
    for (const char* set : {"flops", "sol"}) EXPECT_GE(passes(chip, set), 2) << chip << " " << set;
}

TEST_F(HostConfigTest, ChipsWithoutDramCountersHaveTheRest) {
  for (const char* chip : {"GA10B", "GB20B"}) EXPECT_GE(passes(chip, "basic"), 1) << chip;
}

TEST_F(HostConfigTest, NamesTheMetricThatIsWrong) {
  HostConfig host;
  const Problem problem = host.open("GH100", {"gpu__time_duration.sum", "no__such.sum"});
  EXPECT_EQ(problem.code, Code::bad_metric);
  EXPECT_THAT(problem.text, HasSubstr("GH100 has no metric no__such.sum"));
}

TEST_F(HostConfigTest, AnUnknownChipIsAnError) {
  HostConfig host;
  EXPECT_TRUE(host.open("XX999", {"gpu__time_duration.sum"}));
}

TEST_F(HostConfigTest, CInterfaceCountsPasses) {
  uint32_t count = 0;
  EXPECT_EQ(ks_configure("GH100", "gpu__time_duration.sum,dram__bytes_read.sum", &count), 0);
  EXPECT_EQ(count, 1);
  EXPECT_THAT(ks_cupti_path(), HasSubstr("libcupti"));
}

TEST(Collector, SaysWhatIsMissingWithoutAGpu) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_NE(ks_attach(1), 0);
  EXPECT_THAT(ks_problem(), HasSubstr("libcuda"));
}

}  // namespace
}  // namespace ks::collector
