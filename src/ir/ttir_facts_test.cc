#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/facts.h"
#include "ir/map_test_util.h"
#include "ir/mlir_ops.h"

namespace ks::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Like Triton prints a kernel: two nested loops of 4 and ceil(10/3) rounds.
constexpr std::string_view kNested = R"(module {
  tt.func public @k(%a: !tt.ptr<f16> loc("a{"(#loc))) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32 loc(#loc)
    %c1_i32 = arith.constant 1 : i32 loc(#loc)
    %c3_i32 = arith.constant 3 : i32 loc(#loc)
    %c4_i32 = arith.constant 4 : i32 loc(#loc)
    %c10_i32 = arith.constant 10 : i32 loc(#loc)
    %s = tt.load %p : !tt.ptr<f32> loc(#loc)
    %r:2 = scf.for %i = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%x = %y) -> (tensor<4xf32>)  : i32 {
      %b = tt.load %q, %m : tensor<64x32x!tt.ptr<f16>> loc(#loc)
      scf.for %j = %c0_i32 to %c10_i32 step %c3_i32  : i32 {
        %d = tt.dot %b, %e, %f, inputPrecision = tf32 : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32> loc(#loc)
      } loc(#loc)
      scf.yield %b : tensor<4xf32> loc(#loc)
    } {tt.num_stages = 2 : i32} loc(#loc)
    tt.store %q, %s, %m : tensor<128x!tt.ptr<i1>> loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
}
)";

TEST(TtirFacts, LoopsMultiplyWhatIsInThem) {
  const TtirFacts facts = facts_from_ttir(kNested);
  ASSERT_EQ(facts.loops.size(), 2u);
  EXPECT_EQ(facts.loops[0].begin_line, 9u);
  EXPECT_EQ(facts.loops[0].end_line, 15u);
  EXPECT_EQ(facts.loops[0].trip_count, 4u);
  EXPECT_EQ(facts.loops[1].depth, 1u);
  EXPECT_EQ(facts.loops[1].trip_count, 4u);
  EXPECT_EQ(facts.cost.load_bytes, 4u + 4 * 64 * 32 * 2);
  EXPECT_EQ(facts.cost.store_bytes, 128u);
  EXPECT_EQ(facts.cost.flops, 4u * 4 * 2 * 64 * 16 * 32);
  EXPECT_FALSE(facts.cost.lower_bound);
  EXPECT_THAT(facts.cost.notes, IsEmpty());
}

TEST(TtirFacts, DotShapes) {
  const TtirFacts facts = facts_from_ttir(kNested);
  ASSERT_EQ(facts.dots.size(), 1u);
  const DotShape& dot = facts.dots[0];
  EXPECT_EQ((std::vector{dot.m, dot.n, dot.k}), (std::vector<uint64_t>{64, 16, 32}));
  EXPECT_EQ(dot.input_dtype + " " + dot.output_dtype, "f16 f32");
  EXPECT_EQ(dot.line, 12u);
  EXPECT_EQ(dot.loop_depth, 2u);
}

TEST(TtirFacts, ScaledDotsCountPackedValuesAndBatchesCountAsRows) {
  const TtirFacts facts = facts_from_ttir(
      "%d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : "
      "tensor<128x64xi8>, tensor<128x4xi8> * tensor<64x32xi8>, tensor<32x4xi8> -> "
      "tensor<128x32xf32> loc(#loc)\n"
      "%e = tt.dot %a, %b, %c : tensor<4x16x8xf32> * tensor<4x8x16xf32> -> tensor<4x16x16xf32>\n");
  ASSERT_EQ(facts.dots.size(), 2u);
  EXPECT_EQ(facts.dots[0].k, 128u);
  EXPECT_EQ(facts.dots[0].input_dtype, "e2m1");
  EXPECT_EQ(facts.dots[1].m, 64u);
}

TEST(TtirFacts, DescriptorsCountTheirBlock) {
  const TtirFacts facts = facts_from_ttir(
      "tt.func public @k() {\n"
      "%2 = tt.descriptor_load %d[%0, %1] : !tt.tensordesc<tensor<64x64xf32>> -> "
      "tensor<64x32xf32>\n"
      "%3 = tt.experimental_descriptor_load %d[%0] : !tt.tensordesc<tensor<8xf32>> -> "
      "tensor<8xf32>\n"
      "tt.descriptor_store %o[%0, %1], %3 : !tt.tensordesc<tensor<64x64xf32>>, "
      "tensor<64x64xf16>\n}");
  EXPECT_EQ(facts.cost.load_bytes, 64u * 32 * 4 + 32);
  EXPECT_EQ(facts.cost.store_bytes, 64u * 64 * 2);
  EXPECT_FALSE(facts.cost.flops.has_value());
}

TEST(TtirFacts, WhatIsNotKnownMakesALowerBoundAndSaysSo) {
  const TtirFacts facts = facts_from_ttir(
      "tt.func public @k() {\n"
      "scf.for %i = %lo to %n step %st : i32 {\n"
      "%1 = tt.load %p : tensor<8x!tt.ptr<f32>>\n"
      "}\n"
      "%2 = tt.atomic_rmw fadd, relaxed, gpu, %p : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf32>\n"
      "%3 = tt.load %p : tensor<8x!tt.ptr<mystery>>\n"
      "tt.call @helper() : () -> ()\n"
      "}\n"
      "tt.func private @helper() {\n%1 = tt.load %p : tensor<8x!tt.ptr<f32>>\n}\n");
  EXPECT_TRUE(facts.cost.lower_bound);
  EXPECT_EQ(facts.cost.load_bytes, 32u);
  EXPECT_THAT(facts.cost.notes,
              ElementsAre(HasSubstr("constant trip count"), HasSubstr("atomics"),
                          "line 6: type of tt.load not read", HasSubstr("not inlined")));
}

TEST(TtirFacts, ConstantsOfAnotherFunctionDoNotCount) {
  const TtirFacts facts = facts_from_ttir(
      "tt.func public @a() {\n%c8 = arith.constant 8 : i32\n%c1 = arith.constant 1 : i32\n}\n"
      "tt.func public @b() {\nscf.for %i = %c1 to %c8 step %c1 : i32 {\n}\n}\n");
  ASSERT_EQ(facts.loops.size(), 1u);
  EXPECT_FALSE(facts.loops[0].trip_count.has_value());
}

TEST(TtirFacts, TypesOfEveryForm) {
  const auto bytes = [](std::string_view text) {
    const auto type = value_type(text);
    return type ? type->bytes() : std::nullopt;
  };
  EXPECT_EQ(bytes("tensor<4x8xf8E4M3FN, #blocked>"), 32u);
  EXPECT_EQ(bytes("!tt.ptr<tensor<4x8xbf16>>"), 64u);
  EXPECT_EQ(bytes("tensor<4x!tt.ptr<f32, 1>>"), 16u);
  EXPECT_EQ(bytes("tensor<4x!tt.ptr<!tt.ptr<f32>>>"), 32u);
  EXPECT_EQ(bytes("tensor<3xf4E2M1FN>"), 2u);
  EXPECT_EQ(bytes("f32"), 4u);
  EXPECT_EQ(bytes("tensor<99999x99999x99999x99999x99999xf32>"), UINT64_MAX);
  EXPECT_EQ(bytes("tensor<4xindexx>"), std::nullopt);
  EXPECT_EQ(bytes(""), std::nullopt);
}

TEST(TtirFacts, EmptyAndCutTexts) {
  EXPECT_FALSE(facts_from_ttir("").cost.load_bytes.has_value());
  for (size_t length = 0; length < kNested.size(); ++length) {
    facts_from_ttir(kNested.substr(0, length));
  }
}

TEST(TtirFacts, RealKernelOfAmd) {
  const auto path = shared_data() / "corpus/triton-ir/amd_fused_moe_cachedir/fused_moe_kernel.ttir";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const TtirFacts facts = facts_from_ttir(read_file(path));
  ASSERT_EQ(facts.dots.size(), 1u);
  EXPECT_EQ(facts.dots[0].input_dtype, "f8E4M3FNUZ");
  EXPECT_EQ(facts.cost.flops, 2u * 256 * 256 * 128);
  EXPECT_TRUE(facts.cost.lower_bound);
  EXPECT_EQ(facts.loops.size(), 1u);
}

}  // namespace
}  // namespace ks::ir
