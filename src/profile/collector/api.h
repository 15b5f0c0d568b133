#pragma once
// The functions of CUPTI and of the CUDA driver that the collector calls, found at run time: the
// build needs NVIDIA's headers only, and a machine without a GPU loads none of them. The only
// place that includes those headers.

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <string>

namespace ks::collector {

#define KS_CUPTI_FUNCTIONS(X)                     \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiEnableCallback)                          \
  X(cuptiGetResultString)                         \
  X(cuptiGetVersion)                              \
  X(cuptiProfilerDeviceSupported)                 \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostGetSupportedChips)           \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerInitialize)                      \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiSubscribe)                               \
  X(cuptiUnsubscribe)

// name in our code, exported name of the ABI that the headers above declare
#define KS_CUDA_FUNCTIONS(X)                                                                    \
  X(cuCtxGetCurrent, "cuCtxGetCurrent")                                                         \
  X(cuCtxGetDevice, "cuCtxGetDevice")                                                           \
  X(cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache")                                 \
  X(cuCtxSynchronize, "cuCtxSynchronize")                                                       \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute")                                               \
  X(cuDriverGetVersion, "cuDriverGetVersion")                                                   \
  X(cuFuncGetAttribute, "cuFuncGetAttribute")                                                   \
  X(cuGetErrorString, "cuGetErrorString")                                                       \
  X(cuLaunchKernel, "cuLaunchKernel")                                                           \
  X(cuMemAlloc, "cuMemAlloc_v2")                                                                \
  X(cuMemsetD8, "cuMemsetD8_v2")                                                                \
  X(cuModuleGetFunction, "cuModuleGetFunction")                                                 \
  X(cuModuleLoadData, "cuModuleLoadData")                                                       \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor") \
  X(cuStreamSynchronize, "cuStreamSynchronize")

struct Api {
#define X(name) decltype(&::name) name = nullptr;
  KS_CUPTI_FUNCTIONS(X)
#undef X
#define X(name, symbol) decltype(&::name) name = nullptr;
  KS_CUDA_FUNCTIONS(X)
#undef X
  std::string cupti_path;  // the file that was loaded

  // What went wrong, or empty. A copy that the process already has is taken before any other:
  // two CUPTIs in one process do not work. `path`: a file, or empty for the usual names.
  std::string load_cupti(const std::string& path);
  std::string load_cuda();
};

// One per process; filled by the C interface before anything else runs.
Api& api();

}  // namespace ks::collector
