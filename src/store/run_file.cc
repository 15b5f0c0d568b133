#include "store/run_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace ks::store {
namespace {

namespace fs = std::filesystem;

// For the signal handler: names in memory that never moves. One process writes one run at a time.
struct Unfinished {
  std::array<char, 4096> part{}, wal{};
  std::atomic<bool> active = false;
};
Unfinished unfinished;

void remember(const std::string& part) {
  const std::string wal = part + ".wal";
  if (wal.size() >= unfinished.wal.size()) return;  // the destructor still removes it
  std::memcpy(unfinished.part.data(), part.c_str(), part.size() + 1);
  std::memcpy(unfinished.wal.data(), wal.c_str(), wal.size() + 1);
  unfinished.active = true;
}

std::string part_prefix() { return std::string(kRunFileName) + ".part-"; }

// The process of a name run.duckdb.part-PID[.wal|.tmp]; 0: another name.
pid_t process_of(const std::string& name) {
  const std::string prefix = part_prefix();
  if (!name.starts_with(prefix)) return 0;
  pid_t pid = 0;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), pid);
  return pid;
}

void remove_leftovers(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> dead;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const pid_t pid = process_of(entry.path().filename().string());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) dead.push_back(entry.path());
  }
  for (const fs::path& path : dead) fs::remove_all(path, error);
}

// Some file systems keep a rename but not what was written before it.
Result<> sync_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(ErrorKind::io, path + ": " + std::strerror(errno));
  const bool synced = fsync(fd) == 0 || errno == EINVAL;
  ::close(fd);
  if (!synced) return fail(ErrorKind::io, path + ": " + std::strerror(errno));
  return {};
}

}  // namespace

RunFile::RunFile(std::string folder, bool made_folder)
    : folder_(std::move(folder)),
      part_(fmt::format("{}/{}{}", folder_, part_prefix(), getpid())),
      made_folder_(made_folder) {}

RunFile::RunFile(RunFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      part_(std::exchange(other.part_, {})),
      made_folder_(other.made_folder_) {}

Result<RunFile> RunFile::create(const std::string& folder, bool overwrite) {
  std::error_code error;
  const bool made = fs::create_directories(folder, error);
  if (error) return fail(ErrorKind::io, folder + ": " + error.message());
  if (!made && !overwrite) {
    return fail(ErrorKind::input,
                folder +
                    " exists; choose another folder with -o, or replace the run in it with "
                    "--overwrite");
  }
  if (!made) remove_leftovers(folder);
  RunFile file(folder, made);
  file.discard_part();
  remember(file.part_);
  return file;
}

RunFile::~RunFile() {
  if (!part_.empty()) discard();
}

void RunFile::discard_part() {
  std::error_code error;
  fs::remove(part_, error);
  fs::remove(part_ + ".wal", error);
  fs::remove_all(temp_directory(), error);
}

void RunFile::discard() {
  unfinished.active = false;
  discard_part();
  std::error_code error;
  if (made_folder_) fs::remove(folder_, error);  // only if it is empty
}

Result<> RunFile::commit() {
  const std::string target = folder_ + "/" + kRunFileName;
  if (Result<> synced = sync_file(part_); !synced) return synced;
  std::error_code error;
  fs::remove(target + ".wal", error);
  fs::rename(part_, target, error);
  if (error) return fail(ErrorKind::io, target + ": " + error.message());
  unfinished.active = false;
  fs::remove_all(temp_directory(), error);
  part_.clear();
  return {};
}

void remove_unfinished_run_file() noexcept {
  if (!unfinished.active) return;
  unlink(unfinished.part.data());
  unlink(unfinished.wal.data());
}

}  // namespace ks::store
