#include "profile/script_columns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/csv.h"
#include "profile/log_source.h"
#include "profile/ncu_test_data.h"

namespace ks::profile {
namespace {

using Cells = std::array<std::string, 4>;

TEST(PythonFloat, AsReprDoes) {
  EXPECT_EQ(python_float(124), "124.0");
  EXPECT_EQ(python_float(0), "0.0");
  EXPECT_EQ(python_float(-0.0), "-0.0");
  EXPECT_EQ(python_float(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(python_float(0.0001), "0.0001");
  EXPECT_EQ(python_float(0.00001), "1e-05");
  EXPECT_EQ(python_float(5.271119999999999e-05), "5.271119999999999e-05");
  EXPECT_EQ(python_float(1e15), "1000000000000000.0");
  EXPECT_EQ(python_float(1e16), "1e+16");
  EXPECT_EQ(python_float(1e300), "1e+300");
  EXPECT_EQ(python_float(INFINITY), "inf");
  EXPECT_EQ(python_float(-INFINITY), "-inf");
  EXPECT_EQ(python_float(NAN), "nan");
}

TEST(ScriptColumns, ComputesInThePrintedUnitAsTheScript) {
  Measurement m;
  m.metrics = {{"gpu__time_duration.sum", 2010000}, {"dram__bytes.sum.per_second", 2.01e12}};
  m.latency_us = 0.033 * 1000;
  // Python: 2.01 * 1000, and 2009.9999999999998 ** 2 / 1e6
  EXPECT_EQ(script_columns(m),
            (Cells{"33.0", "2009.9999999999998", "2009.9999999999998", "4.040099999999999"}));
}

TEST(ScriptColumns, DividesExactValues) {
  Measurement m;
  m.metrics = {{"gpu__time_duration.sum", 2464},
               {"dram__bytes_read.sum", 526000},
               {"dram__bytes_write.sum", 1369}};
  EXPECT_EQ(script_columns(m)[1], "2.464");
  EXPECT_EQ(script_columns(m)[2], python_float(527369.0 / 2464));
  m.metrics["gpu__time_duration.sum"] = 2010123;
  EXPECT_EQ(script_columns(m)[1], "2010.123");
}

TEST(ScriptColumns, LeavesEmptyWhatIsNotKnown) {
  EXPECT_EQ(script_columns(Measurement{}), Cells{});
  Measurement m;
  m.metrics = {{"gpu__time_duration.sum", 0}, {"dram__bytes.sum", 32}};
  EXPECT_EQ(script_columns(m), (Cells{"", "0.0", "", ""}));
}

TEST(ScriptColumns, ReproduceTheScriptsTable) {
  const std::string expected = testing::shared_text("ncu/five_expected.csv");
  if (expected.empty()) GTEST_SKIP() << "no shared data";
  std::vector<LogRow> rows;
  std::vector<Cells> cells;
  CsvReader reader(expected);
  const CsvRow header = *reader.next();
  while (const auto row = reader.next()) {
    rows.push_back({(*row)[1], (*row)[2]});
    cells.push_back({(*row)[16], (*row)[17], (*row)[18], (*row)[19]});
  }
  ASSERT_EQ(std::vector<std::string>(header.begin() + 16, header.end()),
            std::vector<std::string>(kScriptColumns.begin(), kScriptColumns.end()));
  ASSERT_EQ(rows.size(), 5);
  const auto read = read_logs(rows, testing::kSharedData / "ncu" / "script_logs");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->files, 5);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Measurement& m = read->measurements[i];
    EXPECT_EQ(m.status, Status::ok) << m.reason;
    EXPECT_EQ(script_columns(m), cells[i]) << rows[i].kernel;
    EXPECT_EQ(m.passes, i == 3 ? 37 : 38);
    EXPECT_EQ(m.launch.kernel, rows[i].kernel);
    EXPECT_EQ(m.latency_source, "harness");
    EXPECT_EQ(m.circumstances.clock_control, "none");
  }
}

}  // namespace
}  // namespace ks::profile
