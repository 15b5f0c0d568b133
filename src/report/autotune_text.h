#pragma once
// The autotune sessions that a kernel took part in.

#include <string>
#include <vector>

#include "report/constants.h"
#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

// A table for each session in which something of the kernel's name was tried. Configs of other
// kernels (Inductor compiles those of a whole module from one place) are counted only. Constants
// that differ between the configs have a column each. Long lists are cut unless `all`.
std::string autotune_text(const store::KernelRow& shown, const store::KernelDetails& details,
                          const std::vector<store::KernelRow>& kernels,
                          const KernelConstants& constants, const Style& style, bool all);

}  // namespace ks::report
