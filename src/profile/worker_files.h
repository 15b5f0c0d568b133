#pragma once
// The Python half of the program, carried inside the binary and written out for one run.

#include <string>

#include "base/result.h"

namespace ks::profile {

// A private folder (0700) that is removed with all that is in it.
class TempFolder {
 public:
  static Result<TempFolder> make();
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

class WorkerFiles {
 public:
  static Result<WorkerFiles> write();
  // Of worker.py; the modules that it imports are beside it.
  std::string worker() const { return folder_.path() + "/worker.py"; }
  const std::string& folder() const { return folder_.path(); }

 private:
  explicit WorkerFiles(TempFolder folder) : folder_(std::move(folder)) {}
  TempFolder folder_;
};

}  // namespace ks::profile
