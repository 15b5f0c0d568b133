// One report of twelve kernels in every form that ncu gives: the same numbers to the printed
// digits.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/csv.h"
#include "profile/ncu_csv.h"
#include "profile/ncu_labels.h"
#include "profile/ncu_test_data.h"
#include "profile/units.h"

namespace ks::profile {
namespace {

using testing::parse;
using testing::shared_text;

// Half of the last digit of a cell, in base units.
double half_digit(const std::string& cell, const std::string& unit) {
  const size_t dot = cell.find('.');
  const double decimals = dot == std::string::npos ? 0 : static_cast<double>(cell.size() - dot - 1);
  return to_base(0.5 * std::pow(10, -decimals), unit).value;
}

void expect_printed(double exact, double read, const std::string& cell, const std::string& unit,
                    const std::string& what) {
  EXPECT_LE(std::abs(exact - read), half_digit(cell, unit) * 1.000001 + std::abs(exact) * 1e-15)
      << what << ": " << cell << ' ' << unit << " read as " << read << ", the report has " << exact;
}

std::vector<CsvRow> rows_of(const std::string& text) {
  std::vector<CsvRow> rows;
  CsvReader reader(std::string_view(text).substr(find_ncu_csv(text).value_or(0)));
  while (auto row = reader.next()) rows.push_back(*row);
  return rows;
}

class NcuForms : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string bytes = shared_text("ncu/full12.ncu-rep.gz");
    if (bytes.empty()) GTEST_SKIP() << "no shared data";
    report_ = parse(bytes);
    ASSERT_EQ(report_.form, "ncu-rep");
    ASSERT_EQ(report_.kernels.size(), 12);
  }

  // Every cell of a raw page against the report; gives how many were compared.
  size_t compare_raw(const std::string& name) {
    const std::string text = shared_text(name);
    const NcuLog log = parse(text);
    EXPECT_EQ(log.form, "csv raw");
    EXPECT_EQ(log.kernels.size(), 12);
    const std::vector<CsvRow> rows = rows_of(text);
    size_t compared = 0;
    for (size_t k = 0; k < log.kernels.size(); ++k) {
      const NcuKernel& exact = report_.kernels[k];
      EXPECT_EQ(log.kernels[k].launch, exact.launch);
      EXPECT_EQ(log.kernels[k].passes, exact.passes);
      for (size_t c = 0; c < rows[0].size(); ++c) {
        const auto read = log.kernels[k].metrics.find(rows[0][c]);
        const auto value = exact.metrics.find(rows[0][c]);
        if (read == log.kernels[k].metrics.end() || value == exact.metrics.end()) continue;
        expect_printed(value->second, read->second, rows[k + 2][c], rows[1][c], rows[0][c]);
        ++compared;
      }
      // Not one may be missing on a side: all the page's numbers are in the report.
      for (const auto& [metric, number] : log.kernels[k].metrics) {
        EXPECT_TRUE(exact.metrics.contains(metric)) << metric;
      }
    }
    return compared;
  }

  NcuLog report_;
};

TEST_F(NcuForms, ReportHasWhatNcuSaysOfIt) {
  const NcuKernel& first = report_.kernels[0];
  EXPECT_EQ(first.launch.kernel, "triton_poi_fused_clone_transpose_view_11");
  EXPECT_EQ(first.launch.grid, (std::array<int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(first.launch.block, (std::array<int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(first.launch.registers, 16);
  EXPECT_EQ(first.launch.static_shared, 0);
  EXPECT_EQ(first.launch.blocks_per_sm, 16);
  EXPECT_EQ(first.passes, 38);
  EXPECT_EQ(testing::metric(first, "gpu__time_duration.sum"), 2464);
  const Circumstances& c = first.circumstances;
  EXPECT_EQ(c.source, "log");
  EXPECT_EQ(c.device, "NVIDIA H200");
  EXPECT_EQ(c.capability, "9.0");
  EXPECT_EQ(c.chip, "GH100");
  EXPECT_EQ(c.sm_count, 132);
  EXPECT_EQ(c.tool, "ncu 2025.3.1.0");
  EXPECT_EQ(c.cuda, "13.0");
  EXPECT_EQ(c.cache_control, "all");
  EXPECT_EQ(c.clock_control, "none");
  ASSERT_TRUE(c.peak_dram_bytes_per_second.has_value());
  EXPECT_NEAR(*c.peak_dram_bytes_per_second, 4.85e12, 0.1e12);
  EXPECT_TRUE(report_.notes.empty());
}

TEST_F(NcuForms, RawPagesInBaseUnits) {
  EXPECT_GT(compare_raw("ncu/full12_raw_base.csv.gz"), 20'000);
}

TEST_F(NcuForms, RawPagesInScaledUnits) { EXPECT_GT(compare_raw("ncu/full12_raw.csv.gz"), 20'000); }

TEST_F(NcuForms, DetailsPages) {
  const std::string text = shared_text("ncu/full12_details.csv.gz");
  const NcuLog log = parse(text);
  EXPECT_EQ(log.form, "csv details");
  ASSERT_EQ(log.kernels.size(), 12);
  size_t compared = 0;
  for (const CsvRow& row : rows_of(text)) {
    if (row[0] == "ID" || row.size() < 15 || row[12].empty() || !parse_number(row[14])) continue;
    const std::string name(metric_of_label(row[11], row[12], 90));
    ASSERT_FALSE(name.empty()) << row[11] << ", " << row[12];
    const size_t k = std::stoul(row[0]);
    const NcuKernel& exact = report_.kernels[k];
    ASSERT_TRUE(log.kernels[k].metrics.contains(name)) << name;
    ASSERT_TRUE(exact.metrics.contains(name)) << name;
    expect_printed(exact.metrics.at(name), log.kernels[k].metrics.at(name), row[14], row[13], name);
    ++compared;
  }
  EXPECT_GT(compared, 1'000);
}

TEST_F(NcuForms, TextPagesHaveTheDigitsOfTheDetailsPages) {
  const NcuLog text = parse(shared_text("ncu/full12.txt.gz"));
  const NcuLog details = parse(shared_text("ncu/full12_details.csv.gz"));
  EXPECT_EQ(text.form, "text");
  ASSERT_EQ(text.kernels.size(), 12);
  ASSERT_EQ(details.kernels.size(), 12);
  for (size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(text.kernels[k].metrics, details.kernels[k].metrics) << k;
    EXPECT_EQ(text.kernels[k].launch, details.kernels[k].launch) << k;
    // "2.05 Kbyte/block" are 2,048 bytes.
    LaunchFacts launch = text.kernels[k].launch;
    EXPECT_NEAR(double(*launch.dynamic_shared), double(*report_.kernels[k].launch.dynamic_shared),
                5);
    launch.dynamic_shared = report_.kernels[k].launch.dynamic_shared;
    EXPECT_EQ(launch, report_.kernels[k].launch) << k;
    EXPECT_EQ(text.kernels[k].circumstances.clock_control, "none");
    EXPECT_EQ(text.kernels[k].circumstances.capability, "9.0");
    EXPECT_EQ(text.kernels[k].circumstances.sm_count, 132);
  }
}

TEST_F(NcuForms, ConsoleTellsThePassesOfAPageBehindIt) {
  const NcuLog log =
      parse(shared_text("ncu/full12_console.log") + shared_text("ncu/full12.txt.gz"));
  ASSERT_EQ(log.kernels.size(), 12);
  for (const NcuKernel& kernel : log.kernels) EXPECT_EQ(kernel.passes, 38);
}

}  // namespace
}  // namespace ks::profile
