#include "report/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kMetadata =
    R"j({"name":"mm","env":{"x":"\"src_constants\":{"},"src_constants":{"(1,)":1,"(3,)":64,)j"
    R"j("(4,)":"fp32, }","(2, 0)":null,"(9,)":[1,2]},"num_warps":4})j";

constexpr const char* kPython = R"p(@triton.jit
def helper(a): pass
def mm(a_ptr, stride,  # (of a)
       desc, BLOCK: tl.constexpr = min(1, 2),
       TYPE: tl.constexpr):
    ACC : tl.constexpr = tl.float32  # wide
    BLOCK : tl.constexpr = 7
    x : int = 3
)p";

TEST(Constants, NamesComeFromTheSignature) {
  EXPECT_THAT(constants_of("mm", kMetadata, kPython),
              ElementsAre(Pair("stride", "1"), Pair("BLOCK", "64"), Pair("TYPE", "\"fp32, }\""),
                          Pair("desc.0", "null"), Pair("#9", "[1,2]"), Pair("ACC", "tl.float32")));
}

TEST(Constants, WithoutPythonPositionsAreShown) {
  EXPECT_THAT(constants_of("mm", R"j({"src_constants":{"(3,)":64}})j", ""),
              ElementsAre(Pair("#3", "64")));
}

TEST(Constants, AnyTextMayComeIn) {
  EXPECT_THAT(constants_of("mm", "", ""), IsEmpty());
  const std::string metadata = kMetadata, python = kPython;
  for (size_t cut = 0; cut < metadata.size(); ++cut) {
    constants_of("mm", metadata.substr(0, cut), python);
  }
  for (size_t cut = 0; cut < python.size(); ++cut) {
    constants_of("mm", metadata, python.substr(0, cut));
  }
}

TEST(DifferingConstants, ThoseWithoutOneValueInAll) {
  const KernelConstants constants = {{0, {{"A", "1"}, {"B", "2"}}},
                                     {1, {{"A", "1"}, {"B", "3"}, {"C", "4"}}}};
  EXPECT_THAT(differing_constants(constants, {0, 1}), ElementsAre("B", "C"));
  EXPECT_THAT(differing_constants(constants, {1}), IsEmpty());
  EXPECT_EQ(constant_value(constants, 1, "C"), "4");
  EXPECT_EQ(constant_value(constants, 0, "C"), "");
}

}  // namespace
}  // namespace ks::report
