#include "profile/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include "profile/worker_files.h"

namespace ks::profile {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kHarness = "def get_args(): pass\ndef call(args): pass\n";

// Kernel files of the fake backend, and what became of them.
class PoolTest : public testing::Test {
 protected:
  void SetUp() override {
    auto files = WorkerFiles::write();
    auto folder = TempFolder::make();
    ASSERT_TRUE(files && folder);
    files_.emplace(std::move(*files));
    folder_.emplace(std::move(*folder));
    options_.worker = files_->worker();
    options_.backend = "fake";
    options_.workers_per_gpu = 2;
    policy_.metrics.metrics = {"gpu__time_duration.sum", "dram__bytes_read.sum"};
  }

  // `actions`: lines of fake_backend.py's magic, without their "# fake: ".
  size_t add(const std::vector<std::string>& actions = {}) {
    const size_t id = tasks_.size();
    const std::string path = file("k" + std::to_string(id) + ".py");
    std::ofstream out(path);
    for (const std::string& action : actions) out << "# fake: " << action << "\n";
    out << kHarness << "# " << id << "\n";
    Task& task = tasks_.emplace_back();
    task.id = id;
    task.kernel = "triton_" + std::to_string(id);
    task.path = path;
    return id;
  }
  std::string file(const std::string& name) const { return folder_->path() + "/" + name; }

  PoolReport run() {
    done_.clear();
    auto report = run_pool(tasks_, policy_, options_, [this](const Task& task, Measurement m) {
      EXPECT_TRUE(done_.emplace(task.id, std::move(m)).second) << "settled twice: " << task.id;
    });
    EXPECT_TRUE(report.has_value()) << report.error().message;
    // No child of ours is left, dead or alive.
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    return report.value_or(PoolReport{});
  }

  void expect(size_t id, Status status, std::string_view reason = "") {
    ASSERT_TRUE(done_.contains(id)) << id;
    EXPECT_EQ(status_name(done_[id].status), status_name(status)) << id << ": " << done_[id].reason;
    EXPECT_THAT(done_[id].reason, HasSubstr(std::string(reason)));
  }

