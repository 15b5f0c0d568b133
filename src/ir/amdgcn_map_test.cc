#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

constexpr char kText[] = R"(	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.globl	k                       ; -- Begin function k
	.type	k,@function
k:                                      ; @k
.Lfunc_begin0:
	.file	1 "/a" "k.py" md5 0x00
	.loc	1 10 0                          ; k.py:10:0
	s_load_dwordx2 s[2:3], s[0:1], 0x10
	.loc	1 12 24 is_stmt 0               ; k.py:12:24
	; comment only
	v_add_u32 v0, v1, v2
.Ltmp1:
	.file	2 "/lib" "standard.py"
	.loc	2 12 30 prologue_end            ; standard.py:12:30 @[ k.py:13:8 ]
	s_barrier
	.loc	2 40 22 is_stmt 0
	s_nop 0
	.loc	1 0 22
	s_endpgm
.Lfunc_end0:
	.size	k, .Lfunc_end0-k
                                        ; -- End function
	.section	.rodata,"a",@progbits
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 256
	.end_amdhsa_kernel
	.text
g:
	s_nop 1
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .vgpr_count: 256
...
	.end_amdgpu_metadata
)";

TEST(AmdgcnMap, Chains) {
  SourceMap map = map_amdgcn(kText);
  EXPECT_EQ(at(map, 9), "/a/k.py:10(k)");
  EXPECT_EQ(at(map, 12), "/a/k.py:12:24(k)");
  EXPECT_EQ(at(map, 16), "/lib/standard.py:12:30 < /a/k.py:13:8(k)");
  // Without the comment nobody knows whether there are callers.
  EXPECT_EQ(at(map, 18), "/lib/standard.py:40:22");
}

TEST(AmdgcnMap, OnlyInstructionsAreCode) {
  EXPECT_EQ(coverage(map_amdgcn(kText)), "4 mapped, 1 unmapped, 1 unknown");
}

}  // namespace
}  // namespace ks::ir
