#pragma once
// Files that the build has put into the binary; the list is in CMakeLists.txt of this folder.

#include <span>
#include <string_view>

namespace ks::profile {

struct EmbeddedFile {
  std::string_view name, text;
};
std::span<const EmbeddedFile> embedded_files();

}  // namespace ks::profile
