#pragma once
// launch_diff in readable form.

#include <string>

#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

// All of it: what is the same (folded), what varies and what moves together, pointers. Long lists
// are cut, and say so, unless `all`.
std::string diff_text(const store::KernelRow& kernel, const store::KernelDiff& diff,
                      const Style& style, bool all = false);

// The distinct combinations only, one column for each group of fields that move together.
std::string configurations_text(const store::KernelRow& kernel, const store::KernelDiff& diff,
                                const Style& style, bool all = false);

std::string diff_json(const store::KernelRow& kernel, const store::KernelDiff& diff);

}  // namespace ks::report
