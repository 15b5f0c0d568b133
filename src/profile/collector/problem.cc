#include "profile/collector/problem.h"

namespace ks::collector {
namespace {

Code code_of(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return Code::no_permission;
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
      return Code::busy;
    case CUPTI_ERROR_INVALID_METRIC_NAME:
      return Code::bad_metric;
    case CUPTI_ERROR_OUT_OF_MEMORY:
      return Code::out_of_memory;
    case CUPTI_ERROR_INVALID_DEVICE:
    case CUPTI_ERROR_NOT_INITIALIZED:
      return Code::no_device;
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return Code::unsupported;
    default:
      return Code::failed;
  }
}

const char* advice(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "; another process holds the counters (DCGM: dcgmi profile --pause; or ncu, another "
             "run)";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "; another tool in this process owns CUPTI (nsys, ncu, compute-sanitizer, a profiler)";
    default:
      return "";
  }
}

}  // namespace

Problem from_cupti(CUptiResult result, const char* doing) {
  if (result == CUPTI_SUCCESS) return {};
  const char* name = nullptr;
  api().cuptiGetResultString(result, &name);
  return {code_of(result), std::string(doing) + ": " + (name ? name : "unknown error") + " (" +
                               std::to_string(static_cast<int>(result)) + ")" + advice(result)};
}

Problem from_cuda(CUresult result, const char* doing) {
  if (result == CUDA_SUCCESS) return {};
  const char* text = nullptr;
  api().cuGetErrorString(result, &text);
  const Code code = result == CUDA_ERROR_OUT_OF_MEMORY ? Code::out_of_memory
                    : result == CUDA_ERROR_NO_DEVICE   ? Code::no_device
                                                       : Code::fault;
  return {code, std::string(doing) + ": " + (text ? text : "unknown CUDA error")};
}

}  // namespace ks::collector
