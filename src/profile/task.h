#pragma once
// One kernel to be measured, and how.

#include <cstdint>
#include <string>
#include <vector>

#include "profile/metric_set.h"

namespace ks::profile {

struct Policy {
  MetricSet metrics;
  std::string cache_control = "all";   // all: L2 cold and clean before the launch; none
  std::string clock_control = "none";  // none; base only through ncu
  bool latency = false;                // also a median of event-timed launches
  double timeout_s = 60;               // per kernel
};

struct Task {
  size_t id = 0;       // index in the plan
  std::string kernel;  // name of the jit function
  std::string path;    // file to import; ours where the kernel was found in a wrapper only
  std::string source_hash;
  std::string category;
  std::string pinned_config;  // empty: whatever autotuning finds ("auto")
};

}  // namespace ks::profile
