#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/facts.h"
#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "op@line(source line)" of a part of a schedule.
std::vector<std::string> ops(const std::vector<ScheduledOp>& part) {
  std::vector<std::string> out;
  for (const ScheduledOp& op : part) {
    out.push_back(op.op + "@" + std::to_string(op.ttgir_line) + "(" +
                  std::to_string(op.source_line) + ")");
  }
  return out;
}

std::vector<LoopSchedule> schedules(std::string_view ttir, std::string_view ttgir) {
  return loop_schedules(ttir, map_mlir(ttir), ttgir, map_mlir(ttgir));
}

// Two loops one after the other; the pipeliner has swapped nothing, but peeled the second.
constexpr std::string_view kTtir = R"(tt.func public @k() {
    scf.for %i = %a to %b step %c : i32 {
      %1 = tt.load %p : tensor<8x!tt.ptr<f32>> loc("/k.py":11:4)
    } loc("/k.py":10:0)
    scf.for %i = %a to %b step %c : i32 {
      %2 = tt.load %p : tensor<8x!tt.ptr<f32>> loc("/k.py":21:4)
      %3 = tt.dot %2, %2, %4 : tensor<8x8xf32> * tensor<8x8xf32> -> tensor<8x8xf32> loc("/k.py":22:4)
    } loc("/k.py":20:0)
} loc("/k.py":1:0)
)";
constexpr std::string_view kTtgir = R"(tt.func public @k() {
    scf.for %i = %a to %b step %c : i32 {
      %1 = tt.load %p : tensor<8x!tt.ptr<f32>> loc("/k.py":11:4)
    } loc("/k.py":10:0)
    %0 = ttg.async_copy_global_to_local %p, %q : tensor<8x!tt.ptr<f32>> loc("/k.py":21:4)
    scf.for %i = %a to %b step %c : i32 {
      %2 = ttng.warp_group_dot %q, %q, %4 : tensor<8x8xf32> loc("/k.py":22:4)
      %5 = ttng.warp_group_dot_wait %2 : tensor<8x8xf32> loc("/k.py":22:4)
      %3 = ttg.async_copy_global_to_local %p, %q : tensor<8x!tt.ptr<f32>> loc("/k.py":21:4)
    } loc("/k.py":20:0)
    %6 = tt.dot %q, %q, %4 : tensor<8x8xf32> loc("/k.py":22:4)
} loc("/k.py":1:0)
)";

TEST(LoopSchedules, EveryInnermostLoopIsPairedByLocation) {
  const std::vector<LoopSchedule> all = schedules(kTtir, kTtgir);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].ttir_line, 2u);
  EXPECT_EQ(all[0].ttgir_line, 2u);
  EXPECT_THAT(ops(all[0].prologue), IsEmpty());
  EXPECT_THAT(ops(all[0].body), ElementsAre("tt.load@3(11)"));
  EXPECT_EQ(all[1].ttgir_line, 6u);
  EXPECT_THAT(ops(all[1].prologue), ElementsAre("ttg.async_copy_global_to_local@5(21)"));
  EXPECT_THAT(ops(all[1].body),
              ElementsAre("ttng.warp_group_dot@7(22)", "ttg.async_copy_global_to_local@9(21)"));
  EXPECT_THAT(ops(all[1].epilogue), ElementsAre("tt.dot@11(22)"));
  EXPECT_EQ(all[1].body[0].source_file, "/k.py");
}

TEST(LoopSchedules, ALoopThatIsGoneHasNoCounterpart) {
  const std::vector<LoopSchedule> all = schedules(kTtir, kTtgir.substr(0, kTtgir.find("    %0")));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].ttgir_line, 2u);
  EXPECT_EQ(all[1].ttgir_line, 0u);
  EXPECT_THAT(all[1].body, IsEmpty());
}

TEST(LoopSchedules, OfNestedLoopsTheInnerOne) {
  const std::vector<LoopSchedule> all =
      schedules("scf.for %i = %a to %b step %c {\nscf.for %j = %a to %b step %c {\n}\n}\n", "");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].ttir_line, 2u);
}

TEST(LoopSchedules, RealSoftmaxIsPipelined) {
  const auto folder = std::filesystem::path(KS_SOURCE_DIR) / "tests/data/ir";
  const std::string ttir = read_file(folder / "softmax_kernel.ttir");
  const std::string ttgir = read_file(folder / "softmax_kernel.ttgir");
  ASSERT_FALSE(ttir.empty());
  const std::vector<LoopSchedule> all = schedules(ttir, ttgir);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].prologue.size(), 1u);
  EXPECT_EQ(all[0].prologue[0].op, "ttg.async_copy_global_to_local");
  ASSERT_EQ(all[0].body.size(), 1u);
  EXPECT_EQ(all[0].body[0].source_line, all[0].prologue[0].source_line);
  EXPECT_THAT(all[0].epilogue, IsEmpty());
}

TEST(LoopSchedules, AmdLoopWithPeeledDot) {
  const auto folder = shared_data() / "corpus/triton-ir/amd_fused_moe_cachedir";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const std::vector<LoopSchedule> all = schedules(read_file(folder / "fused_moe_kernel.ttir"),
                                                  read_file(folder / "fused_moe_kernel.ttgir"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(ops(all[0].prologue), ElementsAre("tt.load@101(137)", "tt.load@103(141)"));
  EXPECT_THAT(ops(all[0].epilogue), ElementsAre("tt.dot@122(144)"));
}

}  // namespace
}  // namespace ks::ir
