#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

// A line of code with this location, and definitions before and after it.
std::string one(std::string_view use, std::string_view definitions) {
  std::string text = "  %0 = tt.foo loc(" + std::string(use) + ")\n" + std::string(definitions);
  return at(map_mlir(text), 1);
}

TEST(MlirMap, DirectForms) {
  EXPECT_EQ(one(R"("/a/k.py":12:24)", ""), "/a/k.py:12:24");
  EXPECT_EQ(one(R"("C:\\k\\k.py":12:24)", ""), "C:\\k\\k.py:12:24");
  EXPECT_EQ(one(R"("C:/k:1:2.py":12:24)", ""), "C:/k:1:2.py:12:24");
  EXPECT_EQ(one(R"("a\"b\22.py":12:24)", ""), "a\"b\".py:12:24");
  EXPECT_EQ(one(R"("k.py":12:24 to 13:2)", ""), "k.py:12:24");
  EXPECT_EQ(one(R"("k.py":12:24 to :31)", ""), "k.py:12:24");
  EXPECT_EQ(one(R"("x"("k.py":1:2))", ""), "x=k.py:1:2");
  EXPECT_EQ(one(R"(fused["k.py":1:2, "x"("k.py":3:4), unknown])", ""), "k.py:1:2 | x=k.py:3:4");
  EXPECT_EQ(one(R"(fused<"a]b" -> #m<3>>["k.py":1:2])", ""), "k.py:1:2");
  EXPECT_EQ(one(R"(callsite("f"("l.py":1:2) at "k.py":3:4))", ""), "f=l.py:1:2 < k.py:3:4");
  EXPECT_EQ(one(R"(callsite(callsite("a":1:1 at "b":2:2) at callsite("c":3:3 at "d":4:4)))", ""),
            "a:1:1 < b:2:2 < c:3:3 < d:4:4");
}

constexpr char kDefinitions[] = R"(
#loc = loc("k.py":10:0)
#loc1 = loc(unknown)
#loc2 = loc("k.py":12:24)
#loc3 = loc("k.py":13:8)
#loc4 = loc("lib.py":1:2)
#loc5 = loc(fused[#loc2, #loc3])
#loc6 = loc(callsite(#loc4 at #loc3))
#loc7 = loc("named"(#loc6))
#loc8 = loc(#loc9)
#loc9 = loc(#loc7)
#loc10 = loc(callsite(#loc15 at #loc6))
#loc12 = loc("cyc"(#loc13))
#loc13 = loc("cyc"(#loc12))
#loc14 = loc(#loc14)
#loc15 = loc("late.py":5:6)
#loc16 = loc(callsite(#loc1 at #loc3))
#loc17 = loc(callsite(#loc4 at #loc17))
#loc18 = loc(fused[#loc13, #loc2])
#loc19 = loc(callsite(#loc5 at #loc18))
#loc20 = loc("only a name")
#loc_custom.x-1 = loc("c.py":7:0)
)";

TEST(MlirMap, References) {
  EXPECT_EQ(one("#loc", kDefinitions), "k.py:10");
  EXPECT_EQ(one("#loc5", kDefinitions), "k.py:12:24 | k.py:13:8");
  EXPECT_EQ(one("#loc6", kDefinitions), "lib.py:1:2 < k.py:13:8");
  EXPECT_EQ(one("#loc7", kDefinitions), "named=lib.py:1:2 < k.py:13:8");
  EXPECT_EQ(one("#loc8", kDefinitions), "named=lib.py:1:2 < k.py:13:8");
  EXPECT_EQ(one("#loc10", kDefinitions), "late.py:5:6 < lib.py:1:2 < k.py:13:8");
  EXPECT_EQ(one("#loc16", kDefinitions), "k.py:13:8");
  EXPECT_EQ(one("#loc18", kDefinitions), "k.py:12:24");
  EXPECT_EQ(one("#loc19", kDefinitions), "k.py:12:24 < k.py:12:24 | k.py:13:8 < k.py:12:24");
  EXPECT_EQ(one("#loc_custom.x-1", kDefinitions), "c.py:7");
}

TEST(MlirMap, DefinitionsMayComeFirst) {
  EXPECT_EQ(at(map_mlir("#loc3 = loc(\"k.py\":3:4)\nx loc(#loc3)   \r\n"), 2), "k.py:3:4");
}

TEST(MlirMap, NothingToSay) {
  std::string uses;
  for (const char* id : {"1", "12", "14", "17", "20", "99", "13"}) {
    uses += "  op loc(#loc" + std::string(id) + ")\n";
  }
  SourceMap map = map_mlir(uses + "  op\n  op loc(what)\n" + kDefinitions);
  EXPECT_TRUE(map.empty());
  // Unknown: #loc1 and the bare name. A cycle, a missing alias or no location: unmapped.
  EXPECT_EQ(coverage(map), "0 mapped, 7 unmapped, 2 unknown");
  EXPECT_EQ(map.not_understood, 6u);
}

TEST(MlirMap, TextInStringsIsNoLocation) {
  SourceMap map = map_mlir(
      "  tt.print \"loc(\\\"q\\\":1:2)\" {x = \"loc(#loc1)\"} : i32 loc(\"k.py\":3:4)\n"
      "  tt.print \"loc(#loc1)\" : i32\n"
      "  %x = ttg.local_alloc(%y)\n");
  EXPECT_EQ(at(map, 1), "k.py:3:4");
  EXPECT_EQ(coverage(map), "1 mapped, 2 unmapped, 0 unknown");
}

