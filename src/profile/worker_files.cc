#include "profile/worker_files.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "profile/embedded_files.h"

namespace ks::profile {
namespace fs = std::filesystem;

Result<TempFolder> TempFolder::make() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return fail(ErrorKind::io, "no folder for temporary files: " + error.message());
  std::string name = (base / "kernelscope-XXXXXX").string();
  if (!mkdtemp(name.data())) {
    return fail(ErrorKind::io, base.string() +
                                   ": cannot make a temporary folder here (set TMPDIR " +
                                   "to another): " + strerror(errno));
  }
  return TempFolder(std::move(name));
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

Result<WorkerFiles> WorkerFiles::write() {
  Result<TempFolder> folder = TempFolder::make();
  if (!folder) return tl::make_unexpected(folder.error());
  for (const EmbeddedFile& file : embedded_files()) {
    const std::string path = folder->path() + "/" + std::string(file.name);
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    out.close();
    if (!out) return fail(ErrorKind::io, path + ": cannot be written (disk full?)");
  }
  return WorkerFiles(std::move(*folder));
}

}  // namespace ks::profile
