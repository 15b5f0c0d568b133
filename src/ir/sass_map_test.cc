#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

TEST(SassMap, Nvdisasm) {
  SourceMap map = map_sass(R"(Function:k
	//## File "/a/k.py", line 10
	//## File ".nv_debug_ptx_txt", line 23
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File ".nv_debug_ptx_txt", line 25
        /*0010*/                   S2R R0, SR_TID.X ;
	//## File "/a/k.py", line 12
.L_x_1:
        /*00f0*/              @!P0 EXIT ;
	//## File "/a/k.py", line 0
        /*0100*/                   NOP;
Function:g
        /*0000*/                   NOP;
//--------------------- .debug_frame              --------------------------
.debug_frame:
        /*0000*/ 	.byte	0xff, 0xff
)");
  EXPECT_EQ(at(map, 4), "/a/k.py:10");
  EXPECT_EQ(at(map, 6), "/a/k.py:10");
  EXPECT_EQ(at(map, 9), "/a/k.py:12");
  EXPECT_EQ(coverage(map), "3 mapped, 1 unmapped, 1 unknown");
  EXPECT_EQ(map.ptx_lines, (std::vector<PtxLine>{{4, 23}, {6, 25}, {9, 25}, {11, 25}}));
}

// Made by nvdisasm -gi of CUDA 12.9.
TEST(SassMap, InlineStacks) {
  SourceMap map = map_sass(R"(.text.k:
	//## File "/home/u/k.py", line 13
        /*0030*/                   LDG.E R0, desc[UR4][R2.64] ;
	//## File "/lib/standard.py", line 77 inlined at "/lib/standard.py", line 40
	//## File "/lib/standard.py", line 40 inlined at "/home/u/k.py", line 13
	//## File "/home/u/k.py", line 13
        /*0050*/                   FMUL R5, R0, R5 ;
	//## File "/lib/standard.py", line 78 inlined at "/home/u/k.py", line 14
        /*0060*/                   FMUL R5, R0, R5 ;
)");
  EXPECT_EQ(at(map, 3), "/home/u/k.py:13");
  EXPECT_EQ(at(map, 7), "/lib/standard.py:77 < /lib/standard.py:40 < /home/u/k.py:13");
  EXPECT_EQ(at(map, 9), "/lib/standard.py:78 < /home/u/k.py:14");
}

TEST(SassMap, DialectsWithoutLines) {
  SourceMap cuobjdump = map_sass(R"(
		Function : k
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;        /* 0x00000a00ff017b82 */
                                                                 /* 0x000ff00000000800 */
)");
  EXPECT_EQ(coverage(cuobjdump), "0 mapped, 1 unmapped, 0 unknown");
  SourceMap control = map_sass(
      "--:-:1:-:7 S2R R0, SR_TID.X;\n--:-:-:Y:1\tNOP;\n01:2:-:-:f @P0 EXIT;\nname:\n"
      "a:b:c:d:e\n");
  EXPECT_EQ(coverage(control), "0 mapped, 3 unmapped, 0 unknown");
}

}  // namespace
}  // namespace ks::ir
