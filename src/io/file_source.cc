// read() and not mmap: pages of a mapped file count as our memory, and a file that shrinks while it
// is mapped kills the process.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/source.h"

namespace ks::io {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

class FileSource : public Source {
 public:
  FileSource(int fd, bool owned, std::string path)
      : fd_(fd), owned_(owned), path_(std::move(path)) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (owned_) ::close(fd_);
  }

  Result<size_t> read(std::span<char> out) override {
    const ssize_t n = ::read(fd_, out.data(), out.size());
    if (n >= 0) return static_cast<size_t>(n);
    // Handlers that mean to go on are installed with SA_RESTART; the others mean to stop.
    if (errno == EINTR) return fail(ErrorKind::interrupted, path_ + ": interrupted");
    return fail(ErrorKind::io, path_ + ": cannot read: " + reason(errno));
  }

 private:
  int fd_;
  bool owned_;
  std::string path_;
};

class MemorySource : public Source {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<size_t> read(std::span<char> out) override {
    const size_t n = std::min(out.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, n, out.data());
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

Result<> check_kind(const struct stat& status, const std::string& path) {
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return {};
  const char* what = S_ISDIR(status.st_mode) ? "is a folder" : "is neither a file nor a pipe";
  return fail(ErrorKind::input, path + ": " + what);
}

}  // namespace

Result<std::unique_ptr<Source>> open_file(const std::filesystem::path& path) {
  const std::string& name = path.native();
  struct stat status{};
  // Looked at before it is opened: opening a device may do something.
  if (::stat(name.c_str(), &status) != 0) {
    return fail(ErrorKind::input, name + ": cannot open: " + reason(errno));
  }
  if (auto kind = check_kind(status, name); !kind) return tl::make_unexpected(kind.error());
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return fail(ErrorKind::input, name + ": cannot open: " + reason(errno));
  auto source = std::make_unique<FileSource>(fd, true, name);
  if (::fstat(fd, &status) != 0) {
    return fail(ErrorKind::io, name + ": cannot open: " + reason(errno));
  }
  if (auto kind = check_kind(status, name); !kind) return tl::make_unexpected(kind.error());
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return source;
}

std::unique_ptr<Source> open_stdin() {
  return std::make_unique<FileSource>(STDIN_FILENO, false, "standard input");
}

std::unique_ptr<Source> from_memory(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

}  // namespace ks::io
