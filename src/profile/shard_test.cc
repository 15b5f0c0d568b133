#include "profile/shard.h"

#include <gtest/gtest.h>

#include <map>

namespace ks::profile {
namespace {

Lookup of(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Shard, IsWhatItSays) {
  const auto shard = read_shard("2/8", of({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "8"}}));
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->index, 2u);
  EXPECT_EQ(shard->count, 8u);
}

TEST(Shard, NonsenseIsRefused) {
  for (const char* text :
       {"", "/", "1", "1/", "/2", "2/2", "-1/2", "0/0", "1/2/3", "a/b", " 0/2"}) {
    EXPECT_FALSE(read_shard(text, of({}))) << text;
  }
}

TEST(Shard, AutoTakesTheTaskOfAStep) {
  const auto shard = read_shard("auto", of({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}));
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->index, 3u);
  EXPECT_EQ(shard->count, 4u);
  EXPECT_EQ(shard->origin, "SLURM_PROCID of SLURM_NTASKS");
}

TEST(Shard, AutoTakesTheTaskOfAnArrayFromItsLeastNumber) {
  const auto array = of({{"SLURM_PROCID", "0"},
                         {"SLURM_NTASKS", "1"},
                         {"SLURM_ARRAY_TASK_ID", "7"},
                         {"SLURM_ARRAY_TASK_MIN", "5"},
                         {"SLURM_ARRAY_TASK_COUNT", "4"}});
  const auto shard = read_shard("auto", array);
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->index, 2u);
  EXPECT_EQ(shard->count, 4u);
}

TEST(Shard, AnArrayWithGapsIsRefused) {
  EXPECT_FALSE(read_shard("auto", of({{"SLURM_ARRAY_TASK_ID", "9"},
                                      {"SLURM_ARRAY_TASK_MIN", "1"},
                                      {"SLURM_ARRAY_TASK_COUNT", "3"}})));
}

TEST(Shard, AutoOutsideOfSlurmIsAnError) { EXPECT_FALSE(read_shard("auto", of({}))); }

TEST(Shard, OneTaskDoesAll) {
  const auto shard = read_shard("auto", of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}));
  ASSERT_TRUE(shard);
  EXPECT_TRUE(in_shard(*shard, "anything"));
}

TEST(Shard, EveryKernelIsInExactlyOnePart) {
  std::map<uint64_t, int> sizes;
  for (int k = 0; k < 4000; ++k) {
    int parts = 0;
    for (uint64_t i = 0; i < 8; ++i) {
      if (!in_shard({i, 8, ""}, "hash" + std::to_string(k))) continue;
      ++parts;
      ++sizes[i];
    }
    EXPECT_EQ(parts, 1);
  }
  for (const auto& [index, size] : sizes) EXPECT_NEAR(size, 500, 100) << index;
}

}  // namespace
}  // namespace ks::profile
