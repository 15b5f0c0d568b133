#pragma once
// For tests: compressed bytes, and sources that cut or fail.

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "io/source.h"

namespace ks::io::testing {

inline std::string gzip(std::string_view text, int level = 9) {
  z_stream z{};
  deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

inline std::string zstd(std::string_view text, int level = 3) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), level));
  return out;
}

// Gives at most `chunk` bytes a call; 0: a random number, the same in every run.
class ChunkSource : public Source {
 public:
  ChunkSource(std::string bytes, size_t chunk) : bytes_(std::move(bytes)), chunk_(chunk) {}
  Result<size_t> read(std::span<char> out) override {
    const size_t chunk = chunk_ > 0 ? chunk_ : 1 + random_() % 5000;
    const size_t n = std::min({out.size(), chunk, bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, n, out.data());
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  size_t chunk_;
  size_t at_ = 0;
  std::minstd_rand random_;
};

// Gives its bytes, then fails.
class FailingSource : public Source {
 public:
  explicit FailingSource(std::string bytes) : inner_(from_memory(std::move(bytes))) {}
  Result<size_t> read(std::span<char> out) override {
    const Result<size_t> n = inner_->read(out);
    return n && *n == 0 ? fail(ErrorKind::io, "disk on fire") : n;
  }

 private:
  std::unique_ptr<Source> inner_;
};

// `count` records like those of a trace; no two are the same.
inline std::string records(size_t count, size_t size = 100) {
  std::string text;
  std::minstd_rand random(7);
  for (size_t i = 0; i < count; ++i) {
    text += "{\"n\":" + std::to_string(i) + ",\"x\":\"";
    for (size_t k = 0; k < size; ++k) text += static_cast<char>('a' + random() % 7);
    text += "\"}\n";
  }
  return text;
}

}  // namespace ks::io::testing