  std::optional<WorkerFiles> files_;
  std::optional<TempFolder> folder_;
  std::vector<Task> tasks_;
  Policy policy_;
  PoolOptions options_;
  std::map<size_t, Measurement> done_;
};

TEST_F(PoolTest, MeasuresFiveHundredKernelsTheSameInAnyOrder) {
  for (int i = 0; i < 500; ++i) add();
  const PoolReport report = run();
  EXPECT_EQ(report.measured, 500u);
  EXPECT_EQ(report.failed + report.restarts, 0u);
  EXPECT_THAT(report.problems, IsEmpty());
  const std::map<size_t, Measurement> forward = done_;
  std::reverse(tasks_.begin(), tasks_.end());
  options_.workers_per_gpu = 1;
  run();
  EXPECT_EQ(done_, forward);
  const Measurement& m = done_[7];
  EXPECT_EQ(m.launch.kernel, "triton_7");
  EXPECT_EQ(m.circumstances.device, "Fake GPU");
  EXPECT_EQ(m.circumstances.cache_control, "all");
  EXPECT_THAT(m.metrics, SizeIs(2));
}

TEST_F(PoolTest, WhateverAKernelDoesOnlyItselfSuffers) {
  std::vector<size_t> good;
  const auto bad = [&](const std::string& action) {
    good.push_back(add());
    return add({action});
  };
  const size_t killed = bad("kill @measure"), exited = bad("exit 3 @args");
  const size_t raised = bad("raise no such tensor @first_call"),
               nonsense = bad("nonsense {\"op\": @args");
  const size_t stranger = bad("nonsense {\"op\":\"phase\",\"id\":9999,\"phase\":\"load\"} @args");
  const size_t memory = bad("oom @measure"), host_memory = bad("host_oom @args");
  const size_t fault = bad("fault @measure"), aborted = bad("abort_fault @measure");
  const size_t import = bad("import no_such_module"), closed = bad("close @args");
  const size_t quit = bad("quit bye @measure"),
               permission = bad("problem metric_error no counter @measure");
  const size_t nan = bad("nan"), gone = bad("print 1");
  tasks_[gone].path = file("is_not_there.py");
  good.push_back(add());
  const PoolReport report = run();

  for (const size_t id : good) expect(id, Status::ok);
  expect(killed, Status::crash, "signal 9 (Killed)");
  expect(exited, Status::crash, "exit code 3");
  expect(raised, Status::kernel_error, "RuntimeError: no such tensor");
  expect(nonsense, Status::crash, "nonsense");
  expect(stranger, Status::crash, "out of turn");
  expect(memory, Status::out_of_memory, "CUDA out of memory");
  expect(host_memory, Status::out_of_memory, "MemoryError");
  expect(fault, Status::fault, "illegal memory access");
  expect(aborted, Status::fault, "illegal memory access");
  expect(import, Status::import_error, "no_such_module");
  expect(closed, Status::crash);
  expect(quit, Status::kernel_error, "SystemExit: bye");
  expect(permission, Status::metric_error, "no counter");
  expect(nan, Status::ok);
  EXPECT_THAT(done_[nan].metrics, IsEmpty());
  expect(gone, Status::no_file);
  EXPECT_EQ(report.measured, good.size() + 1);
  EXPECT_EQ(report.measured + report.failed, tasks_.size());
  EXPECT_GT(report.restarts, 5u);
  EXPECT_EQ(done_[killed].circumstances.device, "Fake GPU");
}

TEST_F(PoolTest, OneThatHangsIsKilledAndTheReasonNamesThePhase) {
  const size_t hung = add({"hang @first_call"}), good = add(),
               orphan = add({"orphan @args", "hang @args"});
  policy_.timeout_s = 0.5;
  run();
  expect(hung, Status::timeout, "in phase first_call");
  expect(orphan, Status::timeout, "in phase args");
  expect(good, Status::ok);
}

TEST_F(PoolTest, WaitingForTheGpuHasAnEndAsWell) {
  const size_t waits = add({"wait @measure"});
  options_.workers_per_gpu = 1;
  policy_.timeout_s = 0.2;
  run();
  expect(waits, Status::timeout, "in phase wait");
}

TEST_F(PoolTest, ADeathIsSeenThoughAChildOfTheWorkerKeepsItsChannelOpen) {
  const size_t id = add({"orphan @args", "exit 4 @args"});
  run();
  expect(id, Status::crash, "exit code 4");
}

TEST_F(PoolTest, PrintingDisturbsNothing) {
  const size_t a = add({"print 10000000", "print_fd 10000000 @measure"}),
               b = add({"print 3", "exit 1"});
  run();
  expect(a, Status::ok);
  expect(b, Status::crash, "exit code 1");
}

TEST_F(PoolTest, MemoryTakenByOthersCostsASecondTryOnly) {
  const size_t id = add({"once " + file("seen") + " oom @measure"}), good = add();
  const PoolReport report = run();
  expect(id, Status::ok);
  expect(good, Status::ok);
  EXPECT_EQ(report.measured, 2u);
}

TEST_F(PoolTest, ATaskThatAWorkerLostBeforeItBeganIsTriedOnceMore) {
  for (int i = 0; i < 4; ++i) add();
  options_.gpus = {"fail-first"};
  options_.workers_per_gpu = 1;
  PoolReport report = run();
  EXPECT_EQ(report.failed, 4u);
  for (size_t i = 0; i < 4; ++i) expect(i, Status::crash, "exit code 9");
  EXPECT_EQ(report.restarts, 7u);  // eight lives for four tasks
}

TEST_F(PoolTest, OneGpuThatFailsDoesNotStopTheOther) {
  for (int i = 0; i < 20; ++i) add();
  options_.gpus = {"fail-exit", "1"};
  const PoolReport report = run();
  EXPECT_EQ(report.measured, 20u);
}

TEST_F(PoolTest, WithNoGpuLeftAllTasksSayWhy) {
  for (int i = 0; i < 5; ++i) add();
  options_.gpus = {"fail-exit"};
  PoolReport report = run();
  EXPECT_EQ(report.failed, 5u);
  for (size_t i = 0; i < 5; ++i) expect(i, Status::no_device, "libfake.so: cannot open");
  EXPECT_THAT(report.problems,
              Contains(HasSubstr("GPU fail-exit: a worker is given up after 3 failed")));

  options_.gpus = {"fail-busy", "fail-no_permission", "fail-nonsense"};
  run();
  for (size_t i = 0; i < 5; ++i) expect(i, Status::no_permission, "fake: no_permission");
  options_.gpus = {"fail-busy"};
  run();
  expect(0, Status::busy, "fake: busy");
}

TEST_F(PoolTest, AWorkerThatDoesNotGreetIsGivenUp) {
  add();
  options_.gpus = {"fail-hang"};
  options_.start_timeout_s = 0.2;
  run();
  expect(0, Status::no_device, "no greeting within 0.2 s");
}

TEST_F(PoolTest, AWrongInterpreterIsAnError) {
  add();
  options_.python = "no-such-python";
  const auto report = run_pool(tasks_, policy_, options_, [](const Task&, Measurement) { FAIL(); });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::input);
  EXPECT_THAT(report.error().message, HasSubstr("no-such-python"));
  options_.python = "false";  // starts, but is no Python
  run();
  expect(0, Status::no_device, "exit code 1");
}

