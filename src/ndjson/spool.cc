#include "ndjson/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ks::ndjson {

namespace {

tl::unexpected<Error> system_error(std::string_view what) {
  return fail(ErrorKind::io, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Result<Spool> Spool::create(const std::filesystem::path& folder) {
  std::string name = (folder / ".kernelscope-spool-XXXXXX").string();
  const int fd = mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return system_error("cannot write in " + folder.string());
  unlink(name.c_str());
  return Spool(fd);
}

Spool::Spool(Spool&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), end_(std::exchange(other.end_, 0)) {}

Spool& Spool::operator=(Spool&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(end_, other.end_);
  return *this;
}

Spool::~Spool() {
  if (fd_ >= 0) close(fd_);
}

Result<SpooledChunk> Spool::add(const io::CompressedChunk& chunk) {
  const SpooledChunk place{end_, static_cast<uint32_t>(chunk.deflate.size()), chunk.crc,
                           chunk.size};
  for (size_t done = 0; done < chunk.deflate.size();) {
    const ssize_t n = pwrite(fd_, chunk.deflate.data() + done, chunk.deflate.size() - done,
                             static_cast<off_t>(end_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return system_error("cannot write temporary data");
    done += static_cast<size_t>(n);
  }
  end_ += chunk.deflate.size();
  return place;
}

Result<std::string> Spool::read(const SpooledChunk& chunk) const {
  std::string bytes(chunk.bytes, '\0');
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = pread(fd_, bytes.data() + done, bytes.size() - done,
                            static_cast<off_t>(chunk.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return system_error("cannot read temporary data");
    done += static_cast<size_t>(n);
  }
  return bytes;
}

}  // namespace ks::ndjson
