#include "profile/collector/launch_watch.h"

namespace ks::collector {
namespace {

constexpr CUpti_CallbackId kLaunches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};

// The arguments of a driver call, as CUPTI hands them over (generated_cuda_meta.h, which does not
// compile beside cuda.h of the same release).
struct LaunchKernelParams {
  CUfunction f;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
};
struct LaunchKernelExParams {
  const CUlaunchConfig* config;
  CUfunction f;
};

Launch from_params(const LaunchKernelParams& p) {
  return {nullptr,
          p.f,
          {p.gridDimX, p.gridDimY, p.gridDimZ},
          {p.blockDimX, p.blockDimY, p.blockDimZ},
          p.sharedMemBytes,
          p.hStream};
}

Launch from_config(const CUlaunchConfig& c, CUfunction function) {
  return {nullptr,
          function,
          {c.gridDimX, c.gridDimY, c.gridDimZ},
          {c.blockDimX, c.blockDimY, c.blockDimZ},
          c.sharedMemBytes,
          c.hStream};
}

Launch read_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const void* params = data.functionParams;
  Launch launch;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& p = *static_cast<const LaunchKernelExParams*>(params);
      launch = from_config(*p.config, p.f);
      break;
    }
    default:
      launch = from_params(*static_cast<const LaunchKernelParams*>(params));
  }
  launch.name = data.symbolName ? data.symbolName : "";
  return launch;
}

thread_local bool inside = false;  // our own launches, made while a callback runs

}  // namespace

void CUPTIAPI LaunchWatch::on_call(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  const auto& before = static_cast<LaunchWatch*>(self)->before;
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call.callbackSite != CUPTI_API_ENTER || inside ||
      !before)
    return;
  inside = true;
  before(read_launch(id, call));
  inside = false;
}

Problem LaunchWatch::open() {
  if (Problem p = from_cupti(api().cuptiSubscribe(&subscriber_, &LaunchWatch::on_call, this),
                             "subscribing to launches"))
    return p;
  for (const CUpti_CallbackId id : kLaunches)
    if (Problem p =
            from_cupti(api().cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id),
                       "subscribing to launches"))
      return p;
  return {};
}

void LaunchWatch::close() {
  if (subscriber_ != nullptr) api().cuptiUnsubscribe(subscriber_);
  subscriber_ = nullptr;
}

LaunchWatch::~LaunchWatch() { close(); }

}  // namespace ks::collector
