#include "profile/ncu_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "profile/ncu_process.h"
#include "profile/worker_files.h"

namespace ks::profile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Runs the command that it is given, then writes a raw page with one row per kernel of the sidecar
// that went well. The file `mode` beside it changes that.
constexpr std::string_view kFakeNcu = R"py(#!/usr/bin/env python3
import gzip, json, os, subprocess, sys
if "--version" in sys.argv:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 1) (public-release)")
    sys.exit(0)
def after(name):
    return sys.argv[sys.argv.index(name) + 1]
here = os.path.dirname(os.path.abspath(__file__))
mode = open(here + "/mode").read().split() if os.path.exists(here + "/mode") else [""]
with open(here + "/runs", "a") as runs:
    runs.write("x")
log = open(after("--log-file"), "w")
if mode[0] == "broken":
    sys.exit("ncu: cannot do a thing")
command = sys.argv[sys.argv.index("-o") + 2:]
log.write("==PROF== Connected to process 7 (/usr/bin/python3)\n")
code = subprocess.call(command)
names = []
for line in open(after("--sidecar")):
    message = json.loads(line)
    if message["op"] == "done" and message["measurement"]["status"] == "ok":
        names.append(message["measurement"]["launch"]["kernel"])
if mode[0] == "permission":
    log.write("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters\n")
    sys.exit(1)
if mode[0] == "nothing":
    log.write("==WARNING== No kernels were profiled.\n")
    sys.exit(0)
if mode[0] == "drop" and len(names) > 1:
    names.remove(mode[1])
if mode[0] == "canned":
    open(after("-o"), "wb").write(gzip.open(mode[1]).read())
    sys.exit(0)
metrics = after("--metrics").split(",")
head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
        "Device", "CC"] + metrics
rows = [head, [""] * 11 + ["ns"] * len(metrics)]
for i, name in enumerate(n for name in names for n in ("fill_something", name)):
    rows.append([str(i), "7", "python3", "h", name, "1", "7", "(128, 1, 1)", "(4, 1, 1)", "0", "9.0"]
                + [str(100 + i)] * len(metrics))
with open(after("-o"), "w") as out:
    for row in rows:
        out.write(",".join('"%s"' % cell for cell in row) + "\n")
if code:
    log.write("==ERROR== The application returned an error code (%d).\n" % code)
sys.exit(code)
)py";

class NcuDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    auto files = WorkerFiles::write();
    auto folder = TempFolder::make();
    ASSERT_TRUE(files && folder);
    files_.emplace(std::move(*files));
    folder_.emplace(std::move(*folder));
    options_.worker = files_->worker();
    options_.backend = "fake";
    options_.ncu = file("ncu");
    write("ncu", kFakeNcu);
    std::filesystem::permissions(options_.ncu, std::filesystem::perms::owner_all);
    policy_.metrics.metrics = {"gpu__time_duration.sum"};
  }

  std::string file(const std::string& name) const { return folder_->path() + "/" + name; }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }

  size_t add(const std::string& action = "", std::string name = "") {
    Task& task = tasks_.emplace_back();
    task.id = tasks_.size() - 1;
    task.kernel = name.empty() ? "triton_" + std::to_string(task.id) : name;
    task.path = file("k" + std::to_string(task.id) + ".py");
    write("k" + std::to_string(task.id) + ".py",
          "# fake: " + action + "\ndef get_args(): pass\ndef call(args): pass\n");
    return task.id;
  }

  PoolReport run() {
    auto report = run_ncu(tasks_, policy_, options_, [this](const Task& task, Measurement m) {
      EXPECT_TRUE(done_.emplace(task.id, std::move(m)).second) << "settled twice: " << task.id;
    });
    EXPECT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    return report.value_or(PoolReport{});
  }
  size_t processes() const { return std::filesystem::file_size(file("runs")); }

  void expect(size_t id, Status status, const std::string& reason = "") {
    ASSERT_TRUE(done_.contains(id)) << id;
    EXPECT_EQ(status_name(done_[id].status), status_name(status)) << id << ": " << done_[id].reason;
    EXPECT_THAT(done_[id].reason, HasSubstr(reason));
  }
  double duration(size_t id) { return done_[id].metric("gpu__time_duration.sum").value_or(-1); }

  std::optional<WorkerFiles> files_;
  std::optional<TempFolder> folder_;
  std::vector<Task> tasks_;
  Policy policy_;
  NcuOptions options_;
  std::map<size_t, Measurement> done_;
};

TEST_F(NcuDriverTest, SaysWhatItWants) {
  policy_.metrics.metrics = {"a", "b"};
  options_ = {};
  options_.worker = "/w/worker.py";
  EXPECT_THAT(ncu_command(policy_, options_, "/t"),
              ElementsAre("ncu", "--profile-from-start", "off", "--target-processes", "all",
                          "--clock-control", "none", "--cache-control", "all", "--metrics", "a,b",
                          "--log-file", "/t/ncu.log", "-f", "-o", "/t/report.ncu-rep", "python3",
                          "/w/worker.py", "--backend", "ncu", "--list", "/t/tasks.ndjson",
                          "--sidecar", "/t/sidecar.ndjson"));
  options_.section_set = "full";
  EXPECT_THAT(ncu_command(policy_, options_, "/t"), Contains("--set"));
}

