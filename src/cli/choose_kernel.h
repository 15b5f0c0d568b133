#pragma once
// The one kernel that a user means.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/terminal.h"
#include "store/kernel_queries.h"

namespace ks::cli {

// Several variants: says what differs and takes the one with most user launches. None, or a hash
// prefix of several kernels: an error that names what there is. With a connection, the variants are
// listed with the constants that tell them apart.
Result<const store::KernelRow*> choose_kernel(const std::vector<store::KernelRow>& kernels,
                                              const std::string& typed, Terminal& terminal,
                                              store::Connection* connection = nullptr);

}  // namespace ks::cli
