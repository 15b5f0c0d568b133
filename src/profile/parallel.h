#pragma once
// Independent small jobs on a few threads.

#include <atomic>
#include <thread>
#include <vector>

namespace ks::profile {

// Opening and parsing 10,000 small files: half of it is the kernel's time, which one thread waits
// for.
inline constexpr unsigned kFileThreads = 4;

// f(i) for each i below `count`, in any order, on the calling thread and others. f must not throw.
template <typename F>
void for_each_index(size_t count, unsigned threads, F f) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i; (i = next++) < count;) f(i);
  };
  std::vector<std::jthread> helpers;
  for (unsigned t = 1; t < threads && t < count; ++t) helpers.emplace_back(work);
  work();
}

}  // namespace ks::profile