TEST_F(NcuDriverTest, MeasuresManyKernelsInOneProcessAndPutsRowsToTheRightOnes) {
  for (int i = 0; i < 5; ++i) add("", i % 2 ? "same" : "");
  const PoolReport report = run();
  EXPECT_EQ(report.measured, 5u);
  EXPECT_EQ(processes(), 1u);
  for (size_t i = 0; i < 5; ++i) {
    expect(i, Status::ok);
    EXPECT_EQ(duration(i), 101.0 + 2 * static_cast<double>(i));
  }
  EXPECT_EQ(done_[0].launch.kernel, "triton_0");
  EXPECT_EQ(done_[0].launch.grid, (std::array<int64_t, 3>{4, 1, 1}));
  EXPECT_EQ(done_[0].circumstances.source, "ncu");
  EXPECT_EQ(done_[0].circumstances.tool, "ncu 2025.3.1.0");
  EXPECT_EQ(done_[0].circumstances.torch, "2.11.0");
}

TEST_F(NcuDriverTest, GoesOnBehindAKernelThatTakesTheProcessDown) {
  for (const char* action :
       {"", "kill @measure", "", "raise oh @args", "fault @measure", "", "exit 3", ""}) {
    add(action);
  }
  options_.chunk = 100;
  run();
  for (const size_t id : {0, 2, 5, 7}) expect(id, Status::ok);
  expect(1, Status::crash, "in phase measure");
  expect(3, Status::kernel_error, "oh");
  expect(4, Status::fault, "illegal memory access");
  expect(6, Status::crash, "in phase load");
  EXPECT_EQ(processes(), 4u);
}

TEST_F(NcuDriverTest, AHangCostsOneKernelAndNotTheReport) {
  for (const char* action : {"", "hang @measure", ""}) add(action);
  policy_.timeout_s = 0.5;
  run();
  expect(0, Status::ok);
  expect(1, Status::timeout, "in phase measure");
  expect(2, Status::ok);
  EXPECT_EQ(processes(), 2u);
}

TEST_F(NcuDriverTest, RowsThatCannotBeToldApartAreMeasuredAlone) {
  const size_t a = add("", "twin"), b = add("", "twin"), c = add();
  write("mode", "drop twin");
  const PoolReport report = run();
  for (const size_t id : {a, b, c}) expect(id, Status::ok);
  EXPECT_EQ(processes(), 3u);
  EXPECT_EQ(report.restarts, 2u);
}

TEST_F(NcuDriverTest, NothingProfiledIsNotASuccess) {
  for (int i = 0; i < 10; ++i) add();
  write("mode", "nothing");
  const PoolReport report = run();
  EXPECT_EQ(report.failed, 10u);
  for (size_t i = 0; i < 10; ++i) expect(i, Status::not_launched);
  EXPECT_EQ(processes(), 3u);
}

TEST_F(NcuDriverTest, AMissingPermissionEndsTheRun) {
  for (int i = 0; i < 4; ++i) add();
  write("mode", "permission");
  options_.chunk = 2;
  run();
  for (size_t i = 0; i < 4; ++i) expect(i, Status::no_permission, "permission");
  EXPECT_EQ(processes(), 1u);
}

TEST_F(NcuDriverTest, ABrokenToolIsGivenUp) {
  add();
  write("mode", "broken");
  run();
  expect(0, Status::no_device, "cannot do a thing");
  options_.ncu = file("no-such-ncu");
  EXPECT_FALSE(run_ncu(tasks_, policy_, options_, [](const Task&, Measurement) {}));
}

TEST_F(NcuDriverTest, ReadsARealReport) {
  const std::string real = KS_SOURCE_DIR "/../shared/data/ncu/full12.ncu-rep.gz";
  if (!std::filesystem::exists(real)) GTEST_SKIP() << real << " is not there";
  const size_t a = add("", "triton_poi_fused__to_copy_1"),
               b = add("", "triton_poi_fused__to_copy_t_3");
  write("mode", "canned " + real);
  run();
  for (const size_t id : {a, b}) {
    expect(id, Status::ok);
    EXPECT_GT(duration(id), 1000);
    EXPECT_EQ(done_[id].passes, 38);
    EXPECT_EQ(done_[id].circumstances.device, "NVIDIA H200");
  }
  EXPECT_NE(duration(a), duration(b));
}

TEST_F(NcuDriverTest, StopEndsIt) {
  add("hang");
  std::atomic<bool> stop{true};
  options_.stop = &stop;
  EXPECT_EQ(run().failed, 0u);
  EXPECT_THAT(done_, SizeIs(0));
}

}  // namespace
}  // namespace ks::profile
