#include "report/style.h"

#include <gtest/gtest.h>

namespace ks::report {
namespace {

TEST(Printable, KeepsText) {
  EXPECT_EQ(printable("matmul_kernel<äöü, 中>"), "matmul_kernel<äöü, 中>");
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mred\nb\tc\x7f"), "a\\x1b[31mred\\nb\\tc\\x7f");
  EXPECT_EQ(printable(std::string_view("nul\0!", 5)), "nul\\x00!");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");  // C1: CSI in one character
}

TEST(Printable, EscapesDirectionMarks) { EXPECT_EQ(printable("a\xe2\x80\xae"), "a\\u202e"); }

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xe4"), "\\xe4");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");  // overlong
}

TEST(Colour, OnlyWhenWanted) {
  EXPECT_EQ(bold("x", {0, false}), "x");
  EXPECT_EQ(bold("x", {0, true}), "\x1b[1mx\x1b[0m");
}

}  // namespace
}  // namespace ks::report
