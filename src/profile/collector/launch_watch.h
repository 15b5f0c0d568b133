#pragma once
// Sees every kernel launch of the process through CUPTI's driver callbacks, whoever makes it:
// Triton's launcher, Inductor's static launcher, a library.

#include <functional>
#include <string>

#include "profile/collector/problem.h"

namespace ks::collector {

struct Launch {
  const char* name = nullptr;
  CUfunction function = nullptr;
  unsigned grid[3] = {}, block[3] = {};
  unsigned shared_bytes = 0;  // dynamic
  CUstream stream = nullptr;
};

class LaunchWatch {
 public:
  ~LaunchWatch();
  // Called on the launching thread, before the driver's work; launches that it makes itself are not
  // reported. One watch per process.
  std::function<void(const Launch&)> before;
  Problem open();
  void close();

 private:
  static void CUPTIAPI on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void* data);
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

}  // namespace ks::collector
