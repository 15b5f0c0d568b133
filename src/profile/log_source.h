#pragma once
// Measurements from a folder of logs. Names of files come from the folder, never from a log.

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/measurement.h"

namespace ks::profile {

struct LogRow {
  std::string kernel;  // name of the jit function; empty: whatever the file with this stem holds
  std::string path;    // of the kernel file, which need not be there; only its stem is used
};

struct LogReading {
  std::vector<Measurement> measurements;  // one for each row, in order
  size_t files = 0, bytes = 0;            // files that ncu had written to, decoded bytes read
  std::vector<std::string> notes;         // of files, sorted: unreadable, cut, failed, unused
};

// Reads the logs in the folder and below (.ncu .txt .log .csv .ncu-rep .ncu-repz, also .gz, .zst).
// Rules of matching: docs/profile.md, "Which log, which launch".
Result<LogReading> read_logs(const std::vector<LogRow>& rows, const std::string& folder);

}  // namespace ks::profile
