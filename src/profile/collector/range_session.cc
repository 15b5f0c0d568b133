#include "profile/collector/range_session.h"

#include "profile/collector/params.h"

namespace ks::collector {

void RangeSession::close() {
  if (profiler_ == nullptr) return;
  bool last = false;
  if (running_) stop(last);
  pass_ = 0;
  level_ = 1;
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, p);
  p.pRangeProfilerObject = profiler_;
  api().cuptiRangeProfilerDisable(&p);
  profiler_ = nullptr;
}

Problem RangeSession::open(CUcontext context, HostConfig& host, size_t max_ranges) {
  close();
  host_ = &host;
  max_ranges_ = max_ranges;
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = context;
  if (Problem p = from_cupti(api().cuptiRangeProfilerEnable(&enable), "enabling the counters"))
    return p;
  profiler_ = enable.pRangeProfilerObject;

  KS_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = host.names();
  size.numMetrics = host.size();
  size.maxNumOfRanges = max_ranges;
  size.maxNumRangeTreeNodes = static_cast<uint32_t>(max_ranges);
  if (Problem p =
          from_cupti(api().cuptiRangeProfilerGetCounterDataSize(&size), "sizing the counter data"))
    return p;
  fresh_.assign(size.counterDataSize, 0);
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, init);
  init.pRangeProfilerObject = profiler_;
  init.counterDataSize = fresh_.size();
  init.pCounterData = fresh_.data();
  return from_cupti(api().cuptiRangeProfilerCounterDataImageInitialize(&init),
                    "initialising the counter data");
}

// The counter data of the passes so far stays; only the first pass begins with a fresh copy.
Problem RangeSession::configure() {
  if (pass_ == 0 && level_ == 1) counter_data_ = fresh_;
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, p);
  p.pRangeProfilerObject = profiler_;
  p.configSize = host_->image().size();
  p.pConfig = host_->image().data();
  p.counterDataImageSize = counter_data_.size();
  p.pCounterDataImage = counter_data_.data();
  p.range = CUPTI_AutoRange;  // exactly the kernel: a user range would time the gap before it too
  p.replayMode = CUPTI_UserReplay;
  p.maxRangesPerPass = max_ranges_;
  p.numNestingLevels = 1;
  p.minNestingLevel = 1;
  p.passIndex = pass_;
  p.targetNestingLevel = level_;
  return from_cupti(api().cuptiRangeProfilerSetConfig(&p), "configuring the counters");
}

Problem RangeSession::start() {
  if (Problem p = configure()) return p;
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
  start.pRangeProfilerObject = profiler_;
  Problem p = from_cupti(api().cuptiRangeProfilerStart(&start), "starting the counters");
  running_ = !p;
  return p;
}

Problem RangeSession::stop(bool& last) {
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
  stop.pRangeProfilerObject = profiler_;
  running_ = false;
  if (Problem p = from_cupti(api().cuptiRangeProfilerStop(&stop), "stopping the counters"))
    return p;
  last = stop.isAllPassSubmitted != 0;
  pass_ = stop.passIndex;
  level_ = static_cast<uint16_t>(stop.targetNestingLevel);
  return {};
}

Problem RangeSession::decode(size_t& ranges) {
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = profiler_;
  if (Problem p = from_cupti(api().cuptiRangeProfilerDecodeData(&decode), "decoding the counters"))
    return p;
  KS_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  const CUptiResult result = api().cuptiRangeProfilerGetCounterDataInfo(&info);
  ranges = info.numTotalRanges;
  pass_ = 0;
  level_ = 1;
  return from_cupti(result, "decoding the counters");
}

Problem RangeSession::values(size_t range, double* values) {
  return host_->evaluate(counter_data_, range, values);
}

}  // namespace ks::collector
