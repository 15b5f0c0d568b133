#pragma once
// The file DIR/run.duckdb of a run, written aside and put in place when it is whole.

#include <string>

#include "base/result.h"

namespace ks::store {

inline constexpr const char* kRunFileName = "run.duckdb";

// While it lives, DIR/run.duckdb.part-PID is ours; without commit() it is removed at the end, and
// DIR too if we made it and nothing else is in it.
class RunFile {
 public:
  // Makes DIR. One that exists is refused without `overwrite`; with it only our own file is
  // replaced, at commit(), and what killed processes left behind is removed.
  static Result<RunFile> create(const std::string& folder, bool overwrite);
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&&) = delete;
  ~RunFile();

  const std::string& path() const { return part_; }              // where to write
  std::string temp_directory() const { return part_ + ".tmp"; }  // for WriteOptions; removed too

  // Puts the file in place; the database must be closed.
  Result<> commit();

 private:
  RunFile(std::string folder, bool made_folder);
  void discard_part();
  void discard();

  std::string folder_;
  std::string part_;  // empty: committed or moved from
  bool made_folder_;
};

// Removes the unfinished run file of this process, if there is one. Async-signal-safe: for a
// handler that ends the process at once. (A handler that only sets a flag needs nothing: the
// destructor cleans up.)
void remove_unfinished_run_file() noexcept;

}  // namespace ks::store
