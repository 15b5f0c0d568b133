#include "base/ordered_pipeline.h"

#include <gtest/gtest.h>

#include <atomic>

namespace ks {

class OrderedPipeline : public testing::TestWithParam<unsigned> {};

TEST_P(OrderedPipeline, ConsumesInOrder) {
  int next = 0;
  std::vector<int> seen;
  ordered_pipeline(
      GetParam(), 4, [&] { return next < 500 ? std::optional<int>(next++) : std::nullopt; },
      [](int i) {
        volatile int spin = (i % 7) * 300;
        while (spin > 0) spin = spin - 1;
        return i * 2;
      },
      [&](int out) {
        seen.push_back(out);
        return true;
      });
  ASSERT_EQ(seen.size(), 500u);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i * 2);
}

TEST_P(OrderedPipeline, NeverHoldsMoreThanDepth) {
  std::atomic<int> made = 0, eaten = 0, worst = 0;
  ordered_pipeline(
      GetParam(), 3,
      [&]() -> std::optional<int> {
        if (made == 200) return std::nullopt;
        worst = std::max(worst.load(), ++made - eaten);
        return made.load();
      },
      [](int i) { return i; },
      [&](int) {
        ++eaten;
        return true;
      });
  EXPECT_EQ(eaten, 200);
  EXPECT_LE(worst, 4);  // the item being consumed counts too
}

TEST_P(OrderedPipeline, StopsWhenTheConsumerSaysSo) {
  int made = 0, eaten = 0;
  ordered_pipeline(
      GetParam(), 4, [&] { return std::optional<int>(made++); }, [](int i) { return i; },
      [&](int) { return ++eaten < 10; });
  EXPECT_EQ(eaten, 10);
}

TEST_P(OrderedPipeline, EmptyInput) {
  ordered_pipeline(
      GetParam(), 4, []() -> std::optional<int> { return std::nullopt; }, [](int i) { return i; },
      [](int) { return ADD_FAILURE(), true; });
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedPipeline, testing::Values(1u, 2u, 5u));

}  // namespace ks
