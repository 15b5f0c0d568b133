#pragma once
// What `parse` says at the end.

#include <string>

#include "report/style.h"
#include "run/read.h"
#include "run/run.h"

namespace ks::report {

// Inputs, kernels, compilations, launches, attribution, source maps.
std::string run_summary(const run::Run& run, const Style& style);

// Each count with its meaning and first samples, worst first; empty if there is none.
std::string diagnostics_text(const Diagnostics& diagnostics, const Style& style);

struct Timing {
  double wall_s = 0;    // all of it
  double finish_s = 0;  // writing the tables after the last record
  run::ReadTimings read;
  uint64_t bytes = 0;  // decoded
  uint64_t peak_rss_bytes = 0;
  unsigned threads = 1;
};
std::string timings_text(const Timing& timing);

}  // namespace ks::report
