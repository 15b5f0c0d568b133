#pragma once
// Makes L2 cold and clean: a kernel reads a buffer of several times its size, so that every line of
// before is written back or dropped, and the lines left behind are clean. Filling the buffer
// instead leaves dirty lines, whose write-back is charged to the kernel measured next (up to 109
// times its own traffic: docs/profile.md).

#include "profile/collector/problem.h"

namespace ks::collector {

class ColdCache {
 public:
  // In the current context. The buffer, 4 times L2 and at least 64 MiB, stays until the process
  // ends.
  Problem open(CUdevice device);
  // Returns when the GPU has done it.
  Problem evict(CUstream stream);
  // How many launches the counters see in one eviction: the driver has one of its own in
  // cuCtxResetPersistingL2Cache. Measured once (collector.cc).
  size_t launches = 2;

 private:
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr buffer_ = 0, sink_ = 0;
  uint64_t bytes_ = 0;
  unsigned blocks_ = 0;
};

}  // namespace ks::collector
