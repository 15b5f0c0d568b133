#pragma once
// Hashes. XXH3-128 for identity inside one process or cache (not against an adversary who wants
// collisions: a collision merges two values of one trace). SHA-256 where a format demands it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ks {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

Hash128 hash128(std::string_view bytes, uint64_t seed = 0);

// Order-dependent combination, for the hash of a tuple of hashed parts.
Hash128 combine(Hash128 a, Hash128 b);

// Incremental SHA-256. Not thread-safe; one object hashes one message at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void reset();
  void update(std::string_view bytes);
  std::array<uint8_t, 32> finish();

 private:
  void* context_;
};

// Lower-case hexadecimal digits of the first `bytes` bytes of a digest.
std::string hex(const uint8_t* digest, size_t bytes);
std::string sha256_hex(std::string_view bytes);

}  // namespace ks

template <>
struct std::hash<ks::Hash128> {
  size_t operator()(const ks::Hash128& h) const noexcept { return h.low; }
};
