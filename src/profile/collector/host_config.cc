#include "profile/collector/host_config.h"

#include "profile/collector/params.h"

namespace ks::collector {

HostConfig::~HostConfig() { close(); }

void HostConfig::close() {
  if (host_ == nullptr) return;
  KS_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, p);
  p.pHostObject = host_;
  api().cuptiProfilerHostDeinitialize(&p);
  host_ = nullptr;
}

Problem HostConfig::open(const std::string& chip, const std::vector<std::string>& metrics) {
  close();
  chip_ = chip;
  metrics_ = metrics;
  names_.clear();
  for (const std::string& metric : metrics_) names_.push_back(metric.c_str());

  KS_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, init);
  init.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  init.pChipName = chip_.c_str();
  if (Problem p = from_cupti(api().cuptiProfilerHostInitialize(&init), "preparing the counters"))
    return p;
  host_ = init.pHostObject;

  KS_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = host_;
  add.ppMetricNames = names_.data();
  add.numMetrics = names_.size();
  if (Problem p =
          from_cupti(api().cuptiProfilerHostConfigAddMetrics(&add), "choosing the counters"))
    return find_bad_metric(p);

  KS_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_;
  if (Problem p =
          from_cupti(api().cuptiProfilerHostGetConfigImageSize(&size), "sizing the counters"))
    return p;
  image_.assign(size.configImageSize, 0);
  KS_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host_;
  image.configImageSize = image_.size();
  image.pConfigImage = image_.data();
  if (Problem p =
          from_cupti(api().cuptiProfilerHostGetConfigImage(&image), "laying out the counters"))
    return p;

  KS_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = image_.size();
  passes.pConfigImage = image_.data();
  if (Problem p = from_cupti(api().cuptiProfilerHostGetNumOfPasses(&passes), "counting the passes"))
    return p;
  passes_ = passes.numOfPasses;
  return {};
}

// CUPTI says only that some name is wrong. Asking one by one says which.
Problem HostConfig::find_bad_metric(const Problem& all) {
  if (metrics_.size() == 1) return {Code::bad_metric, chip_ + " has no metric " + metrics_[0]};
  const std::vector<std::string> metrics = metrics_;
  for (const std::string& metric : metrics) {
    HostConfig one;
    if (Problem p = one.open(chip_, {metric})) return p;
  }
  return all;
}

Problem HostConfig::evaluate(const std::vector<uint8_t>& counter_data, size_t range,
                             double* values) {
  KS_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
  p.pHostObject = host_;
  p.pCounterDataImage = counter_data.data();
  p.counterDataImageSize = counter_data.size();
  p.rangeIndex = range;
  p.ppMetricNames = names_.data();
  p.numMetrics = names_.size();
  p.pMetricValues = values;
  return from_cupti(api().cuptiProfilerHostEvaluateToGpuValues(&p), "reading the counters");
}

std::vector<std::string> HostConfig::chips() {
  KS_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, p);
  std::vector<std::string> chips;
  if (api().cuptiProfilerHostGetSupportedChips(&p) == CUPTI_SUCCESS)
    for (size_t i = 0; i < p.numChips; ++i) chips.emplace_back(p.ppChipNames[i]);
  return chips;
}

}  // namespace ks::collector
