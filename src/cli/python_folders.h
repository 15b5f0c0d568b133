#pragma once
// Where a Python interpreter looks for packages.

#include <string>
#include <vector>

namespace ks::cli {

// sys.path, asked of the interpreter itself (15 ms; it imports nothing): virtual environments, .pth
// files and PYTHONPATH are its business. Empty where it does not run.
std::vector<std::string> python_folders(const std::string& python);

}  // namespace ks::cli
