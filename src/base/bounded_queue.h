#pragma once
// Hands jobs from one thread to another. A job has a cost (bytes, say), and a producer waits while
// the queue holds more than its limit; a single job over the limit passes when the queue is empty.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace ks {

template <typename Job>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t max_cost) : max_cost_(max_cost) {}

  void push(Job job, size_t cost) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return cost_ == 0 || cost_ + cost <= max_cost_; });
    jobs_.emplace_back(std::move(job), cost);
    cost_ += cost;
    changed_.notify_all();
  }

  // Waits for a job; nothing once the queue is closed and empty. The job's cost counts until the
  // next call: what is being worked on is still in memory.
  std::optional<Job> pop() {
    std::unique_lock lock(mutex_);
    cost_ -= std::exchange(in_work_, 0);
    changed_.notify_all();
    changed_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return std::nullopt;
    auto [job, cost] = std::move(jobs_.front());
    jobs_.pop_front();
    in_work_ = cost;
    return std::move(job);
  }

  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const size_t max_cost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Job, size_t>> jobs_;
  size_t cost_ = 0;  // of all jobs in the queue and in work
  size_t in_work_ = 0;
  bool closed_ = false;
};

}  // namespace ks
