#include "base/diagnostics.h"

#include <gtest/gtest.h>

namespace ks {

TEST(Diagnostics, CountsAndKeepsTheFirstSamples) {
  Diagnostics d;
  for (int i = 0; i < 9; ++i) d.add(Diag::bad_json, "a:" + std::to_string(i));
  EXPECT_EQ(d[Diag::bad_json].count, 9u);
  ASSERT_EQ(d[Diag::bad_json].samples.size(), Diagnostics::kSamples);
  EXPECT_EQ(d[Diag::bad_json].samples[0], "a:0");
  EXPECT_FALSE(d.lossless());
}

TEST(Diagnostics, MergeIsInOrder) {
  Diagnostics a, b;
  a.add(Diag::unknown_event, "first");
  b.add(Diag::unknown_event, "second");
  a.merge(b);
  EXPECT_EQ(a[Diag::unknown_event].count, 2u);
  EXPECT_EQ(a[Diag::unknown_event].samples, (std::vector<std::string>{"first", "second"}));
  EXPECT_TRUE(a.lossless());
}

TEST(Diagnostics, EveryEntryHasANameAndText) {
  for (size_t i = 0; i < kDiagCount; ++i) {
    EXPECT_FALSE(info(static_cast<Diag>(i)).name.empty());
    EXPECT_GT(info(static_cast<Diag>(i)).text.size(), 10u);
  }
}

}  // namespace ks
