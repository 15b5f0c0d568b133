#pragma once
// Which counters are asked for. Names are ncu's; passes: docs/profile.md.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ks::profile {

struct MetricSet {
  std::string name;                  // basic, flops, sol, or "custom"
  std::vector<std::string> metrics;  // in order, without duplicates
};

// basic: one pass on every chip from GA100 on. flops: basic and FP32/FP64/tensor counts. sol:
// basic, L2 hit rate, local memory, speed of light of memory and SM. Or a list:
// "dram__bytes.sum,...". Chips with other DRAM names (GB20x: dram__bytes_op_read) get them by
// `chip`; empty: GH100's.
Result<MetricSet> metric_set(std::string_view text, std::string_view chip = {});

// The list's identity for cache keys: sorted, so that order does not matter.
std::string metric_set_key(const MetricSet& set);

}  // namespace ks::profile
