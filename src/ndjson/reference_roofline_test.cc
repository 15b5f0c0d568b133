#include "ndjson/reference_roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::ndjson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kGemm =
    "%a = tt.load %ap : tensor<64x32x!tt.ptr<f16>> loc(#loc1)\n"
    "%d = tt.dot %a, %b, %c : tensor<64x32xf16> * tensor<32x128xf16> -> tensor<64x128xf32> "
    "loc(#loc)\n"
    "tt.store %cp, %c : tensor<64x128x!tt.ptr<f32>> loc(#loc40)\n";

TEST(ReferenceRoofline, BytesAndFlopsOfOneCta) {
  const CtaCost cost = reference_cta_cost(kGemm);
  EXPECT_EQ(cost.load_bytes, 64u * 32 * 2);
  EXPECT_EQ(cost.store_bytes, 64u * 128 * 4);
  EXPECT_EQ(cost.flops, 2u * 64 * 128 * 32);
  EXPECT_THAT(cost.notes, ElementsAre(HasSubstr("lower bound")));
}

TEST(ReferenceRoofline, AnUnknownTypeMakesTheBytesUnknown) {
  const CtaCost cost = reference_cta_cost(
      "%1 = tt.load %p : !tt.ptr<f32> loc(#loc)\n%2 = tt.load %p : tensor<4x!tt.ptr<i1>>\n");
  EXPECT_EQ(cost.load_bytes, std::nullopt);
  EXPECT_THAT(cost.notes,
              ElementsAre("unparseable io line: %1 = tt.load %p : !tt.ptr<f32> loc(#loc)",
                          "unknown or sub-byte dtype on io line: i1"));
}

TEST(ReferenceRoofline, NotesOfWhatIsMissing) {
  EXPECT_THAT(reference_cta_cost("tt.atomic_rmw\ntt.dot_scaled x").notes,
              ElementsAre("atomics present but not counted in bytes_moved_per_cta",
                          "no tt.load/tt.store found",
                          "tt.dot present but dot shape unextractable; flops_per_cta=null"));
}

TEST(ReferenceRoofline, SmallerEstimateAndExactQuotient) {
  const std::vector<Artifact> artifacts = {{"k.ttir", kGemm}};
  ReferenceInput input;
  input.artifacts = artifacts;
  input.backend_name = "cuda";
  const std::vector<TensorArg> tensors = {{"in_out_ptr0", 1000, 4}, {"x", 7, 2}};
  LaunchForRoofline launch{.launch_index = 5,
                           .occurrence_id = 9,
                           .grid_json = "[8,1]",
                           .grid = std::vector<int64_t>{8, 1},
                           .tensors = tensors};
  const std::string json = reference_roofline(input, {&launch, 1});
  EXPECT_THAT(json, HasSubstr(R"([{"launch_index":5,"occurrence_id":9,"grid":[8,1],"num_ctas":8,)"
                              R"("bytes_moved":8014,"bytes_from_ir_x_grid":294912,)"
                              R"("bytes_from_args":8014,"flops":4194304,)"
                              R"("arithmetic_intensity":523.3720988270527}])"));
  launch.tensors = {};
  EXPECT_THAT(
      reference_roofline(input, {&launch, 1}),
      HasSubstr(R"("bytes_from_args":null,"flops":4194304,"arithmetic_intensity":14.2222)"));
  launch.grid.reset();
  launch.grid_json = {};
  EXPECT_THAT(reference_roofline(input, {&launch, 1}),
              HasSubstr(R"("grid":null,"num_ctas":null,"bytes_moved":null)"));
}

TEST(ReferenceRoofline, NoEventWithoutLaunchTtirOrAdapter) {
  const std::vector<Artifact> artifacts = {{"k.ttir", kGemm}};
  ReferenceInput input;
  input.artifacts = artifacts;
  const LaunchForRoofline launch;
  EXPECT_EQ(reference_roofline(input, {&launch, 1}), "");
  input.backend_name = "cuda";
  EXPECT_EQ(reference_roofline(input, {}), "");
  EXPECT_NE(reference_roofline(input, {&launch, 1}), "");
  input.artifacts = {};
  EXPECT_EQ(reference_roofline(input, {&launch, 1}), "");
}

TEST(ReferenceRoofline, NumbersBeyondTheFormatAreCutOffNotWrapped) {
  const CtaCost cost =
      reference_cta_cost("%1 = tt.load %p : tensor<99999999999x99999999999x!tt.ptr<f32>>\n");
  EXPECT_EQ(cost.load_bytes, 9223372036854775807u);
}

TEST(ReferenceRoofline, HostileTextsStayLinear) {
  std::string dots, loads;
  for (int i = 0; i < 100'000; ++i) {
    dots += "tt.dot ";
    loads += "tt.load ";
  }
  reference_cta_cost(dots);
  reference_cta_cost(dots + ": tensor<4x4xf16" + std::string(1 << 20, ' '));
  const CtaCost cost = reference_cta_cost(loads);
  EXPECT_EQ(cost.notes.size(), 1u);
}

}  // namespace
}  // namespace ks::ndjson
