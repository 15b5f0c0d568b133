#pragma once
// The host half of CUPTI's profiler: from metric names to a configuration of the counters, and from
// counter data to values. Needs no GPU. Not thread-safe.

#include <cstdint>
#include <string>
#include <vector>

#include "profile/collector/problem.h"

namespace ks::collector {

class HostConfig {
 public:
  HostConfig() = default;
  ~HostConfig();
  HostConfig(const HostConfig&) = delete;
  HostConfig& operator=(const HostConfig&) = delete;

  // chip: GH100, ... (chips()); metrics by ncu's names. May be called again for another set.
  Problem open(const std::string& chip, const std::vector<std::string>& metrics);

  size_t passes() const { return passes_; }
  const std::vector<uint8_t>& image() const { return image_; }
  size_t size() const { return names_.size(); }
  const char** names() { return names_.data(); }
  // size() values of one range, in the order of the metrics.
  Problem evaluate(const std::vector<uint8_t>& counter_data, size_t range, double* values);

  static std::vector<std::string> chips();

 private:
  void close();
  Problem find_bad_metric(const Problem& all);

  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::string chip_;
  std::vector<std::string> metrics_;
  std::vector<const char*> names_;
  std::vector<uint8_t> image_;
  size_t passes_ = 0;
};

}  // namespace ks::collector
