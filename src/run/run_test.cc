#include "run/builder.h"

#include <gtest/gtest.h>

namespace ks::run {

TEST(Seconds, OfATimestampAsTheTracerWritesIt) {
  EXPECT_EQ(parse_seconds("1970-01-02T00:00:01.%fZ"), 86401);
  EXPECT_EQ(parse_seconds("2026-03-01T10:00:00.%fZ"), 1772359200);
  EXPECT_EQ(parse_seconds("2024-02-29T23:59:59"), 1709251199);
  EXPECT_EQ(parse_seconds("yesterday"), 0);
}

}  // namespace ks::run
