#include "ndjson/reference_stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::ndjson {
namespace {

TEST(ReferenceStages, KnownAdaptersWhateverTheCase) {
  EXPECT_TRUE(known_adapter("cuda"));
  EXPECT_TRUE(known_adapter("Hip"));
  EXPECT_FALSE(known_adapter(""));
  EXPECT_FALSE(known_adapter("cuda_triton"));
  EXPECT_TRUE(adapter_has_stage("cann", "ttadapter"));
  EXPECT_FALSE(adapter_has_stage("cann", "ttgir"));
}

TEST(ReferenceStages, StageListHasEveryStageOfTheAdapter) {
  EXPECT_EQ(reference_ir_stages("xpu"), "");
  EXPECT_THAT(reference_ir_stages("hip"),
              testing::StartsWith(R"([{"name":"ttir","extension":".ttir","display_name":"TTIR",)"
                                  R"("display_order":10,"is_text":true,)"
                                  R"("supports_source_mapping":true,"syntax_id":"mlir"},)"));
  EXPECT_THAT(reference_ir_stages("cuda"),
              testing::HasSubstr(R"("display_name":"CUBIN","display_order":50,"is_text":false)"));
}

TEST(ReferenceStages, WarpsBeforeSpecialisation) {
  const auto base = [](std::string_view ttgir, std::optional<double> warps) {
    const std::vector<Artifact> artifacts = {{"k.ttgir", ttgir}};
    ReferenceInput input;
    input.artifacts = artifacts;
    input.backend_name = "cuda";
    return reference_num_warps_base(input, warps);
  };
  constexpr std::string_view kModule = R"(module attributes {"ttg.num-warps" = 4 : i32})";
  EXPECT_EQ(base(kModule, 8), 4u);
  EXPECT_EQ(base(kModule, 4), std::nullopt);
  EXPECT_EQ(base(kModule, std::nullopt), std::nullopt);
  EXPECT_EQ(base("\"ttg.num-warps\" : 3\n\"ttg.num-warps\"\n=\t16", 8), 16u);
}

}  // namespace
}  // namespace ks::ndjson
