#include "base/hash.h"

#include <openssl/evp.h>
#include <xxhash.h>

namespace ks {

Hash128 hash128(std::string_view bytes, uint64_t seed) {
  const XXH128_hash_t h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {h.low64, h.high64};
}

Hash128 combine(Hash128 a, Hash128 b) {
  const uint64_t parts[4] = {a.low, a.high, b.low, b.high};
  return hash128({reinterpret_cast<const char*>(parts), sizeof parts});
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) { reset(); }
Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha256::reset() {
  EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha256(), nullptr);
}

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size());
}

std::array<uint8_t, 32> Sha256::finish() {
  std::array<uint8_t, 32> digest;
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest.data(), nullptr);
  return digest;
}

std::string hex(const uint8_t* digest, size_t bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(bytes * 2, '0');
  for (size_t i = 0; i < bytes; ++i) {
    text[2 * i] = kDigits[digest[i] >> 4];
    text[2 * i + 1] = kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sha;
  sha.update(bytes);
  return hex(sha.finish().data(), 32);
}

}  // namespace ks
