#pragma once
// One producer, N workers, one consumer that sees the results in the order of production, whatever
// the number of threads. Bounded: at most `depth` items exist at a time, so a slow consumer holds
// the producer back instead of filling memory.

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace ks {

// produce() -> std::optional<In>: called by one thread at a time; nullopt ends the stream.
// work(In) -> Out: called by up to `threads` threads at once.
// consume(Out) -> bool: called on the calling thread, in order; false stops early.
// With threads <= 1 everything runs on the calling thread. None of the three may throw.
template <typename Produce, typename Work, typename Consume>
void ordered_pipeline(unsigned threads, size_t depth, Produce produce, Work work, Consume consume) {
  using In = typename decltype(produce())::value_type;
  using Out = decltype(work(std::declval<In>()));
  if (threads <= 1) {
    while (std::optional<In> in = produce()) {
      if (!consume(work(std::move(*in)))) return;
    }
    return;
  }

  std::mutex source_mutex;  // held while producing; guards next_input
  uint64_t next_input = 0;
  std::mutex mutex;  // guards all below
  std::condition_variable changed;
  std::map<uint64_t, Out> done;
  uint64_t consumed = 0;
  unsigned running = threads;
  bool stop = false;

  auto worker = [&] {
    for (;;) {
      std::optional<In> in;
      uint64_t number = 0;
      {
        std::lock_guard source_lock(source_mutex);
        {
          std::unique_lock lock(mutex);
          changed.wait(lock, [&] { return stop || next_input < consumed + depth; });
          if (stop) break;
        }
        in = produce();
        if (in) number = next_input++;
      }
      if (!in) break;
      Out out = work(std::move(*in));
      std::lock_guard lock(mutex);
      done.emplace(number, std::move(out));
      changed.notify_all();
    }
    std::lock_guard lock(mutex);
    --running;
    changed.notify_all();
  };

  std::vector<std::jthread> pool;
  for (unsigned i = 0; i < threads; ++i) pool.emplace_back(worker);
  for (;;) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done.contains(consumed) || running == 0; });
    auto item = done.find(consumed);
    if (item == done.end()) break;
    Out out = std::move(item->second);
    done.erase(item);
    lock.unlock();
    const bool go_on = consume(std::move(out));
    lock.lock();
    ++consumed;
    stop = !go_on;
    changed.notify_all();
    if (stop) break;
  }
}

}  // namespace ks
