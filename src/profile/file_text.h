#pragma once
// Whole small files.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ks::profile {

// One system call to open, one to look, one or two to read. Over `limit` bytes: kind limit;
// anything else that goes wrong: kind io. Only regular files.
Result<std::string> read_text_file(const std::string& path, size_t limit);

// Written under another name of the same folder, "PATH.tmp-HOST-PID-N", and renamed: a reader sees
// the old file or the new one, whole. Any number of processes and machines. No fsync: what a power
// failure cuts is found damaged and measured anew; syncing 10,000 entries would take longer than
// that. Sets errno where it fails.
inline constexpr std::string_view kTempMark = ".tmp-";
Result<> write_text_file(const std::string& path, std::string_view text);

}  // namespace ks::profile
