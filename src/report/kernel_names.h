#pragma once
// Names of kernels: as they are shown, and as a user types them.

#include <string>
#include <string_view>
#include <vector>

#include "store/kernel_queries.h"

namespace ks::report {

// "add_kernel", or "add_kernel#2" where the name has several variants.
std::string kernel_label(const store::KernelRow& kernel);
std::string short_hash(const store::KernelRow& kernel);  // 8 digits, or empty

struct KernelMatch {
  std::vector<const store::KernelRow*> kernels;  // in the order of the run
  bool by_hash = false;                          // found by the digits of their hashes
  // Where none matches:
  std::vector<std::string> nearest;  // names, at most 3; with the number if one was given and fits
  uint64_t more = 0;                 // names that begin or go on as typed, beyond these
  uint64_t variants = 0;             // name#9 of a name that has so many variants, but no 9th
};

// A whole name, name#2, a glob, or the first 4 or more digits of a hash; tried in this order.
KernelMatch find_kernels(const std::vector<store::KernelRow>& kernels, std::string_view typed);

// The one with most user launches, the first of equals.
const store::KernelRow* most_launched(const std::vector<const store::KernelRow*>& kernels);

}  // namespace ks::report
