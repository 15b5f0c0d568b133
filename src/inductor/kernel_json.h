#pragma once

#include <string>
#include <vector>

#include "inductor/kernel_file.h"

namespace ks::inductor {

// An array of objects with the same names as the columns of make_metadata(), typed: numbers,
// lists, null where nothing is known. Bytes that are not UTF-8 become U+FFFD.
std::string kernels_json(const std::vector<Kernel>& kernels, std::string_view model_name);

}  // namespace ks::inductor
