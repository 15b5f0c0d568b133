#pragma once
// Finds Inductor kernels in folders and files.

#include <string>
#include <vector>

#include "base/result.h"
#include "inductor/kernel_file.h"

namespace ks::inductor {

struct ScanResult {
  std::vector<Kernel> kernels;        // one per source hash, ordered by first sight in sorted paths
  size_t files = 0;                   // .py files that were read
  size_t without_kernels = 0;         // of these, files that hold none
  size_t duplicates = 0;              // kernels found again: own file and wrapper, several wrappers
  std::vector<std::string> problems;  // unreadable file, too large, ...: "path: what"
};

// Each input is a .py file, or a folder searched in depth for .py files (symbolic links are not
// followed; a file over 64 MiB is a problem, not an error). A path that a wrapper names is kept as
// text and never opened. An input that does not exist is an error.
Result<ScanResult> scan(const std::vector<std::string>& inputs);

}  // namespace ks::inductor
