#include <gtest/gtest.h>

#include "ir/facts.h"
#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

TEST(Resources, AmdgcnFooter) {
  const Resources r = resources_from_text(
      Stage::amdgcn,
      "  - .agpr_count:     8\n    .group_segment_fixed_size: 1024\n"
      "    .private_segment_fixed_size: 348\n    .sgpr_count:     95\n    .sgpr_spill_count: 0\n"
      "    .vgpr_count:     256\n    .vgpr_spill_count: 98\n");
  EXPECT_EQ(r.registers, 256u);
  EXPECT_EQ(r.scalar_registers, 95u);
  EXPECT_EQ(r.accumulator_registers, 8u);
  EXPECT_EQ(r.spilled_registers, 98u);
  EXPECT_EQ(r.spill_bytes, 98u * 4);
  EXPECT_EQ(r.stack_bytes, 348u);
  EXPECT_EQ(r.shared_bytes, 1024u);
  EXPECT_EQ(r.source, "amdgcn");
}

TEST(Resources, AmdgcnCutBeforeTheFooter) {
  const Resources r = resources_from_text(
      Stage::amdgcn, "\t\t.amdhsa_next_free_vgpr 210\n\t\t.amdhsa_private_segment_fixed_size 16\n");
  EXPECT_EQ(r.registers, 210u);
  EXPECT_EQ(r.stack_bytes, 16u);
  EXPECT_FALSE(r.spilled_registers.has_value());
}

TEST(Resources, SassOfCuobjdumpAndNvdisasm) {
  const Resources usage = resources_from_text(
      Stage::sass, " Function k:\n  REG:32 STACK:16 SHARED:2048 LOCAL:0 CONSTANT[0]:564\n");
  EXPECT_EQ(usage.registers, 32u);
  EXPECT_EQ(usage.stack_bytes, 16u);
  EXPECT_EQ(usage.shared_bytes, 2048u);
  EXPECT_EQ(resources_from_text(Stage::sass, "\t.sectioninfo\t@\"SHI_REGISTERS=40\"\n").registers,
            40u);
  EXPECT_EQ(resources_from_text(
                Stage::sass,
                "\t//----- nvinfo : EIATTR_REGCOUNT\n\t.align\t\t4\n"
                "        /*0004*/ \t.word\tindex@(k)\n        /*0008*/ \t.word\t0x00000018\n"
                "\t//----- nvinfo : EIATTR_FRAME_SIZE\n\t.word\t0x00000000\n")
                .registers,
            24u);
  const Resources ptxas =
      resources_from_text(Stage::sass,
                          "    48 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads\n"
                          "ptxas info    : Used 255 registers\n");
  EXPECT_EQ(ptxas.registers, 255u);
  EXPECT_EQ(ptxas.spill_bytes, 40u);
}

TEST(Resources, PtxDeclarationsAndLimits) {
  const Resources r = resources_from_text(
      Stage::ptx,
      ".visible .entry k(\n)\n.reqntid 128, 2, 1\n.maxnreg 64\n{\n"
      "\t.local .align 16 .b8 \t__local_depot0[96];\n"
      "\t.shared .align 4 .b32 tile[16];\n.extern .shared .align 16 .b8 global_smem[];\n"
      "\tst.local.b32 [%rd1], %r1;\n");
  EXPECT_FALSE(r.registers.has_value());
  EXPECT_EQ(r.register_limit, 64u);
  EXPECT_EQ(r.threads_per_cta, 256u);
  EXPECT_EQ(r.stack_bytes, 96u);
  EXPECT_EQ(r.shared_bytes, 64u);
}

TEST(Resources, NothingSaid) {
  EXPECT_EQ(resources_from_text(Stage::sass, "/*0000*/ MOV R1, R2 ;").source, "");
  EXPECT_EQ(resources_from_text(Stage::ttir, ".vgpr_count: 3").source, "");
}

TEST(Resources, RealAmdKernelSpills) {
  const auto path =
      shared_data() / "corpus/triton-ir/amd_fused_moe_cachedir/fused_moe_kernel.amdgcn";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Resources r = resources_from_text(Stage::amdgcn, read_file(path));
  EXPECT_EQ(r.registers, 256u);
  EXPECT_EQ(r.spilled_registers, 98u);
}

TEST(BufferOps, LinesNotOccurrences) {
  const BufferOps ops = buffer_ops("tt.load tt.load\ntt.load\namdgpu.buffer_store tt.store",
                                   "buffer_load_dword\n\nglobal_load\nglobal_load");
  EXPECT_EQ(ops.tt_load, 2u);
  EXPECT_EQ(ops.tt_store, 1u);
  EXPECT_EQ(ops.amdgpu_buffer_store, 1u);
  EXPECT_EQ(ops.amdgpu_buffer_load, 0u);
  EXPECT_EQ(ops.buffer_load, 1u);
  EXPECT_EQ(ops.global_load, 2u);
}

TEST(NumWarps, OfTheModule) {
  EXPECT_EQ(num_warps_of_ttgir("module attributes {\"ttg.num-warps\" = 8 : i32}"), 8u);
  EXPECT_EQ(num_warps_of_ttgir("module attributes {\"triton_gpu.num-warps\" = 4 : i32}"), 4u);
  EXPECT_EQ(num_warps_of_ttgir("\"ttg.num-warps\" = many"), std::nullopt);
  EXPECT_EQ(num_warps_of_ttgir("\"ttg.num-warps\" = 99999999999"), std::nullopt);
}

}  // namespace
}  // namespace ks::ir
