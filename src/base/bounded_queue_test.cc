#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace ks {

TEST(BoundedQueue, HandsOverInOrderAndEnds) {
  BoundedQueue<int> queue(10);
  std::jthread producer([&] {
    for (int i = 0; i < 1000; ++i) queue.push(i, 3);
    queue.close();
  });
  int expected = 0;
  while (auto job = queue.pop()) EXPECT_EQ(*job, expected++);
  EXPECT_EQ(expected, 1000);
}

TEST(BoundedQueue, TheProducerNeverGetsFarAhead) {
  BoundedQueue<int> queue(10);
  std::atomic<int> pushed = 0;
  std::jthread producer([&] {
    for (int i = 0; i < 100; ++i) {
      queue.push(i, 5);
      ++pushed;
    }
    queue.close();
  });
  int popped = 0;
  while (queue.pop()) {
    ++popped;
    EXPECT_LE(pushed, popped + 2);
  }
}

TEST(BoundedQueue, AJobOverTheLimitPassesAlone) {
  BoundedQueue<int> queue(10);
  queue.push(1, 1000);
  EXPECT_EQ(queue.pop(), 1);
  queue.close();
  EXPECT_EQ(queue.pop(), std::nullopt);
}

}  // namespace ks
