#include "profile/worker_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ks::profile {
namespace {

TEST(WorkerProtocol, AsksForAMeasurement) {
  Task task;
  task.id = 3;
  task.kernel = "k";
  task.path = "/a \"b\".py";
  task.pinned_config = "XBLOCK: 1";
  Policy policy;
  policy.metrics.metrics = {"a", "b"};
  EXPECT_EQ(measure_request(task, policy),
            "{\"op\":\"measure\",\"id\":3,\"path\":\"/a \\\"b\\\".py\",\"kernel\":\"k\","
            "\"metrics\":[\"a\",\"b\"],\"cache_control\":\"all\",\"clock_control\":\"none\","
            "\"latency\":false,\"pinned_config\":\"XBLOCK: 1\",\"timeout_s\":60.0}\n");
}

TEST(WorkerProtocol, ReadsWhatAWorkerSays) {
  auto hello =
      read_reply(R"({"op":"hello","problem":null,"circumstances":{"device":"D","sm_count":132}})");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->circumstances.device, "D");
  EXPECT_EQ(hello->circumstances.sm_count, 132);
  EXPECT_FALSE(hello->problem);
  auto busy = read_reply(R"({"op":"hello","problem":"busy","text":"nsys\nhas it"})");
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->problem, Status::busy);
  EXPECT_EQ(busy->text, "nsys has it");
  auto done = read_reply(R"({"op":"done","id":5,"leaving":true,"measurement":{"status":"fault"}})");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->measurement.status, Status::fault);
  EXPECT_TRUE(done->leaving);
  EXPECT_EQ(done->id, 5u);
}

TEST(WorkerProtocol, RefusesNonsense) {
  for (const char* line :
       {"", "hi", "[]", "{}", R"({"op":"done","id":1})", R"({"op":"phase","id":-1})",
        R"({"op":"done","id":1,"measurement":{"status":"fine"}})",
        R"({"op":"hello","problem":"tired"})", R"({"op":"sing","id":1})",
        R"({"op":"hello","circumstances":{"device":1}})"}) {
    EXPECT_FALSE(read_reply(line)) << line;
  }
  EXPECT_FALSE(read_reply(std::string(100000, '[')));
}

TEST(LineBuffer, CutsLinesWhereverTheBytesAreCut) {
  LineBuffer lines;
  std::vector<std::string> got;
  for (const char c : std::string("ab\n\ncd\nrest")) {
    lines.append({&c, 1});
    while (auto line = lines.next()) got.push_back(*line);
  }
  EXPECT_THAT(got, testing::ElementsAre("ab", "", "cd"));
  EXPECT_FALSE(lines.flooded());
  lines.append(std::string(LineBuffer::kMaxLine + 1, 'x'));
  EXPECT_TRUE(lines.flooded());
}

}  // namespace
}  // namespace ks::profile
