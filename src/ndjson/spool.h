#pragma once
// Compressed pieces of output files on disk until their order is known.

#include <filesystem>

#include "base/result.h"
#include "io/gzip_chunks.h"

namespace ks::ndjson {

struct SpooledChunk {
  uint64_t offset = 0;
  uint32_t bytes = 0;
  uint32_t crc = 0;
  uint64_t plain_size = 0;
};

// A file without a name in the output folder: it is gone however the process ends.
class Spool {
 public:
  static Result<Spool> create(const std::filesystem::path& folder);
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&& other) noexcept;
  ~Spool();

  Result<SpooledChunk> add(const io::CompressedChunk& chunk);
  Result<std::string> read(const SpooledChunk& chunk) const;

 private:
  explicit Spool(int fd) : fd_(fd) {}
  int fd_ = -1;
  uint64_t end_ = 0;
};

}  // namespace ks::ndjson