constexpr char kRegions[] = R"(module {
  tt.func public @k(%a: i32 loc("a"("k.py":9:0)), %b: i32 loc("k.py":9:5)) attributes {x = false} {
    %0 = scf.for %i = %a to %b step %c iter_args(%x = %y) -> (i32)  : i32 {
      %1 = scf.if %p -> (i32) {
        scf.yield %2 : i32 loc("k.py":4:1)
      } else {
        scf.yield %3 : i32 loc("k.py":5:1)
      } loc("k.py":3:1)
      %4 = "tt.reduce"(%1) <{axis = 0 : i32}> ({
      ^bb0(%l: f32 loc("l"("k.py":6:6)), %r: f32 loc(unknown)):
        tt.reduce.return %l : f32 loc("k.py":7:2)
      }) : (tensor<8xf32>) -> f32 loc("k.py":6:1)
      cf.br ^bb1 loc("k.py":7:7)
    ^bb1:  // pred: ^bb0
      scf.yield %4 : i32 loc("k.py":8:1)
    } loc("k.py":2:1)
    tt.return loc("k.py":9:1)
  } loc("k.py":1:0)
} loc("k.py":1:0)
)";

TEST(MlirMap, RegionsTakeTheLocationOfTheirEnd) {
  SourceMap map = map_mlir(kRegions);
  EXPECT_EQ(at(map, 1), "k.py:1");
  EXPECT_EQ(at(map, 2), "k.py:1(k)");
  EXPECT_EQ(at(map, 3), "k.py:2:1(k)");
  EXPECT_EQ(at(map, 4), "k.py:3:1(k)");
  EXPECT_EQ(at(map, 6), "k.py:3:1(k)");
  EXPECT_EQ(at(map, 8), "k.py:3:1(k)");
  EXPECT_EQ(at(map, 9), "k.py:6:1(k)");
  EXPECT_EQ(at(map, 10), "l=k.py:6:6(k)");
  EXPECT_EQ(at(map, 12), "k.py:6:1(k)");
  EXPECT_EQ(at(map, 14), "-");
  EXPECT_EQ(at(map, 16), "k.py:2:1(k)");
  EXPECT_EQ(at(map, 18), "k.py:1(k)");
  EXPECT_EQ(at(map, 19), "k.py:1");
  EXPECT_EQ(coverage(map), "18 mapped, 0 unmapped, 0 unknown");
}

TEST(MlirMap, WarpSpecializeIsOneOperation) {
  SourceMap map = map_mlir(R"(    ttg.warp_specialize(%a) attributes {r = array<i32: 24>}
    default {
      ttg.warp_yield loc("k.py":2:1)
    }
    partition0(%arg: i32 loc("k.py":9:9)) num_warps(4) {
      ttg.warp_return loc("k.py":3:1)
    } : (i32) -> () loc("k.py":1:1)
)");
  for (uint32_t line : {1u, 2u, 4u, 5u, 7u}) EXPECT_EQ(at(map, line), "k.py:1:1") << line;
}

TEST(MlirMap, ArgumentsAreAHeadersLastResort) {
  SourceMap map = map_mlir("tt.func @f(%a: i32 loc(\"k.py\":1:5), %b: i32 loc(unknown)) {\n}\n");
  EXPECT_EQ(at(map, 1), "k.py:1:5(f)");
}

TEST(MlirMap, LinesWithoutLocationBorrowNone) {
  SourceMap map = map_mlir("scf.for {\n  a\n}\nb\nc {\n  d loc(\"k\":1:1)\n} loc(\"k\":2:2)\n");
  EXPECT_EQ(at(map, 1), "-");
  EXPECT_EQ(at(map, 3), "-");
  EXPECT_EQ(at(map, 4), "-");
  EXPECT_EQ(at(map, 5), "k:2:2");
}

TEST(MlirMap, OutermostFrameIsTheFunctionAround) {
  SourceMap map = map_mlir(R"(tt.func private @"lib.f__i32"() {
  a loc(callsite(#loc1 at #loc2))
  b loc(callsite(#loc1 at unknown))
} loc(#loc2)
tt.func public @k() {
  a loc(callsite(#loc1 at #loc2))
} loc(#loc2)
#loc1 = loc("l.py":1:2)
#loc2 = loc("k.py":3:4)
)");
  EXPECT_EQ(at(map, 2), "l.py:1:2 < k.py:3:4(lib.f__i32)");
  EXPECT_EQ(at(map, 3), "l.py:1:2");
  EXPECT_EQ(at(map, 6), "l.py:1:2 < k.py:3:4(k)");
}

TEST(MlirMap, FusedBeforeACallerSharesNoFunction) {
  SourceMap map = map_mlir(
      "tt.func @k() {\n"
      "  a loc(callsite(\"l\":1:1 at fused[unknown, \"k\":2:2]))\n"
      "} loc(\"k\":1:0)\n");
  EXPECT_EQ(at(map, 2), "l:1:1 | l:1:1 < k:2:2(k)");
}

TEST(MlirMap, ChainsAndStringsAreStoredOnce) {
  SourceMap map = map_mlir("a loc(\"k\":1:1)\nb loc(#loc1)\n#loc1 = loc(\"k\":1:1)\n");
  EXPECT_EQ(map.chains.size(), 1u);
  EXPECT_EQ(map.strings, (std::vector<std::string>{"", "k"}));
  EXPECT_EQ(map.lines, (std::vector<LineRef>{{1, 0}, {2, 0}}));
}

}  // namespace
}  // namespace ks::ir
