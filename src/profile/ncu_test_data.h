#pragma once
// For tests: the logs of the shared data, which are not part of the repository.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "profile/ncu_log.h"
#include "profile/whole_file.h"

namespace ks::profile::testing {

inline const std::filesystem::path kSharedData =
    std::filesystem::path(KS_SOURCE_DIR).parent_path() / "shared" / "data";

// Decompressed; empty where the file is not there: the test is then to be skipped.
inline std::string shared_text(const std::string& name) {
  auto source = io::open_file(kSharedData / name);
  if (!source) return {};
  auto file = read_whole(std::move(*source), name);
  return file ? std::move(file->bytes) : std::string();
}

inline NcuLog parse(std::string_view bytes) {
  Result<NcuLog> log = read_ncu_log(bytes);
  EXPECT_TRUE(log.has_value());
  return log ? std::move(*log) : NcuLog{};
}

inline double metric(const NcuKernel& kernel, const std::string& name) {
  const auto at = kernel.metrics.find(name);
  return at == kernel.metrics.end() ? -1 : at->second;
}

}  // namespace ks::profile::testing
