#include "profile/log_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/csv.h"
#include "profile/log_match.h"
#include "profile/ncu_test_data.h"

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

const std::string kStemA = "c" + std::string(51, 'a');
const std::string kStemB = "c" + std::string(51, 'b');

std::string page(const std::string& name, const std::string& duration_us, int grid = 2) {
  return "  " + name + " (" + std::to_string(grid) +
         ", 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
         "    Section: GPU Speed Of Light Throughput\n"
         "    ----------- ----------- ------------\n"
         "    Metric Name Metric Unit Metric Value\n"
         "    ----------- ----------- ------------\n"
         "    Duration             us " +
         std::string(12 - duration_us.size(), ' ') + duration_us +
         "\n"
         "    ----------- ----------- ------------\n\n";
}

class LogSource : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("ks_logs_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "aa");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  LogReading read(const std::vector<LogRow>& rows) {
    auto reading = read_logs(rows, folder_);
    EXPECT_TRUE(reading.has_value());
    return reading ? std::move(*reading) : LogReading{};
  }
  Measurement read_one(const LogRow& row) { return read({row}).measurements.at(0); }

  static std::optional<double> duration(const Measurement& m) {
    return m.metric("gpu__time_duration.sum");
  }

  fs::path folder_;
};

TEST_F(LogSource, FindsAFileByTheKernelFilesStem) {
  write("aa/" + kStemA + ".ncu", "0.124ms    0.001GB    6.36GB/s\n" + page("triton_a", "2.40"));
  const Measurement m = read_one({"triton_a", "/elsewhere/" + kStemA + ".py"});
  EXPECT_EQ(m.status, Status::ok);
  EXPECT_EQ(duration(m), 2400);
  EXPECT_EQ(m.latency_us, 124);
  EXPECT_EQ(m.latency_source, "harness");
  EXPECT_EQ(m.circumstances.source, "log");
  EXPECT_EQ(m.launch.kernel, "triton_a");
}

TEST_F(LogSource, DoesNotTakeTheWrongKernelOfTheRightFile) {
  write(kStemA + ".ncu", page("triton_other", "2.40"));
  const Measurement m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(m.status, Status::bad_log);
  EXPECT_EQ(m.reason, "the log is of triton_other, not of triton_a");
  EXPECT_TRUE(m.metrics.empty());
}

TEST_F(LogSource, DoesNotTakeTheRightNameOfAnotherKernelFile) {
  write(kStemB + ".ncu", page("triton_a", "2.40"));
  EXPECT_EQ(read_one({"triton_a", kStemA + ".py"}).status, Status::no_log);
  EXPECT_EQ(read_one({"triton_a", ""}).status, Status::ok);  // a table without paths
}

TEST_F(LogSource, FindsAKernelByNameInALogOfMany) {
  write("all.log",
        page("triton_b", "1.00") + page("triton_a", "2.40") + page("triton_a_1", "3.00"));
  const LogReading reading = read({{"triton_a", kStemA + ".py"}, {"triton_c", kStemB + ".py"}});
  EXPECT_EQ(duration(reading.measurements[0]), 2400);
  EXPECT_EQ(reading.measurements[0].latency_us, std::nullopt);
  EXPECT_EQ(reading.measurements[1].status, Status::no_log);
}

TEST_F(LogSource, TakesTheLastOfSeveralLaunchesAndSaysSo) {
  write(kStemA + ".ncu", page("triton_a", "9.00", 4) + page("triton_a", "2.40"));
  const Measurement m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(duration(m), 2400);
  ASSERT_EQ(m.notes.size(), 1);
  EXPECT_EQ(m.notes[0], "2 launches in the log: the last was taken");
}

TEST_F(LogSource, ByNameOnlyLaunchesOfDifferentSizesAreNobodys) {
  write("all.log", page("triton_a", "9.00", 4) + page("triton_a", "2.40"));
  EXPECT_EQ(read_one({"triton_a", kStemA + ".py"}).status, Status::bad_log);
}

TEST_F(LogSource, KernelsOfOneNameAreMatchedInOrderOrNotAtAll) {
  const std::vector<LogRow> rows = {{"triton_a", "x/" + kStemA + ".py"},
                                    {"triton_a", "x/" + kStemB + ".py"},
                                    {"triton_a", "x/" + kStemA + ".py"}};
  write("all.log", page("triton_a", "1.00", 4) + page("triton_a", "2.00"));
  const LogReading reading = read(rows);
  EXPECT_EQ(duration(reading.measurements[0]), 1000);
  EXPECT_EQ(duration(reading.measurements[1]), 2000);
  EXPECT_EQ(duration(reading.measurements[2]), 1000);
  EXPECT_EQ(reading.measurements[0].notes.size(), 1);
  write("all.log", page("triton_a", "1.00"));
  for (const Measurement& m : read(rows).measurements) EXPECT_EQ(m.status, Status::bad_log);
}

TEST_F(LogSource, AFileOfTheRowsOwnOutweighsAnotherWithItsName) {
  write("all.log", page("triton_a", "9.00"));
  write(kStemA + ".ncu", page("triton_a", "2.40"));
  EXPECT_EQ(duration(read_one({"triton_a", kStemA + ".py"})), 2400);
  write(kStemA + ".ncu", "==ERROR== LaunchFailed\n");
  EXPECT_EQ(duration(read_one({"triton_a", kStemA + ".py"})), 9000);
}

