#pragma once
// Errors of the collector: a code that the worker turns into a status, and a sentence.

#include <string>

#include "profile/collector/api.h"

namespace ks::collector {

// The numbers are part of the C interface (collector.h).
enum class Code : int {
  ok = 0,
  no_device = 1,
  no_permission = 2,
  busy = 3,
  bad_metric = 4,
  unsupported = 5,
  out_of_memory = 6,
  not_launched = 7,
  fault = 8,
  failed = 9,
};

struct Problem {
  Code code = Code::ok;
  std::string text;
  explicit operator bool() const { return code != Code::ok; }
};

Problem from_cupti(CUptiResult result, const char* doing);
Problem from_cuda(CUresult result, const char* doing);

}  // namespace ks::collector
