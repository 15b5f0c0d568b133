#include "profile/pool_queue.h"

#include <utility>

namespace ks::profile {

PoolQueue::PoolQueue(const std::vector<Task>& tasks) {
  for (const Task& task : tasks) pending_.push_back({&task, false});
}

std::optional<Attempt> PoolQueue::next() {
  if (pending_.empty()) return std::nullopt;
  const Attempt attempt = pending_.front();
  pending_.pop_front();
  return attempt;
}

bool PoolQueue::again(Attempt attempt) {
  if (attempt.second) return false;
  pending_.push_front({attempt.task, true});
  return true;
}

bool PoolQueue::later_alone(Attempt attempt) {
  if (alone_) return false;
  deferred_.push_back(attempt);
  return true;
}

void PoolQueue::begin_alone() {
  alone_ = true;
  pending_ = std::exchange(deferred_, {});
}

}  // namespace ks::profile