TEST_F(LogSource, AnExactFormOutweighsTextAndKeepsItsLatency) {
  write(kStemA + ".ncu", "0.5ms 1GB 2GB/s\n" + page("triton_a", "2.40"));
  write(kStemA + ".csv", "ID,Kernel Name,gpu__time_duration.sum\n,,ns\n0,triton_a,2402\n");
  const Measurement m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(duration(m), 2402);
  EXPECT_EQ(m.latency_us, 500);
}

TEST_F(LogSource, TellsWhyThereIsNothing) {
  write(kStemA + ".ncu", "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
  Measurement m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(m.status, Status::no_permission);
  EXPECT_EQ(m.reason, "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission");
  write(kStemA + ".ncu", "something else\n");
  m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(m.status, Status::bad_log);
  EXPECT_EQ(m.reason, "no report in the log");
  EXPECT_EQ(read_one({"triton_b", kStemB + ".py"}).status, Status::no_log);
}

TEST_F(LogSource, ALaunchWithoutValuesIsABadLog) {
  write(kStemA + ".csv",
        "ID,Kernel Name,launch__grid_size,gpu__time_duration.sum\n0,triton_a,1,n/a\n");
  const Measurement m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(m.status, Status::bad_log);
  EXPECT_EQ(m.reason, "the log holds no measured value");
}

TEST_F(LogSource, AnInfiniteLatencyIsNone) {
  write(kStemA + ".ncu", "infms 1GB 0.00GB/s\n" + page("triton_a", "2.40"));
  const Measurement m = read_one({"triton_a", kStemA + ".py"});
  EXPECT_EQ(m.status, Status::ok);
  EXPECT_EQ(m.latency_us, std::nullopt);
  EXPECT_EQ(m.notes, std::vector<std::string>{"the harness printed a latency of inf"});
}

TEST_F(LogSource, ARowWithoutANameTakesAFileOfOneKernel) {
  write(kStemA + ".ncu", page("triton_", "2.40"));
  EXPECT_EQ(read_one({"", kStemA + ".py"}).status, Status::ok);
  write(kStemA + ".ncu", page("triton_", "2.40") + page("fill", "1.00"));
  EXPECT_EQ(read_one({"", kStemA + ".py"}).status, Status::bad_log);
}

TEST_F(LogSource, LeavesOtherFilesAlone) {
  write("metric_table_kernel_metadata.csv", "model_name,kernel_name\nx,triton_a\n");
  write("notes.txt", "triton_a is fast\n");
  write(kStemA + ".py", page("triton_a", "2.40"));
  fs::create_symlink("/dev/zero", folder_ / "zero.ncu");
  const LogReading reading = read({{"triton_a", kStemA + ".py"}});
  EXPECT_EQ(reading.files, 0);
  EXPECT_EQ(reading.measurements[0].status, Status::no_log);
}

TEST_F(LogSource, AFolderThatIsNotThereIsAnError) {
  const auto reading = read_logs({}, folder_ / "none");
  ASSERT_FALSE(reading.has_value());
  EXPECT_EQ(reading.error().kind, ErrorKind::input);
}

TEST(FileStem, UpToTheFirstDot) {
  EXPECT_EQ(file_stem("/a/b/cabc.py"), "cabc");
  EXPECT_EQ(file_stem("cabc.ncu-rep.gz"), "cabc");
  EXPECT_EQ(file_stem("cabc"), "cabc");
  EXPECT_EQ(file_stem(""), "");
  EXPECT_TRUE(is_inductor_stem("cbqnhtiiclnf2jqnmqb4u56ooiixmr7ypmesk4ocrlyobyq7p2ax"));
  EXPECT_FALSE(is_inductor_stem("full12"));
}

// All rows of a model run in one page: 31 of them share their name with another kernel.
TEST(LogSourceShared, All307RowsHaveTheirOwnLaunch) {
  const std::string table = testing::shared_text("inductor/kernel_metadata_torch2.11.csv");
  if (table.empty()) GTEST_SKIP() << "no shared data";
  CsvReader reader(table);
  const CsvRow header = *reader.next();
  const auto column = [&](const char* name) {
    return static_cast<size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  };
  std::vector<LogRow> rows;
  while (const auto row = reader.next()) {
    rows.push_back({row->at(column("kernel_name")), row->at(column("kernel_path"))});
  }
  ASSERT_EQ(rows.size(), 307);
  const fs::path folder = fs::path(::testing::TempDir()) / ("ks_all_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::copy_file(testing::kSharedData / "ncu" / "all307_raw.csv.gz", folder / "all.csv.gz",
                fs::copy_options::overwrite_existing);
  const auto reading = read_logs(rows, folder);
  fs::remove_all(folder);
  ASSERT_TRUE(reading.has_value());
  const NcuLog log = testing::parse(testing::shared_text("ncu/all307_raw.csv.gz"));
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(reading->measurements[i].status, Status::ok) << reading->measurements[i].reason;
    EXPECT_EQ(reading->measurements[i].metrics, log.kernels.at(i).metrics) << i;
  }
}

}  // namespace
}  // namespace ks::profile
