#pragma once
// From a planned kernel to its entry in the cache.

#include <string>
#include <vector>

#include "profile/cache.h"
#include "profile/gpus.h"
#include "profile/plan.h"
#include "profile/versions.h"

namespace ks::profile {

// What all measurements of a run have in common. Empty: not known here.
struct RunKey {
  std::vector<std::string> devices;  // names of the GPUs, each once
  std::string driver;
  Versions versions;
  std::string source;  // cupti, ncu, time
  std::string tool;
  Policy policy;
  std::string metrics_key = {};  // metric_set_key(policy.metrics), once for all kernels
};

// On `device`; a time has no counters, so its key has no metrics.
CacheKey cache_key(const RunKey& run, const PlannedKernel& kernel, const std::string& device);

// What was measured before on one of the run's devices, each part of the key equal.
std::optional<Measurement> find_cached(const Cache& cache, const RunKey& run,
                                       const PlannedKernel& kernel);

// For a machine that cannot measure (--from-cache): parts of the key that are not known here match
// any; of several entries the newest counts, one that is ok before one that failed. A kernel whose
// hash is not known is found by its name if all entries of that name are of one source.
class CacheIndex {
 public:
  static Result<CacheIndex> read(const Cache& cache);
  std::optional<Measurement> find(const RunKey& run, const PlannedKernel& kernel) const;
  size_t size() const { return entries_.size(); }

 private:
  using Places = std::vector<size_t>;
  const Cache::Entry* best(const RunKey& run, const Places& places) const;

  std::vector<Cache::Entry> entries_;
  std::map<std::string, Places, std::less<>> by_hash_, by_name_;
};

// --retry-failed: what failed before counts as not measured.
bool is_usable(const Measurement& measurement, bool retry_failed);

}  // namespace ks::profile
