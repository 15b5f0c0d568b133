// Texts made to blow up: they must end, and what comes out must stay within the limits. Were one
// of the readers quadratic, this binary would run for minutes.

#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

constexpr int kMany = 100'000;

std::string repeat(std::string_view part, int times) {
  std::string out;
  out.reserve(part.size() * static_cast<size_t>(times));
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

std::string number(int i) { return std::to_string(i); }

void expect_within_limits(const SourceMap& map, size_t text_size) {
  EXPECT_LE(map.frames.size(), text_size / 2 + 4096);
  for (const Chain& chain : map.chains) EXPECT_LE(chain.count, kMaxFramesPerChain);
}

TEST(HostileText, OneLineOfMegabytes) {
  for (const char* part : {"loc(", "loc(#", "loc(\"", "callsite(", "loc(fused[", "\"", "\\\"", "{",
                           "}", "#loc = loc(", "!dbg !", "invoke ", "!1 = !DILocation(line: ",
                           " @[ ", ".loc 1 2 3 // a:1 @[ ", ".file 1 \"", "//## File \"", "/*00"}) {
    for (const char* before :
         {"", "x ", "#loc = loc(", "x loc(", "define {\n ", "{\n.loc 1 2 3 // "}) {
      std::string text = before + repeat(part, 1'000'000 / static_cast<int>(strlen(part)));
      for (Stage stage : {Stage::ttir, Stage::llir, Stage::ptx, Stage::amdgcn, Stage::sass}) {
        expect_within_limits(map_stage(stage, text), text.size());
      }
    }
  }
}

TEST(HostileText, DeepNestingInOneLine) {
  std::string text =
      "x loc(" + repeat("callsite(\"a\":1:1 at ", kMany) + "\"b\":2:2" + repeat(")", kMany) + ")\n";
  SourceMap map = map_mlir(text);
  ASSERT_EQ(map.chains.size(), 1u);
  EXPECT_EQ(map.chains[0].count, kMaxFramesPerChain);
  EXPECT_EQ(map.not_understood, 1u);
  text =
      "x loc(" + repeat("callsite(", kMany) + "\"b\":2:2" + repeat(" at \"a\":1:1)", kMany) + ")";
  EXPECT_EQ(map_mlir(text).chains.size(), 1u);
  text = "x loc(" + repeat("\"n\"(fused<1>[", kMany) + "\"b\":2:2" + repeat("])", kMany) + ")";
  EXPECT_EQ(at(map_mlir(text), 1), "n=b:2:2");
}

TEST(HostileText, AliasChain) {
  std::string text;
  for (int i = 1; i < kMany; ++i) {
    text +=
        "#loc" + number(i) + " = loc(#loc" + number(i + 1) + ")\nx loc(#loc" + number(i) + ")\n";
  }
  text += "#loc" + number(kMany) + " = loc(\"k.py\":1:2)\n";
  SourceMap map = map_mlir(text);
  EXPECT_EQ(map.coverage.mapped, static_cast<uint32_t>(kMany - 1));
  EXPECT_EQ(map.chains.size(), 1u);
}

TEST(HostileText, NamesOfNamesSpendTheBudget) {
  std::string text = "#loc0 = loc(\"k\":1:1)\n#loc1 = loc(\"k\":1:1)\n";
  for (int i = 2; i < kMany; ++i) {
    text += "#loc" + number(i) + " = loc(\"n\"(#loc" + number(i - 1) + "))\nx loc(#loc" +
            number(i) + ")\n";
  }
  SourceMap map = map_mlir(text);
  EXPECT_GT(map.coverage.mapped, 1000u);
  EXPECT_GT(map.not_understood, 1000u);
}

TEST(HostileText, FusedDagHasExponentiallyManyWays) {
  std::string text = "#loc1 = loc(\"k\":1:1)\n";
  for (int i = 2; i < 1000; ++i) {
    std::string before = "#loc" + number(i - 1);
    text += "#loc" + number(i) + " = loc(callsite(fused[" + before + ", " + before +
            ", \"k\":" + number(i) + ":1] at fused[" + before + ", \"j\":" + number(i) +
            ":1]))\nx loc(#loc" + number(i) + ")\n";
  }
  SourceMap map = map_mlir(text);
  expect_within_limits(map, text.size());
  EXPECT_LE(map.lines.size(), 1000 * kMaxChainsPerLine);
  EXPECT_GT(map.not_understood, 0u);
}

TEST(HostileText, CallsiteDag) {
  std::string text = "#loc1 = loc(\"k\":1:1)\n";
  for (int i = 2; i < kMany; ++i) {
    std::string before = "#loc" + number(i - 1);
    text += "#loc" + number(i) + " = loc(callsite(" + before + " at " + before + "))\nx loc(#loc" +
            number(i) + ")\n";
  }
  expect_within_limits(map_mlir(text), text.size());
}

TEST(HostileText, BigCycle) {
  std::string text;
  for (int i = 0; i < kMany; ++i) {
    text += "#loc" + number(i) + " = loc(callsite(\"a\":1:1 at #loc" + number((i + 1) % kMany) +
            "))\nx loc(#loc" + number(i) + ")\n";
  }
  SourceMap map = map_mlir(text);
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.coverage.unmapped, static_cast<uint32_t>(kMany));
}

