#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

// Triton 3.6: chains in comments, .file after the functions.
constexpr char kTriton[] = R"(.version 8.7
.target sm_90a
	// .globl	k           // -- Begin function k
.global .align 1 .b8 msg[4] = {1, 2, 3, 4};
.visible .entry k(
	.param .u64 .ptr .global .align 1 k_param_0
)
.reqntid 128
{
	.reg .b32 	%r<10>;
	.loc	1 18 0                          // k.py:18:0
$L__func_begin0:
// %bb.0:
	ld.param.b64 	%rd2, [k_param_0];
$L__tmp0:
	.loc	2 40 22                         // standard.py:40:22 @[ k.py:20:27 ]
	add.s32 	%r1, %r2, 1;
	.loc	2 41 3                          // standard.py:41:3 @[ standard.py:40:22 @[ k.py:20:27 ] ]
	// begin inline asm
	{ .reg .b32 t; add.u32 t, 1, 2; }
	@%p1 st.global.b32 [ %rd1 + 0 ], { %r1 };
	// end inline asm
	.loc	1 0 27                          // k.py:0:27
	{ // callseq 0, 0
	call.uni
	f,
	(
	);
	} // callseq 0
	.loc	1 19                            // k.py:19
	ret;
$L__func_end0:
                                        // -- End function
}
	// .globl	g           // -- Begin function g
.visible .func  (.param .b32 r) g(
)
{
	mov.u32 	%r1, 1;
	.loc	3 7 1                           // k.py:7:1 @[ k.py:8:1 ]
	ret;
}
	.file	1 "/a/k.py"
	.file	2 "/lib" "standard.py"
	.file	3 "/b/k.py"
	.file	4 "/b" "/abs/x.py"
	.section	.debug_abbrev
	{
.b8 1                                   // Abbreviation Code
	}
	.section	.debug_macinfo	{	}
)";

TEST(PtxMap, CommentChains) {
  SourceMap map = map_ptx(kTriton);
  EXPECT_EQ(at(map, 14), "/a/k.py:18(k)");
  EXPECT_EQ(at(map, 17), "/lib/standard.py:40:22 < /a/k.py:20:27(k)");
  std::string deep = "/lib/standard.py:41:3 < /lib/standard.py:40:22 < /a/k.py:20:27(k)";
  EXPECT_EQ(at(map, 20), deep);
  EXPECT_EQ(at(map, 21), deep);
  EXPECT_EQ(at(map, 31), "/a/k.py:19(k)");
}

TEST(PtxMap, OnlyInstructionsAreCode) {
  SourceMap map = map_ptx(kTriton);
  for (uint32_t line : {4u, 10u, 11u, 12u, 15u, 16u, 19u, 23u, 29u, 30u, 33u}) {
    EXPECT_EQ(at(map, line), "-") << line;
  }
  // Unmapped: the instruction before g's first .loc. Unknown: the four lines of a call at line 0.
  EXPECT_EQ(coverage(map), "6 mapped, 1 unmapped, 4 unknown");
}

TEST(PtxMap, SameBaseNameMeansTheFunctionsFile) {
  EXPECT_EQ(at(map_ptx(kTriton), 41), "/b/k.py:7:1 < /b/k.py:8:1(g)");
}

constexpr char kInlinedAt[] = R"(.visible .entry k(.param .u64 a)
{
	.loc 1 10 0
	ld.param.u64 %rd1, [a];
	.loc 1 13 8
	ld.global.f32 %f1, [%rd2];
	.loc 2 40 22, function_name $L__info_string0, inlined_at 1 13 8
	add.f32 %f2, %f1, 0f3F800000;
	.loc 2 77 3, function_name .debug_str+5, inlined_at 2 40 22
	mul.f32 %f3, %f2, %f1;
	.loc 2 50 1, function_name $L__info_string1 + 1, inlined_at 1 99 4 // lib.py:50:1 @[ k.py:99:4 ]
	mul.f32 %f3, %f2, %f1;
	.loc 2 51 1, function_name $L__none, inlined_at 1 98 4
	ret;
}
	.file	1 "/a/k.py"
	.file	2 "/l/lib.py"
	.section	.debug_str
	{
$L__info_string0:
.b8 99,100,105, 118,0
$L__info_string1:
.b8 98                                  // string offset
.b8 97
.b8 114
.b8 0
	}
)";

TEST(PtxMap, InlinedAt) {
  SourceMap map = map_ptx(kInlinedAt);
  EXPECT_EQ(at(map, 4), "/a/k.py:10");
  EXPECT_EQ(at(map, 8), "/l/lib.py:40:22(cdiv) < /a/k.py:13:8(k)");
  EXPECT_EQ(at(map, 10), "/l/lib.py:77:3(bar) < /l/lib.py:40:22(cdiv) < /a/k.py:13:8(k)");
  EXPECT_EQ(at(map, 12), "/l/lib.py:50:1(ar) < /a/k.py:99:4(k)");
  EXPECT_EQ(at(map, 14), "/l/lib.py:51:1 < /a/k.py:98:4(k)");
}

TEST(PtxMap, FilesThatAreNotThere) {
  SourceMap map =
      map_ptx("{\n.loc 7 1 2 // dir/other.py:1:2 @[ C:\\x y.py:3:4 ]\nret;\n.loc bad\nret;\n}\n");
  EXPECT_EQ(at(map, 3), "dir/other.py:1:2 < C:\\x y.py:3:4");
  EXPECT_EQ(coverage(map), "1 mapped, 1 unmapped, 0 unknown");
  EXPECT_EQ(map.not_understood, 1u);
}

TEST(PtxMap, MarksWithoutBraces) {
  SourceMap map = map_ptx(
      "// .globl k // -- Begin function k\n\t.loc 1 99 1 // k.py:99:1\n\tret;\n// -- End function\n"
      "ret;\n");
  EXPECT_EQ(at(map, 3), "k.py:99:1(k)");
  EXPECT_EQ(coverage(map), "1 mapped, 0 unmapped, 0 unknown");
}

}  // namespace
}  // namespace ks::ir
