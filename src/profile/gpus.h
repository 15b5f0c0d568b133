#pragma once
// The GPUs of this machine, asked of the driver's management library, which is looked for at run
// time. Nothing is started on a GPU.

#include <string>
#include <vector>

namespace ks::profile {

struct Gpu {
  std::string uuid;        // GPU-...: what CUDA_VISIBLE_DEVICES takes
  std::string name;        // NVIDIA H200
  std::string capability;  // 9.0
};

struct GpuList {
  std::vector<Gpu> gpus;
  std::string driver;   // 580.65.06
  std::string problem;  // why there are none
};

GpuList find_gpus();

// Of `list`, those that are asked for: "0,2" or UUIDs (a unique beginning will do). Empty: all, of
// `visible` (CUDA_VISIBLE_DEVICES, empty: no limit) if that names any. What does not exist is left
// out and named in `problem`.
GpuList choose_gpus(const GpuList& list, const std::string& wanted, const std::string& visible);

// The chip whose counter names a GPU of this capability has; empty: not known.
std::string chip_of(const std::string& capability);

}  // namespace ks::profile
