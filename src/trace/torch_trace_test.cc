#include "trace/torch_trace.h"

#include <gtest/gtest.h>

namespace ks::trace {

namespace {
KernelFrames read(std::string text, Diagnostics& diagnostics) {
  KernelFrames frames;
  EXPECT_TRUE(read_torch_trace(io::from_memory(std::move(text)), "log", {}, frames, diagnostics));
  return frames;
}
constexpr const char* kHead = "V0302 14:30:00.123456 12345 torch/_logging/x.py:1489] ";
}  // namespace

TEST(TorchTrace, MapsKernelPathsToTheirFrame) {
  Diagnostics d;
  const auto frames =
      read(std::string(kHead) +
               R"({"inductor_output_code":{"filename":"x"},"frame_id":7,)"
               R"("frame_compile_id":2,"attempt":1})" +
               "\n\tcode\n\t# kernel path: /t/a.py\n\t  # kernel path: /t/no.py\n" + kHead +
               R"({"other":1,"frame_id":9})" + "\n\t# kernel path: /t/b.py\n",
           d);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames.at("/t/a.py"), (FrameIds{7, 2, 1, std::nullopt}));
  EXPECT_TRUE(d.lossless());
}

TEST(TorchTrace, LaterRecordsWinAndBadOnesAreCounted) {
  Diagnostics d;
  const auto frames =
      read(std::string(kHead) + R"({"inductor_output_code":1,"frame_id":1})" +
               "\n\t# kernel path: /t/a.py\n" + kHead + "{\"inductor_output_code\":\n" + kHead +
               R"({"inductor_output_code":1,"frame_id":2,"compiled_autograd_id":5})" +
               "\n\t# kernel path: /t/a.py\n",
           d);
  EXPECT_EQ(frames.at("/t/a.py"), (FrameIds{2, std::nullopt, 0, 5}));
  EXPECT_EQ(d[Diag::bad_torch_trace].count, 1u);
}

}  // namespace ks::trace
