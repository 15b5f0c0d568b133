#include "store/watchdog.h"

namespace ks::store {

// DuckDB forgets an interrupt when the next statement starts, so it is repeated until we are gone.
constexpr std::chrono::milliseconds kRepeat{20};

Watchdog::Watchdog(const Connection& connection, std::chrono::milliseconds time)
    : connection_(connection) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  thread_ = std::jthread([this, deadline](std::stop_token stop) { watch(stop, deadline); });
}

void Watchdog::watch(std::stop_token stop, std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto never = [] { return false; };
  wake_.wait_until(lock, stop, deadline, never);
  while (!stop.stop_requested()) {
    expired_ = true;
    connection_.interrupt();
    wake_.wait_for(lock, stop, kRepeat, never);
  }
}

}  // namespace ks::store
