#pragma once
// The winner of autotuning, which torch leaves in a .best_config file beside the kernel.

#include <string>
#include <string_view>
#include <vector>

#include "inductor/kernel_file.h"

namespace ks::inductor {

// {"XBLOCK": 512, "num_warps": 8, ...} as "XBLOCK: 512, num_warps: 8, ...", without torch's
// bookkeeping (hashes, time taken). Empty: not understood.
std::string best_config_text(std::string_view json);

struct ConfigFile {
  std::string name;  // without folder
  std::string json;
};

struct KernelInFolder {
  Kernel* kernel = nullptr;
  std::string file;  // without folder
};

// Gives kernels of one folder the configs of the same folder. Until torch 2.5 the file was named
// after the kernel's, then after a hash of that name. Since 2.11 the hash takes in torch's own
// sources: then a config is given only where just one kernel and just one file can belong together
// by their parameters, and only if `complete`: these are all the kernels of the folder.
void give_best_configs(const std::vector<KernelInFolder>& kernels,
                       const std::vector<ConfigFile>& configs, bool complete);

}  // namespace ks::inductor
