#pragma once
// Files of a .tar.gz of the shared data, for tests.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/source.h"

namespace ks::inductor {

inline std::string read_whole(const std::filesystem::path& path) {
  auto source = io::open_file(path);
  if (!source) return "";
  Diagnostics diagnostics;
  auto decoded = io::decoded(std::move(*source), {}, path.string(), diagnostics);
  std::string text;
  std::vector<char> block(1 << 16);
  while (true) {
    const auto n = decoded->read(block);
    if (!n || *n == 0) return text;
    text.append(block.data(), *n);
  }
}

// By path in the archive. Only plain files with names under 100 bytes, as ours are.
inline std::map<std::string, std::string> read_archive(const std::filesystem::path& path) {
  constexpr size_t kBlock = 512;
  const std::string tar = read_whole(path);
  std::map<std::string, std::string> files;
  for (size_t at = 0; at + kBlock <= tar.size() && tar[at] != '\0';) {
    const std::string name(tar.c_str() + at);
    const size_t size = std::stoul(tar.substr(at + 124, 11), nullptr, 8);
    const char type = tar[at + 156];
    at += kBlock;
    if (type == '0' || type == '\0') files[name.substr(0, 100)] = tar.substr(at, size);
    at += (size + kBlock - 1) / kBlock * kBlock;
  }
  return files;
}

inline std::filesystem::path shared_data() {
  return std::filesystem::path(KS_SOURCE_DIR) / "../shared/data";
}

}  // namespace ks::inductor
