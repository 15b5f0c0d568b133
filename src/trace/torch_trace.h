#pragma once
// TORCH_TRACE logs (another program's format), read for one fact only: which frame and compile
// attempt each Inductor output file belongs to. See docs/trace-format.md.

#include <functional>
#include <map>
#include <string>

#include "base/diagnostics.h"
#include "io/source.h"
#include "trace/event.h"

namespace ks::trace {

// Kernel file path (as on the traced machine) to the frame whose output code names it. A later
// record for the same path replaces an earlier one.
using KernelFrames = std::map<std::string, FrameIds, std::less<>>;

// Reads a whole log. Lines that are no record, records without inductor_output_code and payloads
// without "# kernel path: " lines are skipped quietly; records that cannot be read are counted.
Result<> read_torch_trace(std::unique_ptr<io::Source> source, const std::string& name,
                          const io::Limits& limits, KernelFrames& frames, Diagnostics& diagnostics);

}  // namespace ks::trace
