#pragma once
// Which task goes next, and which gets a second chance.

#include <deque>
#include <optional>
#include <vector>

#include "profile/task.h"

namespace ks::profile {

struct Attempt {
  const Task* task = nullptr;
  bool second = false;
};

class PoolQueue {
 public:
  explicit PoolQueue(const std::vector<Task>& tasks);

  std::optional<Attempt> next();
  // Its worker died before it began: not the task's fault. False: it has had its second chance.
  bool again(Attempt attempt);
  // It was in the hands of a worker that ended because of another task.
  void put_back(Attempt attempt) { pending_.push_front(attempt); }
  // It ran out of memory that others held as well: once more when it has the GPU for itself.
  bool later_alone(Attempt attempt);
  // Only what is to run alone is left: from now on that is what next() gives.
  void begin_alone();

  bool alone() const { return alone_; }
  bool only_alone_left() const { return pending_.empty() && !deferred_.empty(); }
  size_t waiting() const { return pending_.size(); }

 private:
  std::deque<Attempt> pending_, deferred_;
  bool alone_ = false;
};

}  // namespace ks::profile
