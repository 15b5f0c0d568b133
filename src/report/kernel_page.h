#pragma once
// The page of `show`: everything about one kernel.

#include <string>

#include "report/constants.h"
#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

// Lists are cut, and say so, unless `all`. `constants`: of the variants of the kernel's name.
std::string kernel_page(const store::KernelRow& kernel, const store::KernelDetails& details,
                        const store::KernelDiff& diff, const std::vector<store::KernelRow>& kernels,
                        const KernelConstants& constants, const Style& style, bool all = false);
std::string kernel_page_json(const store::KernelRow& kernel, const store::KernelDetails& details,
                             const store::KernelDiff& diff, const KernelConstants& constants);

std::string launches_text(const store::LaunchList& list, const Style& style);
std::string launches_json(const store::LaunchList& list);

}  // namespace ks::report