TEST_F(PoolTest, StopEndsTheWorkersAtOnce) {
  add();
  for (int i = 0; i < 8; ++i) add({"hang"});
  options_.workers_per_gpu = 9;  // one task in each one's hands
  std::atomic<bool> stop{false};
  options_.stop = &stop;
  const auto report = run_pool(tasks_, policy_, options_, [&](const Task& task, Measurement) {
    EXPECT_EQ(task.id, 0u);
    stop = true;
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->measured, 1u);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

// All four are in one worker's hands, and are measured together.
TEST_F(PoolTest, OneOfABatchIsToBlameAndTheOthersGoToAnotherWorker) {
  options_.workers_per_gpu = 1;
  add();
  add();
  add({"kill @measure"});
  add();
  run();
  for (size_t id : {0, 1, 3}) expect(id, Status::ok);
  expect(2, Status::crash);
}

TEST_F(PoolTest, AFaultInABatchIsPutDownToItsKernel) {
  options_.workers_per_gpu = 1;
  add();
  add({"fault @measure"});
  add({"raise no luck @measure"});
  add();
  run();
  for (size_t id : {0, 3}) expect(id, Status::ok);
  expect(1, Status::fault);
  expect(2, Status::kernel_error, "no luck");
}

// Nothing is ever fast enough for a rate over no time, so that each look adds one.
TEST_F(PoolTest, StartsWithOneWorkerAndAddsOthersWhileSlow) {
  options_.workers_per_gpu = 3;
  options_.add_after_s = 1e-9;
  for (int i = 0; i < 4; ++i) add({"hang @measure"});
  policy_.timeout_s = 0.5;
  run();
  for (size_t id = 0; id < 4; ++id) expect(id, Status::timeout, "measure");
}

size_t open_descriptors() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

TEST_F(PoolTest, LeaksNoDescriptor) {
  for (int i = 0; i < 6; ++i) add({i % 2 ? "kill" : "print 5"});
  const size_t before = open_descriptors();
  run();
  EXPECT_EQ(open_descriptors(), before);
}

TEST(WorkerFiles, ArePrivateAndRemoved) {
  std::string folder;
  {
    auto files = WorkerFiles::write();
    ASSERT_TRUE(files);
    folder = files->folder();
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
    std::ifstream in(files->worker());
    std::string embedded((std::istreambuf_iterator<char>(in)), {});
    std::ifstream source(KS_SOURCE_DIR "/python/kernelscope/profile/worker.py");
    EXPECT_EQ(embedded, std::string((std::istreambuf_iterator<char>(source)), {}));
  }
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace ks::profile
