#include "profile/result_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/summary.h"

namespace ks::profile {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Fixture {
  inductor::MetadataTable input{
      {"kernel_name", "size_hints", "mine", "n"},
      {{"triton_a", "{'x': 1, 'y': 2}", "007", "1"}, {"triton_b", "", "", "2.5"}},
      {}};
  RowKernel a, b;
  Measurement ok, failed;
  std::vector<RowResult> results;

  Fixture() {
    a.kernel = "triton_a", a.source_hash = "aa";
    a.needs.bytes = 1e6;
    b.kernel = "triton_b";
    ok.status = Status::ok;
    ok.metrics = {{"gpu__time_duration.sum", 2400},
                  {"dram__bytes_read.sum", 2e6},
                  {"dram__bytes_write.sum", 1e6}};
    ok.launch.registers = 16;
    ok.circumstances.device = "NVIDIA H200";
    failed.status = Status::no_harness;
    results = {{&a, &ok, derive(ok, a.needs)}, {&b, &failed, {}}};
  }
};

Cell cell(const ResultTable& table, const char* column, size_t row) {
  return table.find(column)->cells[row];
}

TEST(ResultTable, InputFirstThenTheScriptsFourThenOurs) {
  const Fixture f;
  const ResultTable table = make_result_table(f.input, f.results);
  const std::vector<std::string> first = {"kernel_name",
                                          "size_hints",
                                          "mine",
                                          "n",
                                          "latency_us_under_profiling",
                                          "ncu_duration_us",
                                          "ncu_mem_bw_gbps",
                                          "ncu_mem_accessed_gb",
                                          "status",
                                          "reason"};
  for (size_t c = 0; c < first.size(); ++c) EXPECT_EQ(table.columns[c].name, first[c]);
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(cell(table, "ncu_duration_us", 0), Cell(2.4));
  EXPECT_EQ(cell(table, "ncu_mem_bw_gbps", 0), Cell(1250.0));
  EXPECT_EQ(cell(table, "ncu_mem_accessed_gb", 0), Cell(0.003));
  EXPECT_EQ(cell(table, "traffic_ratio", 0), Cell(3.0));
  EXPECT_EQ(cell(table, "registers", 0), Cell(int64_t{16}));
  EXPECT_EQ(cell(table, "status", 1), Cell(std::string("no_harness")));
  EXPECT_THAT(std::get<std::string>(cell(table, "reason", 1)), HasSubstr("benchmark_kernel"));
  EXPECT_EQ(cell(table, "duration_us", 1), Cell());
}

TEST(ResultTable, CsvHoldsTheInputVerbatim) {
  const Fixture f;
  const std::string csv = table_csv(make_result_table(f.input, f.results));
  EXPECT_THAT(csv, HasSubstr("\ntriton_a,\"{'x': 1, 'y': 2}\",007,1,,2.4,1250.0,0.003,ok,,2.4,"));
  EXPECT_THAT(csv, HasSubstr("\ntriton_b,,,2.5,,,,,no_harness,"));
}

TEST(ResultTable, ATableWithResultsGetsNewOnes) {
  Fixture f;
  f.input.columns = {"kernel_name", "ncu_duration_us", "status", "source_hash"};
  const ResultTable table = make_result_table(f.input, f.results);
  size_t times = 0;
  for (const ResultColumn& column : table.columns) times += column.name == "ncu_duration_us";
  EXPECT_EQ(times, 1u);
  EXPECT_EQ(cell(table, "ncu_duration_us", 0), Cell(2.4));
  ASSERT_EQ(table.notes.size(), 1u);
  EXPECT_THAT(table.notes[0], HasSubstr("2 of its columns"));
}

TEST(ResultTable, TypesComeFromTheCells) {
  Fixture f;
  f.ok.circumstances.cuda = "13.0";
  const ResultTable table = with_types(make_result_table(f.input, f.results));
  EXPECT_EQ(cell(table, "cuda", 0), Cell(std::string("13.0")));
  EXPECT_EQ(table.find("n")->type, CellType::real);
  EXPECT_EQ(table.find("mine")->type, CellType::text);  // 007
  EXPECT_EQ(table.find("kernel_name")->type, CellType::text);
  EXPECT_EQ(cell(table, "n", 1), Cell(2.5));
}

TEST(ResultTable, JsonIsAnArrayOfObjects) {
  const Fixture f;
  const std::string json = table_json(make_result_table(f.input, f.results));
  EXPECT_THAT(json,
              StartsWith("[\n{\"kernel_name\":\"triton_a\",\"size_hints\":\"{'x': 1, 'y': 2}\","
                         "\"mine\":\"007\",\"n\":1.0,\"latency_us_under_profiling\":null,"));
  inductor::MetadataTable none{{"kernel_name"}, {}, {}};
  EXPECT_EQ(table_json(make_result_table(none, {})), "[\n]\n");
}

TEST(Summary, CountsKernelsOnceAndRanks) {
  Fixture f;
  f.ok.circumstances.device = "NVIDIA H200";
  std::vector<RowResult> results = {f.results[0], f.results[0], f.results[1]};
  const Summary summary = summarise(results);
  EXPECT_EQ(summary.rows, 3u);
  EXPECT_EQ(summary.kernels, 2u);
  ASSERT_EQ(summary.kernels_by_status.size(), 2u);
  ASSERT_EQ(summary.beyond_need.size(), 1u);
  EXPECT_EQ(summary.beyond_need[0].rows, 2u);
  EXPECT_EQ(summary.beyond_need[0].excess_bytes, 2e6);
  ASSERT_EQ(summary.recoverable.size(), 1u);
  EXPECT_NEAR(summary.recoverable[0].value, 2.4 - 1e6 / 4.8e12 * 1e6, 1e-9);
  EXPECT_THAT(summary_text(summary, 80), HasSubstr("3 rows, 2 kernels"));
}

}  // namespace
}  // namespace ks::profile
