#include <gtest/gtest.h>

#include <set>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

// One kernel of Triton 3.6 on an H200; the stages belong together.
SourceMap softmax(Stage stage) {
  auto path = std::filesystem::path(KS_SOURCE_DIR) / "tests/data/ir/softmax_kernel";
  path += "." + std::string(to_string(stage));
  return map_stage(stage, read_file(path));
}

// Files and lines of all chains, without columns, names and functions.
std::set<std::string> places(const SourceMap& map) {
  std::set<std::string> out;
  for (const Chain& chain : map.chains) {
    std::string place;
    for (uint32_t i = 0; i < chain.count; ++i) {
      const Frame& f = map.frames[chain.first + i];
      place += map.strings[f.file] + ":" + std::to_string(f.line) + " < ";
    }
    out.insert(place);
  }
  return out;
}

TEST(RealTexts, CoverageOfTritonStages) {
  EXPECT_EQ(coverage(softmax(Stage::ttir)), "37 mapped, 0 unmapped, 1 unknown");
  EXPECT_EQ(coverage(softmax(Stage::ttgir)).find(" 0 unmapped") != std::string::npos, true);
  EXPECT_EQ(coverage(softmax(Stage::ptx)).find(" 0 unmapped") != std::string::npos, true);
  EXPECT_EQ(coverage(softmax(Stage::sass)).find(" 0 unmapped") != std::string::npos, true);
  for (Stage stage : {Stage::ttir, Stage::ttgir, Stage::llir, Stage::ptx, Stage::sass}) {
    EXPECT_EQ(softmax(stage).not_understood, 0u) << to_string(stage);
    EXPECT_GT(softmax(stage).coverage.mapped, 30u) << to_string(stage);
  }
}

// What the compiler made of a line is where the TTIR says that the line is.
TEST(RealTexts, LaterStagesAgreeWithTtir) {
  std::set<std::string> ttir = places(softmax(Stage::ttir));
  for (Stage stage : {Stage::ttgir, Stage::llir, Stage::ptx}) {
    SourceMap map = softmax(stage);
    bool inlined = false;
    for (const std::string& place : places(map)) {
      EXPECT_TRUE(ttir.contains(place)) << to_string(stage) << " " << place;
    }
    for (const Chain& chain : map.chains) inlined |= chain.count == 3;
    EXPECT_TRUE(inlined) << to_string(stage);
  }
}

TEST(RealTexts, SassTakesChainsFromItsPtxLine) {
  SourceMap sass = softmax(Stage::sass);
  size_t lines = sass.lines.size();
  EXPECT_EQ(sass.ptx_lines.size(), lines);
  infer_chains(sass, softmax(Stage::ptx));
  std::set<std::string> ttir = places(softmax(Stage::ttir));
  size_t inlined = 0;
  for (const Chain& chain : sass.chains) {
    EXPECT_TRUE(chain.inferred);
    inlined += chain.count > 1;
  }
  EXPECT_GT(inlined, 2u);
  for (const std::string& place : places(sass)) EXPECT_TRUE(ttir.contains(place)) << place;
  // Nearly every instruction has exactly one chain.
  EXPECT_LT(sass.lines.size(), lines * 12 / 10);
}

TEST(RealTexts, AmdAndOlderTriton) {
  auto folder = shared_data() / "corpus/triton-ir";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  auto moe = folder / "amd_fused_moe_cachedir";
  SourceMap llir = map_llir(read_file(moe / "fused_moe_kernel.llir"));
  EXPECT_EQ(coverage(llir), "2532 mapped, 361 unmapped, 0 unknown");
  SourceMap amdgcn = map_amdgcn(read_file(moe / "fused_moe_kernel.amdgcn"));
  EXPECT_EQ(coverage(amdgcn), "2801 mapped, 0 unmapped, 206 unknown");
  EXPECT_EQ(at(amdgcn, 13), "/sglang/python/sglang/srt/layers/fused_moe/fused_moe.py:86:24");
  EXPECT_EQ(map_mlir(read_file(moe / "fused_moe_kernel.ttir")).coverage.unmapped, 0u);
  for (const char* version : {"fb_dump_3.4", "fb_dump_3.5"}) {  // loc(unknown), loc("in_ptr0")
    SourceMap ttir = map_mlir(read_file(folder / version / "triton_kernel.ttir"));
    EXPECT_EQ(coverage(ttir), "0 mapped, 0 unmapped, 190 unknown");
    EXPECT_EQ(ttir.not_understood, 0u);
    SourceMap ptx = map_ptx(read_file(folder / version / "triton_kernel.ptx"));
    EXPECT_GT(ptx.coverage.unmapped, 200u);
  }
}

}  // namespace
}  // namespace ks::ir
