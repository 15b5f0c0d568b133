#include "profile/file_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ks::profile {
namespace {

class File {
 public:
  explicit File(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Ours alone, on any machine that shares the folder.
std::string temp_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  std::string safe(host);
  std::replace(safe.begin(), safe.end(), '/', '_');
  return fmt::format("{}{}{}-{}-{}", path, kTempMark, safe, getpid(), ++counter);
}

tl::unexpected<Error> io_error(const std::string& path) {
  return fail(ErrorKind::io, fmt::format("{}: {}", path, std::strerror(errno)));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, size_t limit) {
  const auto error = [&] {
    return fail(ErrorKind::io, fmt::format("{}: {}", path, std::strerror(errno)));
  };
  const File file(path);
  struct stat about{};
  if (file.fd() < 0 || fstat(file.fd(), &about) != 0) return error();
  if (!S_ISREG(about.st_mode)) return fail(ErrorKind::io, path + ": no regular file");
  if (static_cast<size_t>(about.st_size) > limit) {
    return fail(ErrorKind::limit, fmt::format("{}: over {} bytes", path, limit));
  }
  std::string text(static_cast<size_t>(about.st_size), '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = read(file.fd(), text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error();
    if (n == 0) break;  // it shrank meanwhile
    have += static_cast<size_t>(n);
  }
  text.resize(have);
  return text;
}

Result<> write_text_file(const std::string& path, std::string_view text) {
  const std::string temp = temp_name(path);
  const int file = ::open(temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return io_error(temp);
  const bool written = write_all(file, text);
  const int write_errno = errno;
  const bool closed = ::close(file) == 0;
  if (written && closed && std::rename(temp.c_str(), path.c_str()) == 0) return {};
  if (!written) errno = write_errno;
  auto error = io_error(path);
  unlink(temp.c_str());
  return error;
}

}  // namespace ks::profile
