#include "profile/lookup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace ks::profile {
namespace {

class LookupTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ks_lookup_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Cache cache() const { return *Cache::open(folder_); }
  void put(const RunKey& run, const char* device, double ns, Status status = Status::ok,
           const char* hash = "aa") {
    Measurement m;
    m.status = status;
    m.metrics["gpu__time_duration.sum"] = ns;
    ASSERT_TRUE(cache().put(cache_key(run, kernel(hash), device), m));
  }
  static PlannedKernel kernel(const char* hash) {
    PlannedKernel k;
    k.task.kernel = "triton_a";
    k.task.source_hash = hash;
    return k;
  }
  std::optional<double> indexed(const RunKey& run, const char* hash = "aa") const {
    const auto found = CacheIndex::read(cache())->find(run, kernel(hash));
    return found ? found->metric("gpu__time_duration.sum") : std::nullopt;
  }
  std::string folder_;
};

RunKey run_on(const char* device) {
  RunKey run;
  if (*device) run.devices = {device};
  run.driver = *device ? "580" : "";
  run.versions = *device ? Versions{"2.11", "3.6", "13.0"} : Versions();
  run.source = *device ? "cupti" : "";
  run.policy.metrics = *metric_set("basic");
  return run;
}

TEST_F(LookupTest, EveryKnownPartMustBeEqual) {
  const RunKey run = run_on("H200");
  put(run, "H200", 5);
  EXPECT_TRUE(find_cached(cache(), run, kernel("aa")));
  EXPECT_FALSE(find_cached(cache(), run, kernel("bb")));
  RunKey other = run;
  other.versions.triton = "3.7";
  EXPECT_FALSE(find_cached(cache(), other, kernel("aa")));
  other = run;
  other.policy.metrics = *metric_set("sol");
  EXPECT_FALSE(find_cached(cache(), other, kernel("aa")));
}

TEST_F(LookupTest, AnyGpuOfTheMachineWillDo) {
  put(run_on("H200"), "H200", 5);
  RunKey run = run_on("A100");
  run.devices.push_back("H200");
  EXPECT_TRUE(find_cached(cache(), run, kernel("aa")));
}

TEST_F(LookupTest, WithoutAGpuUnknownPartsMatchAnyButThePolicyCounts) {
  put(run_on("H200"), "H200", 5);
  EXPECT_EQ(indexed(run_on("")), 5);
  RunKey warm = run_on("");
  warm.policy.cache_control = "none";
  EXPECT_EQ(indexed(warm), std::nullopt);
  EXPECT_EQ(indexed(run_on("A100")), std::nullopt);
}

TEST_F(LookupTest, SuccessGoesBeforeFailureAndCountersBeforeTime) {
  RunKey time = run_on("H200");
  time.source = "time";
  put(time, "H200", 1);
  EXPECT_EQ(indexed(run_on("")), 1);
  put(run_on("H200"), "H200", 2);
  EXPECT_EQ(indexed(run_on("")), 2);
  put(run_on("B200"), "B200", 3, Status::timeout);
  EXPECT_EQ(indexed(run_on("")), 2);
}

TEST_F(LookupTest, AKernelWithoutHashIsFoundByANameThatIsUnique) {
  put(run_on("H200"), "H200", 5);
  EXPECT_EQ(indexed(run_on(""), ""), 5);
  put(run_on("H200"), "H200", 6, Status::ok, "bb");
  EXPECT_EQ(indexed(run_on(""), ""), std::nullopt);
}

}  // namespace
}  // namespace ks::profile
