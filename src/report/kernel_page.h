#pragma once
// The page of `show`: everything about one kernel.

#include <string>

#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

std::string kernel_page(const store::KernelRow& kernel, const store::KernelDetails& details,
                        const store::KernelDiff& diff, const std::vector<store::KernelRow>& kernels,
                        const Style& style);
std::string kernel_page_json(const store::KernelRow& kernel, const store::KernelDetails& details,
                             const store::KernelDiff& diff);

std::string launches_text(const store::LaunchList& list, const Style& style);
std::string launches_json(const store::LaunchList& list);

}  // namespace ks::report
