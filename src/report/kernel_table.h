#pragma once
// The table of `ls`.

#include <string>
#include <vector>

#include "base/result.h"
#include "report/constants.h"
#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

struct KernelList {
  std::vector<const store::KernelRow*> shown;
  std::string filter;              // as it was chosen by
  uint64_t fitting = 0;            // kernels that fit it, also those not shown
  uint64_t launched = 0;           // of these: with user launches
  uint64_t candidates = 0;         // of these: autotune candidates, not chosen
  uint64_t candidates_hidden = 0;  // likewise, without --all
  uint64_t cut = 0;                // over --limit
  uint64_t user_launches = 0;      // of all kernels that fit, also those not shown
  uint64_t other_launches = 0;     // likewise
};

struct KernelChoice {
  std::string sort = "launches";
  std::string filter;  // glob on the name; empty: all
  bool all = false;    // also autotune candidates that were not chosen
  uint64_t limit = 0;  // 0: none
};

// The keys that --sort takes, each with what it means.
std::vector<std::pair<std::string, std::string>> kernel_sort_keys();

Result<KernelList> choose_kernels(const std::vector<store::KernelRow>& kernels,
                                  const KernelChoice& choice);

std::string kernel_table(const KernelList& list, const Style& style);
std::string kernel_csv(const KernelList& list);
std::string kernel_json(const KernelList& list);

// What differs between variants, a row each. Constants: as far as they are known.
std::string variant_table(const std::vector<const store::KernelRow*>& variants,
                          const KernelConstants& constants, const Style& style);

}  // namespace ks::report
