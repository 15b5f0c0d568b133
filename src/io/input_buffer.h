#pragma once
// A window on the compressed bytes, for decoders that must look ahead and step back.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/source.h"

namespace ks::io {

class InputBuffer {
 public:
  // Over twice the largest zstd block (128 KiB and 3 bytes), so that one is always seen whole.
  static constexpr size_t kCapacity = 256U << 10;

  explicit InputBuffer(std::unique_ptr<Source> source);

  // The bytes from offset() on: at least `want` (at most kCapacity) of them, fewer only at the end.
  // Valid until the next call. How the source cuts its bytes makes no difference.
  std::string_view peek(size_t want);
  void consume(size_t n) { begin_ += n; }
  uint64_t offset() const { return base_ + begin_; }  // in the whole input
  // Steps back to `offset`, or as far as bytes are kept.
  void rewind(uint64_t offset);

  // What is in the buffer, then straight from the source.
  Result<size_t> read(std::span<char> out);

  uint64_t bytes_read() const { return base_ + end_; }
  // An error of the source counts as the end of the bytes.
  const std::optional<Error>& error() const { return error_; }

 private:
  void refill();

  std::unique_ptr<Source> source_;
  std::string bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t base_ = 0;  // offset of bytes_[0]
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace ks::io
