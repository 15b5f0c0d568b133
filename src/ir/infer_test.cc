#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

constexpr char kPtx[] = R"({
	.loc	2 40 22                         // lib.py:40:22 @[ k.py:20:27 ]
	add.s32 	%r1, %r2, 1;
	.loc	2 40 28                         // lib.py:40:28 @[ k.py:21:27 ]
	add.s32 	%r1, %r2, 1;
	.loc	1 12 4                          // k.py:12:4
	ret;
}
	.file	1 "/a/k.py"
	.file	2 "/lib/lib.py"
)";

SourceMap infer(std::string_view sass) {
  SourceMap map = map_sass(sass);
  infer_chains(map, map_ptx(kPtx));
  return map;
}

TEST(InferChains, KeepsAllCandidates) {
  SourceMap map = infer("//## File \"/lib/lib.py\", line 40\n/*0000*/ IADD R0 ;\n/*0010*/ NOP;\n");
  EXPECT_EQ(at(map, 2), "~/lib/lib.py:40:22 < /a/k.py:20:27 | ~/lib/lib.py:40:28 < /a/k.py:21:27");
  EXPECT_EQ(at(map, 3), at(map, 2));
  EXPECT_EQ(coverage(map), "2 mapped, 0 unmapped, 0 unknown");
}

TEST(InferChains, PtxLineDecides) {
  SourceMap map = infer(
      "//## File \"/lib/lib.py\", line 40\n//## File \".nv_debug_ptx_txt\", line 5\n/*00*/ IADD R0 "
      ";\n"
      "//## File \".nv_debug_ptx_txt\", line 7\n/*10*/ IADD R0 ;\n");
  EXPECT_EQ(at(map, 3), "~/lib/lib.py:40:28 < /a/k.py:21:27");
  // PTX line 7 is of another place: the two disagree, so all candidates stay.
  EXPECT_EQ(at(map, 5), "~/lib/lib.py:40:22 < /a/k.py:20:27 | ~/lib/lib.py:40:28 < /a/k.py:21:27");
}

TEST(InferChains, CallersNarrow) {
  SourceMap map = infer(
      "//## File \"/lib/lib.py\", line 40 inlined at \"/a/k.py\", line 21\n"
      "//## File \"/a/k.py\", line 21\n/*00*/ IADD R0 ;\n");
  EXPECT_EQ(at(map, 3), "~/lib/lib.py:40:28 < /a/k.py:21:27");
}

TEST(InferChains, BaseNamesAndStrangers) {
  SourceMap map = infer(
      "//## File \"/other/k.py\", line 12\n/*00*/ EXIT ;\n"
      "//## File \"/other/k.py\", line 13\n/*10*/ EXIT ;\n");
  EXPECT_EQ(at(map, 2), "~/a/k.py:12:4");
  EXPECT_EQ(at(map, 4), "/other/k.py:13");
}

TEST(InferChains, FromLlvmIr) {
  SourceMap map = map_sass(
      "//## File \"/a/k.py\", line 3\n//## File \".nv_debug_ptx_txt\", line 2\n/*00*/ EXIT ;\n");
  infer_chains(map, map_llir("define void @k() {\n  ret void, !dbg !1\n}\n"
                             "!1 = !DILocation(line: 3, column: 4, scope: !2)\n"
                             "!2 = !DISubprogram(name: \"k\", file: !3)\n"
                             "!3 = !DIFile(filename: \"k.py\", directory: \"/a\")\n"));
  EXPECT_EQ(at(map, 3), "~/a/k.py:3:4(k)");
  EXPECT_EQ(map.ptx_lines.size(), 1u);
}

}  // namespace
}  // namespace ks::ir
