#include "io/file_name.h"

#include <gtest/gtest.h>

namespace ks::io {
namespace {

struct Row {
  std::string name;
  std::optional<int> rank;
  std::optional<int64_t> pid;
  std::optional<std::string> host;
};

// What the reference reads from these names.
const Row kRows[] = {
    {"dedicated_log_triton_trace_bob_.ndjson", {}, {}, {}},
    {"dedicated_log_triton_trace_bob_rank_0_.ndjson", 0, {}, {}},
    {"dedicated_log_triton_trace_bob_rank_12_pid_7_host_a-b_.bin.ndjson", 12, 7, "a-b"},
    {"dedicated_log_triton_trace_bob_rank_none_pid_7_host_h_.ndjson", {}, 7, "h"},
    {"dedicated_log_triton_trace_bob_pid_7_.ndjson.gz", {}, 7, {}},
    {"dedicated_log_triton_trace_a_rank_3_b_pid_9_host_x_rank_1_pid_2_host_y_.bin.ndjson.zst", 1, 2,
     "y"},
    {"dedicated_log_triton_trace_pid_123_team_.ndjson", {}, {}, {}},
    {"dedicated_log_triton_trace_x_host_h_.clp", {}, {}, "h"},
    {"dedicated_log_triton_trace_u_rank_1_host_h_.ndjson", 1, {}, "h"},
    {"dedicated_log_triton_trace_u_rank_01_pid_007_.ndjson", 1, 7, {}},
    {"log.source.dedicated_log_triton_trace_u_rank_2_.ndjson", 2, {}, {}},
    {"dedicated_log_triton_trace_u_rank_2.ndjson", {}, {}, {}},
    {"dedicated_log_triton_trace_u_rank_-1_.ndjson", {}, {}, {}},
    {"dedicated_log_triton_trace_u_host_a_b_.ndjson", {}, {}, {}},
    {"dedicated_log_triton_trace_u_rank_2_pid_3_host_H_.ndjson.gz.gz", {}, {}, {}},
    {"dedicated_log_triton_trace_ü_rank_4_.ndjson", 4, {}, {}},
    {"rank_3_", {}, {}, {}},
    {"_rank_3_", 3, {}, {}},
};

TEST(FileName, AsTheReference) {
  for (const Row& row : kRows) {
    const TraceFileName parsed = parse_trace_file_name(row.name);
    EXPECT_EQ(parsed.rank, row.rank) << row.name;
    EXPECT_EQ(parsed.pid, row.pid) << row.name;
    EXPECT_EQ(parsed.host, row.host) << row.name;
  }
}

TEST(FileName, OnlyAsciiDigits) {
  EXPECT_EQ(parse_trace_file_name("a_rank_\u0663_.ndjson").rank, std::nullopt);
}

TEST(FileName, NumbersThatDoNotFitAreMissing) {
  const TraceFileName parsed =
      parse_trace_file_name("a_rank_99999999999_pid_99999999999999999999_host_h_.ndjson");
  EXPECT_EQ(parsed.rank, std::nullopt);
  EXPECT_EQ(parsed.pid, std::nullopt);
  EXPECT_EQ(parsed.host, "h");
}

TEST(FileName, PartsInAnotherOrderAreNotFound) {
  const TraceFileName parsed = parse_trace_file_name("a_host_h_pid_1_rank_2_.ndjson");
  EXPECT_EQ(parsed.host, std::nullopt);
  EXPECT_EQ(parsed.pid, std::nullopt);
  EXPECT_EQ(parsed.rank, 2);
}

TEST(FileName, Base) {
  EXPECT_EQ(parse_trace_file_name("x_.bin.ndjson.gz").base, "x_");
  EXPECT_EQ(parse_trace_file_name("x_.ndjson.zst").base, "x_");
  EXPECT_EQ(parse_trace_file_name("x_.clp").base, "x_");
  EXPECT_EQ(parse_trace_file_name("x_.txt").base, "x_.txt");
  EXPECT_EQ(parse_trace_file_name("").base, "");
}

TEST(FileName, IsTrace) {
  EXPECT_TRUE(parse_trace_file_name("log.source.dedicated_log_triton_trace_u_.ndjson").is_trace);
  EXPECT_FALSE(parse_trace_file_name("f0_fc0_a0_cai-.ndjson.gz").is_trace);
}

TEST(FileName, TorchTrace) {
  EXPECT_TRUE(is_torch_trace_file_name("dedicated_log_torch_trace_rank_0_abc.log"));
  EXPECT_TRUE(is_torch_trace_file_name("x.dedicated_log_torch_trace_.log.gz"));
  EXPECT_TRUE(is_torch_trace_file_name("dedicated_log_torch_trace_.log.zst"));
  EXPECT_FALSE(is_torch_trace_file_name("dedicated_log_torch_trace_.txt"));
  EXPECT_FALSE(is_torch_trace_file_name("dedicated_log_triton_trace_.log"));
}

TEST(FileName, Extensions) {
  EXPECT_TRUE(has_ndjson_extension("a.bin.ndjson"));
  EXPECT_TRUE(has_ndjson_extension("a.ndjson.zst"));
  EXPECT_FALSE(has_ndjson_extension("a.json.gz"));
  EXPECT_TRUE(is_clp_file_name("a.clp"));
  EXPECT_FALSE(is_clp_file_name("a.clp.ndjson"));
}

}  // namespace
}  // namespace ks::io