TEST(HostileText, InlinedAtChain) {
  std::string text = "define void @k() {\n", metadata, ptx = "{\n.loc 1 1 1\nret;\n";
  for (int i = 1; i < kMany; ++i) {
    text += "  ret void, !dbg !" + number(i) + "\n";
    metadata += "!" + number(i) + " = !DILocation(line: " + number(i) + ", scope: !" + number(i) +
                ", inlinedAt: !" + number(i + 1) + ")\n";
    ptx +=
        ".loc 1 " + number(i + 1) + " 1, function_name l, inlined_at 1 " + number(i) + " 1\nret;\n";
  }
  text += "}\n" + metadata;
  SourceMap llir = map_llir(text);
  expect_within_limits(llir, text.size());
  EXPECT_GT(llir.coverage.mapped, 10'000u);
  SourceMap asm_map = map_ptx(ptx);
  expect_within_limits(asm_map, ptx.size());
  EXPECT_GT(asm_map.coverage.mapped, 10'000u);
}

TEST(HostileText, NestedScopesAndFilesOfOneName) {
  std::string text = "define void @k() {\n", metadata, ptx;
  for (int i = 1; i < kMany; ++i) {
    text += "  ret void, !dbg !" + number(i) + "\n";
    metadata += "!" + number(i) + " = !DILocation(line: 1, scope: !" + number(kMany + i) + ")\n!" +
                number(kMany + i) + " = !DILexicalBlock(scope: !" + number(kMany + i + 1) + ")\n";
    ptx += ".file " + number(i) + " \"/" + number(i) + "/k.py\"\n";
  }
  EXPECT_EQ(map_llir(text + "}\n" + metadata).coverage.mapped, static_cast<uint32_t>(kMany - 1));
  ptx += "{\n";
  for (int i = 1; i < kMany; ++i) ptx += ".loc 0 1 1 // x" + number(i) + "/k.py:1:1\nret;\n";
  EXPECT_EQ(map_ptx(ptx).coverage.mapped, static_cast<uint32_t>(kMany - 1));
}

TEST(HostileText, InferenceWithManyCandidates) {
  std::string sass = "x\n", ptx = ".file 1 \"k.py\"\n{\n";
  for (int i = 1; i <= kMany / 2; ++i) {
    ptx += ".loc 1 7 " + number(i) + " // k.py:7:" + number(i) + "\nret;\n";
    sass +=
        "//## File \"k.py\", line 7 inlined at \"c.py\", line " + number(i) + "\n/*00*/ EXIT;\n";
  }
  SourceMap map = map_sass(sass);
  infer_chains(map, map_ptx(ptx));
  EXPECT_EQ(map.lines.size(), static_cast<size_t>(kMany / 2));  // no candidate has these callers
  SourceMap simple =
      map_sass("//## File \"k.py\", line 7\n" + repeat("/*00*/ EXIT;\n", kMany / 10));
  infer_chains(simple, map_ptx(ptx));
  EXPECT_EQ(simple.lines.size(), size_t{kMany / 10} * kMaxChainsPerLine);
}

TEST(HostileText, AbsurdNumbers) {
  std::string_view big = "99999999999999999999999";
  std::string n(big);
  EXPECT_EQ(at(map_mlir("x loc(#loc" + n + ")\n#loc" + n + " = loc(\"k\":" + n + ":1)\n"), 1),
            "k:4294967295:1");
  EXPECT_EQ(map_llir("define {\n a !dbg !" + n + "\n}\n!" + n + " = !DILocation(line: 1)\n")
                .coverage.unmapped,
            2u);
  EXPECT_EQ(map_ptx(".file " + n + " \"k\"\n{\n.loc " + n + " 1 1\nret;\n}\n").coverage.mapped, 1u);
}

}  // namespace
}  // namespace ks::ir
