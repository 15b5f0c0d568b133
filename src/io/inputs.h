#pragma once
// From what the user names to the files to read, and the files of each rank.

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/file_name.h"

namespace ks::io {

struct InputFile {
  std::string path;      // "-" for standard input
  std::string name;      // the last part of the path
  TraceFileName parsed;  // a file in a folder rank_N has that rank if its name has none
};

// Each argument is a file, a folder, a glob (in the last part of the path only) or "-". A file is
// taken whatever its name. Of a folder and its rank_N sub-folders: the traces, or without any the
// NDJSON files; sorted by path. The same file named twice is taken once. CLP archives are refused;
// beside other files they are counted as unreadable_file.
Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& arguments,
                                           Diagnostics& diagnostics);

// The torch trace logs in these folders (or files), each folder's sorted by name. None is no error.
Result<std::vector<InputFile>> find_torch_traces(const std::vector<std::string>& folders);

struct RankGroup {
  std::optional<int> rank;
  std::vector<InputFile> files;  // by host, pid, path
};

// Groups in the order of first sight in the sorted names, the group without a rank last
// (docs/trace-format.md, ranks). With pre_init_attribution a file without a rank goes to the rank
// of the files with its host and pid: what a process wrote before it knew its rank.
std::vector<RankGroup> group_by_rank(std::vector<InputFile> files, bool pre_init_attribution,
                                     Diagnostics& diagnostics);

}  // namespace ks::io
