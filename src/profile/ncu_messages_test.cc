#include "profile/ncu_messages.h"

#include <gtest/gtest.h>

#include "profile/ncu_test_data.h"

namespace ks::profile {
namespace {

using testing::parse;

TEST(NcuMessages, FailuresOfTheTool) {
  const struct {
    const char* text;
    Status status;
  } cases[] = {
      {"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
       "Performance Counters on the target device 0.",
       Status::no_permission},
      {"==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other "
       "tool (like DCGM) is concurrently collecting profiling data.",
       Status::busy},
      {"==WARNING== No kernels were profiled.", Status::not_launched},
      {"==ERROR== Failed to prepare kernel for profiling", Status::unsupported},
      {"==ERROR== Unknown Error on device 0.", Status::unsupported},
      {"==ERROR== Cuda driver is not compatible with Nsight Compute.", Status::unsupported},
      {"Failed to initialize the profiler: LibraryNotLoaded", Status::unsupported},
      {"==ERROR== Failed to profile \"f\" in process 7", Status::metric_error},
      {"==ERROR== LaunchFailed", Status::fault},
      {"==ERROR== The application returned an error code (1).", Status::kernel_error},
      {"==ERROR== No metrics to collect found in sections.", Status::metric_error},
      {"==ERROR== Failed to save memory for replay", Status::out_of_memory},
      {"==PROF== Target process 9 terminated before first instrumented API call.",
       Status::not_launched},
  };
  for (const auto& c : cases) {
    const auto failure = tool_failure(c.text);
    ASSERT_TRUE(failure.has_value()) << c.text;
    EXPECT_EQ(failure->status, c.status) << c.text;
    const NcuLog log = parse(std::string(c.text) + "\n");
    EXPECT_EQ(log.failure, c.status);
    EXPECT_EQ(log.failure_text, c.text);
  }
}

TEST(NcuMessages, HarmlessLines) {
  for (const char* text :
       {"==PROF== Connected to process 1632 (/usr/bin/python3.12)",
        "==PROF== Disconnected from process 1632", "==PROF== Report: /tmp/full12.ncu-rep",
        "==WARNING== Unable to access the following 6 metrics: ctc__rx_bytes_data_user.sum",
        "torch.OutOfMemoryError: CUDA out of memory", "bad allocation of seats", ""}) {
    EXPECT_FALSE(tool_failure(text).has_value()) << text;
  }
}

TEST(NcuMessages, TheCauseOutweighsItsConsequence) {
  const NcuLog log = parse(
      "==ERROR== The application returned an error code (1).\n"
      "==WARNING== No kernels were profiled.\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n"
      "==ERROR== Failed to profile \"f\" in process 7\n");
  EXPECT_EQ(log.failure, Status::no_permission);
}

TEST(NcuMessages, AnErrorOfTheApplicationIsNamed) {
  const NcuLog log = parse(
      "Traceback (most recent call last):\n"
      "  File \"x.py\", line 1\n"
      "ModuleNotFoundError: No module named 'torch'\n"
      "==ERROR== The application returned an error code (1).\n");
  EXPECT_EQ(log.failure, Status::kernel_error);
  EXPECT_NE(log.failure_text.find("No module named 'torch'"), std::string::npos);
}

TEST(NcuMessages, AReplayThatDoesNotFit) {
  const NcuLog log = parse(
      "==WARNING== Backing up device memory in system memory. Kernel replay might be slow.\n"
      "==ERROR== UnknownError\n");
  EXPECT_EQ(log.failure, Status::out_of_memory);
  ASSERT_EQ(log.notes.size(), 1);
  EXPECT_EQ(parse("==ERROR== UnknownError\n").failure, Status::unsupported);
}

}  // namespace
}  // namespace ks::profile
