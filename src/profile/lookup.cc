#include "profile/lookup.h"

#include <algorithm>
#include <tuple>

namespace ks::profile {
namespace {

bool fits(const std::string& known, const std::string& part) {
  return known.empty() || known == part;
}

std::string metrics_of(const RunKey& run) {
  return run.metrics_key.empty() ? metric_set_key(run.policy.metrics) : run.metrics_key;
}

bool fits(const RunKey& run, const CacheKey& key) {
  const bool device = run.devices.empty() || std::find(run.devices.begin(), run.devices.end(),
                                                       key.device) != run.devices.end();
  const bool metrics = key.source == "time" || key.metrics == metrics_of(run);
  return device && metrics && fits(run.driver, key.driver) && fits(run.versions.cuda, key.cuda) &&
         fits(run.versions.torch, key.torch) && fits(run.versions.triton, key.triton) &&
         fits(run.source, key.source) && key.cache_control == run.policy.cache_control &&
         key.clock_control == run.policy.clock_control &&
         key.latency == (run.policy.latency ? "latency" : "");
}

// Counters tell more than a time, and a success more than a failure of a newer driver.
std::tuple<bool, bool, int64_t> rank(const Cache::Entry& entry) {
  return {entry.measurement.status == Status::ok, entry.key.source != "time", -entry.age_s};
}

}  // namespace

CacheKey cache_key(const RunKey& run, const PlannedKernel& kernel, const std::string& device) {
  CacheKey key;
  key.source_hash = kernel.task.source_hash;
  key.kernel = kernel.task.kernel;
  if (!kernel.task.pinned_config.empty()) key.config = kernel.task.pinned_config;
  key.device = device;
  key.driver = run.driver;
  key.cuda = run.versions.cuda;
  key.torch = run.versions.torch;
  key.triton = run.versions.triton;
  key.source = run.source;
  if (run.source != "time") key.metrics = metrics_of(run);
  key.cache_control = run.policy.cache_control;
  key.clock_control = run.policy.clock_control;
  key.tool = run.tool;
  key.latency = run.policy.latency ? "latency" : "";
  return key;
}

std::optional<Measurement> find_cached(const Cache& cache, const RunKey& run,
                                       const PlannedKernel& kernel) {
  if (kernel.task.source_hash.empty()) return std::nullopt;
  for (const std::string& device : run.devices) {
    if (auto found = cache.find(cache_key(run, kernel, device))) return found;
  }
  return std::nullopt;
}

Result<CacheIndex> CacheIndex::read(const Cache& cache) {
  auto entries = cache.list();
  if (!entries) return tl::make_unexpected(entries.error());
  CacheIndex index;
  index.entries_ = std::move(*entries);
  for (size_t i = 0; i < index.entries_.size(); ++i) {
    index.by_hash_[index.entries_[i].key.source_hash].push_back(i);
    index.by_name_[index.entries_[i].key.kernel].push_back(i);
  }
  return index;
}

const Cache::Entry* CacheIndex::best(const RunKey& run, const Places& places) const {
  const Cache::Entry* best = nullptr;
  for (const size_t place : places) {
    const Cache::Entry& entry = entries_[place];
    if (fits(run, entry.key) && (!best || rank(entry) > rank(*best))) best = &entry;
  }
  return best;
}

std::optional<Measurement> CacheIndex::find(const RunKey& run, const PlannedKernel& kernel) const {
  const bool by_name = kernel.task.source_hash.empty();
  const auto& index = by_name ? by_name_ : by_hash_;
  const auto found = index.find(by_name ? kernel.task.kernel : kernel.task.source_hash);
  if (found == index.end()) return std::nullopt;
  for (const size_t place : found->second) {
    if (entries_[place].key.source_hash != entries_[found->second[0]].key.source_hash) {
      return std::nullopt;  // one name, several kernels
    }
  }
  const Cache::Entry* entry = best(run, found->second);
  return entry ? std::optional(entry->measurement) : std::nullopt;
}

bool is_usable(const Measurement& measurement, bool retry_failed) {
  return measurement.status == Status::ok || !retry_failed;
}

}  // namespace ks::profile
