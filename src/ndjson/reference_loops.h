#pragma once
// The `ir_analysis` object of tritonparse 4e5fbc4: loop_schedules and, on AMD, io_counts.
// `procedure_checks` needs LLVM's FileCheck and is not ours.

#include <string>

#include "ndjson/reference_map.h"

namespace ks::ndjson {

// Members of the object, ready to stand between its braces ("" if there are none), in the
// reference's order: with a known adapter loop_schedules, [procedure_checks], io_counts; else
// io_counts, loop_schedules, [procedure_checks]. `maps` are those of the same input.
struct ReferenceAnalysis {
  std::string loop_schedules;  // JSON list, or empty: no key
  std::string io_counts;       // JSON object, or empty: no key
  bool io_counts_first = false;
};
ReferenceAnalysis reference_ir_analysis(const ReferenceInput& input, const ReferenceMaps& maps);

// The maps that it reads, where nothing else wants them: a third of the work or none.
ReferenceMaps maps_for_ir_analysis(const ReferenceInput& input);

// {"loop_schedules":...,"io_counts":...}; empty text: no event is made.
std::string to_json(const ReferenceAnalysis& analysis);

// More scheduled operations than this in one kernel are cut off: the reference lists an operation
// once for every pair of lines with one location, which may grow with the square of the text.
inline constexpr size_t kMaxScheduledOps = 100'000;

}  // namespace ks::ndjson
