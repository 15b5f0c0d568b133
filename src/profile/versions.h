#pragma once
// Versions of Python packages, read from their folders: nothing is imported (torch takes seconds).

#include <string>
#include <vector>

namespace ks::profile {

struct Versions {
  std::string torch, triton;  // empty: not found
  std::string cuda;           // that torch was built with
};

// Looks into the folders of sys.path in their order; the first that has a package counts. A
// package without .dist-info (a source tree on PYTHONPATH) says its version in version.py.
Versions find_versions(const std::vector<std::string>& folders);

}  // namespace ks::profile
