#include "base/hash.h"

#include <gtest/gtest.h>

namespace ks {

TEST(Hash, Sha256OfTheStandardsExample) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hash, Sha256InPiecesEqualsInOne) {
  Sha256 sha;
  sha.update("a");
  sha.update("bc");
  EXPECT_EQ(hex(sha.finish().data(), 32), sha256_hex("abc"));
  sha.reset();
  sha.update("abc");
  EXPECT_EQ(hex(sha.finish().data(), 4), "ba7816bf");
}

TEST(Hash, CombineDependsOnOrder) {
  const Hash128 a = hash128("a"), b = hash128("b");
  EXPECT_FALSE(combine(a, b) == combine(b, a));
  EXPECT_EQ(combine(a, b), combine(a, b));
}

}  // namespace ks
