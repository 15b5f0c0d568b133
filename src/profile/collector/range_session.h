#pragma once
// CUPTI's range profiler on one context. A session counts every launch of the context as a range of
// its own, in order. Starting and stopping one costs 30 ms (measured on an H200, CUDA 13.0), a
// launch inside it 1 ms, so that many launches go into one. With several passes the caller runs the
// same launches once per pass (user replay), and each finds caches and arguments in the same state.

#include <vector>

#include "profile/collector/host_config.h"

namespace ks::collector {

class RangeSession {
 public:
  ~RangeSession() { close(); }
  // Takes the GPU's counters: no other process can start a session until close().
  Problem open(CUcontext context, HostConfig& host, size_t max_ranges);
  bool is_open() const { return profiler_ != nullptr; }
  size_t max_ranges() const { return max_ranges_; }
  Problem start();                 // of the next pass
  Problem stop(bool& last);        // last: all passes have been run
  Problem decode(size_t& ranges);  // after the last pass
  Problem values(size_t range, double* values);
  void close();

 private:
  Problem configure();

  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  HostConfig* host_ = nullptr;
  std::vector<uint8_t> counter_data_, fresh_;
  size_t max_ranges_ = 0, pass_ = 0;
  uint16_t level_ = 1;
  bool running_ = false;
};

}  // namespace ks::collector
