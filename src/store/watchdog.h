#pragma once
// Interrupts a connection when its time is over. Only src/store may include this file.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/connection.h"

namespace ks::store {

class Watchdog {
 public:
  Watchdog(const Connection& connection, std::chrono::milliseconds time);
  bool expired() const { return expired_; }

 private:
  void watch(std::stop_token stop, std::chrono::steady_clock::time_point deadline);

  const Connection& connection_;
  std::atomic<bool> expired_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it stops before the rest goes
};

}  // namespace ks::store
