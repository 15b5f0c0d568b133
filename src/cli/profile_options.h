#pragma once
// What `kernelscope profile` was asked to do.

#include <optional>
#include <string>
#include <vector>

namespace ks::cli {

struct ProfileOptions {
  // Input
  std::vector<std::string> inputs;
  std::string csv, kernel_root;
  // Output
  std::vector<std::string> outputs;
  std::string into;
  bool json = false, overwrite = false;
  // What and how
  std::string source = "auto", log_dir, metrics = "basic";
  std::string cache_control = "all", clock_control = "none";
  bool latency = false;
  double timeout_s = 60;
  // With what
  std::string python = "python3", gpus;
  int workers = 0;  // 0: as the kernels need
  // Which
  std::string kernel_glob, category, shard;
  std::optional<size_t> limit;
  // Cache
  bool from_cache = false, refresh = false, retry_failed = false, dry_run = false;
};

}  // namespace ks::cli
