#include <gtest/gtest.h>

#include "ir/source_map.h"

namespace ks::ir {
namespace {

TEST(Stage, NamesRoundTrip) {
  for (std::string_view name :
       {"ttir", "ttgir", "llir", "ptx", "amdgcn", "sass", "ttadapter", "bcmlir"}) {
    EXPECT_EQ(to_string(stage_from_extension(name)), name);
  }
  EXPECT_EQ(stage_from_extension(".ptx"), Stage::ptx);
  EXPECT_EQ(stage_from_extension("cubin"), Stage::other);
  EXPECT_EQ(to_string(Stage::other), "other");
}

TEST(Stage, MapCarriesItsStage) {
  EXPECT_EQ(map_stage(Stage::ttgir, "module {\n} loc(unknown)\n").stage, Stage::ttgir);
  EXPECT_EQ(map_stage(Stage::sass, "").stage, Stage::sass);
  EXPECT_TRUE(map_stage(Stage::other, "#loc = loc(\"a\":1:2)\nx loc(#loc)").empty());
}

}  // namespace
}  // namespace ks::ir
