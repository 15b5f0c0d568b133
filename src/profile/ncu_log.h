#pragma once
// What Nsight Compute left behind, in any of its forms: text pages of all layouts, CSV details and
// raw pages, .ncu-rep. One call reads them all; the form is told by content.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/measurement.h"

namespace ks::profile {

struct NcuKernel {
  LaunchFacts launch;  // kernel name as the report has it, grid, block, registers, ...
  // By metric name where the form has it; a text page's labels are translated by section
  // (docs/profile.md), e.g. Duration -> gpu__time_duration.sum. Base units.
  std::map<std::string, double> metrics;
  Circumstances circumstances;  // as far as the log says: device, capability, clock warning
  int64_t passes = 0;
};

struct NcuLog {
  std::string form;  // text, csv details, csv raw, ncu-rep
  std::vector<NcuKernel> kernels;
  // Lines of the benchmark harness found between ncu's own: "0.027ms    0.004GB    147.69GB/s".
  std::vector<double> harness_ms;
  // Set where the tool itself said why there is nothing (permission, busy, no kernel, ...).
  std::optional<Status> failure;
  std::string failure_text;
  std::vector<std::string> notes;
};

// Limits: 1 GiB of text, a message depth of 64. Damaged input gives what could be read and a note.
Result<NcuLog> read_ncu_log(std::string_view bytes);

}  // namespace ks::profile
