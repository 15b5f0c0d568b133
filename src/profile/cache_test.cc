#include "profile/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ks_cache_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Cache open() const { return *Cache::open(folder_); }
  std::string only_file() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) return entry.path().string();
    }
    return "";
  }
  std::string folder_;
};

CacheKey key(const std::string& hash) {
  CacheKey k;
  k.source_hash = hash;
  k.kernel = "triton_" + hash;
  k.device = "NVIDIA H200";
  k.source = "cupti";
  k.metrics = "gpu__time_duration.sum";
  return k;
}

Measurement measured(double ns, Status status = Status::ok) {
  Measurement m;
  m.status = status;
  m.metrics["gpu__time_duration.sum"] = ns;
  return m;
}

TEST_F(CacheTest, GivesBackWhatWasPut) {
  const Cache cache = open();
  EXPECT_EQ(cache.find(key("aa")), std::nullopt);
  ASSERT_TRUE(cache.put(key("aa"), measured(5)));
  EXPECT_EQ(cache.find(key("aa")), measured(5));
  ASSERT_TRUE(cache.put(key("aa"), measured(6)));
  EXPECT_EQ(open().find(key("aa")), measured(6));
  EXPECT_EQ(cache.damaged(), 0u);
}

TEST_F(CacheTest, EveryPartOfTheKeyCounts) {
  std::set<std::string> digests = {key("aa").digest()};
  std::string CacheKey::* const parts[] = {
      &CacheKey::source_hash, &CacheKey::kernel,        &CacheKey::config,
      &CacheKey::device,      &CacheKey::driver,        &CacheKey::cuda,
      &CacheKey::torch,       &CacheKey::triton,        &CacheKey::source,
      &CacheKey::metrics,     &CacheKey::cache_control, &CacheKey::clock_control,
      &CacheKey::tool,        &CacheKey::latency};
  for (const auto part : parts) {
    CacheKey other = key("aa");
    other.*part += "x";
    EXPECT_TRUE(digests.insert(other.digest()).second);
  }
  CacheKey shifted = key("aa");  // the same letters, cut elsewhere
  shifted.driver = "1", shifted.cuda = "23";
  CacheKey other = shifted;
  other.driver = "12", other.cuda = "3";
  EXPECT_NE(shifted.digest(), other.digest());
}

TEST_F(CacheTest, WhatIsOfTheMachineIsNotKept) {
  const Cache cache = open();
  ASSERT_TRUE(cache.put(key("aa"), measured(0, Status::no_permission)));
  EXPECT_EQ(cache.find(key("aa")), std::nullopt);
  ASSERT_TRUE(cache.put(key("aa"), measured(0, Status::timeout)));
  EXPECT_EQ(cache.find(key("aa"))->status, Status::timeout);
}

TEST_F(CacheTest, DamagedEntriesAreCountedAndMeasuredAnew) {
  const Cache cache = open();
  ASSERT_TRUE(cache.put(key("aa"), measured(5)));
  const std::string path = only_file();
  const auto size = fs::file_size(path);
  for (const auto cut : {size / 2, decltype(size){0}}) {
    fs::resize_file(path, cut);
    EXPECT_EQ(cache.find(key("aa")), std::nullopt);
  }
  EXPECT_EQ(cache.damaged(), 2u);
  EXPECT_TRUE(cache.list()->empty());
  EXPECT_EQ(cache.damaged(), 3u);
  ASSERT_TRUE(cache.put(key("aa"), measured(7)));
  EXPECT_EQ(cache.find(key("aa")), measured(7));
}

TEST_F(CacheTest, AnEntryUnderAnothersNameIsDamaged) {
  const Cache cache = open();
  ASSERT_TRUE(cache.put(key("aa"), measured(5)));
  const std::string from = only_file(), digest = key("bb").digest();
  fs::create_directories(folder_ + "/" + digest.substr(0, 2));
  fs::copy_file(from, folder_ + "/" + digest.substr(0, 2) + "/" + digest + ".json");
  EXPECT_EQ(cache.find(key("bb")), std::nullopt);
  EXPECT_EQ(cache.damaged(), 1u);
}

TEST_F(CacheTest, ListIsOrderedAndHoldsTheKeys) {
  const Cache cache = open();
  for (const char* hash : {"cc", "aa", "bb"}) ASSERT_TRUE(cache.put(key(hash), measured(1)));
  std::ofstream(folder_ + "/notes.txt") << "not ours";
  const auto entries = cache.list();
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].key.source_hash, "aa");
  EXPECT_EQ((*entries)[2].key.source_hash, "cc");
  EXPECT_EQ((*entries)[1].key.device, "NVIDIA H200");
  EXPECT_GT((*entries)[1].bytes, 0u);
}

TEST_F(CacheTest, CollectRemovesWhatIsOldAndNothingElse) {
  const Cache cache = open();
  ASSERT_TRUE(cache.put(key("aa"), measured(1)));
  const std::string old = only_file();
  const utimbuf past{1000, 1000};
  utime(old.c_str(), &past);
  const std::string temp = old + ".tmp-host-1-1", fresh = old + ".tmp-host-2-1";
  std::ofstream(temp) << "half";
  std::ofstream(fresh) << "half";
  utime(temp.c_str(), &past);
  ASSERT_TRUE(cache.put(key("bb"), measured(2)));
  std::ofstream(folder_ + "/mine.txt") << "keep";
  const auto freed = cache.collect(86400);
  ASSERT_TRUE(freed);
  EXPECT_GT(*freed, 4u);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(temp));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(folder_ + "/mine.txt"));
  EXPECT_EQ(cache.find(key("bb")), measured(2));
}

TEST_F(CacheTest, SourcesAreFilesNamedByTheirHash) {
  const Cache cache = open();
  const auto path = cache.put_source("0123abcd", "import triton\n");
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->ends_with("/sources/0123abcd.py"));
  EXPECT_EQ(cache.put_source("0123abcd", "import triton\n"), *path);
  EXPECT_FALSE(cache.put_source("../../etc/x", "text"));
  EXPECT_FALSE(cache.put_source("", "text"));
  EXPECT_TRUE(cache.list()->empty());
}

TEST_F(CacheTest, AReadOnlyFolderCanBeReadAndAFailedPutLeavesTheEntry) {
  if (geteuid() == 0) {
    // Root writes anywhere: a limit on the size of files stands for the full disk instead.
    const Cache cache = open();
    ASSERT_TRUE(cache.put(key("aa"), measured(5)));
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{16, 16};
      setrlimit(RLIMIT_FSIZE, &limit);
      const bool failed = !cache.put(key("aa"), measured(6));
      _exit(failed ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "the put must fail";
    EXPECT_EQ(cache.find(key("aa")), measured(5));
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(only_file()).parent_path()), {}), 1);
    return;
  }
  ASSERT_TRUE(open().put(key("aa"), measured(5)));
  const std::string shelf = fs::path(only_file()).parent_path().string();
  chmod(shelf.c_str(), 0555);
  EXPECT_FALSE(open().put(key("aa"), measured(6)));
  EXPECT_EQ(open().find(key("aa")), measured(5));
  chmod(shelf.c_str(), 0755);
}

// A measurement that is large and whole or wrong: torn reads cannot pass.
Measurement version(int n) {
  Measurement m = measured(n);
  for (int i = 0; i < 100; ++i) m.metrics["m__" + std::to_string(i) + ".sum"] = n;
  return m;
}

bool whole(const Measurement& m) {
  const double n = m.metrics.at("gpu__time_duration.sum");
  for (const auto& [name, value] : m.metrics) {
    if (value != n) return false;
  }
  return m.metrics.size() == 101;
}

// Exit codes: 0 fine, else what was seen.
int write_many(const std::string& folder, int writer) {
  const auto cache = Cache::open(folder);
  for (int i = 0; i < 60; ++i) {
    const std::string hash = std::string(1, static_cast<char>('a' + i % 4));
    if (!cache || !cache->put(key(hash), version(writer * 1000 + i))) return 1;
    if (i % 20 == 19 && !cache->collect(86400)) return 4;
  }
  return 0;
}

int read_many(const std::string& folder) {
  const auto cache = Cache::open(folder);
  for (int i = 0; i < 200; ++i) {
    const auto found = cache->find(key(std::string(1, static_cast<char>('a' + i % 4))));
    if (found && !whole(*found)) return 2;
  }
  if (!cache->list()) return 5;
  return cache->damaged() == 0 ? 0 : 3;
}

TEST_F(CacheTest, ManyProcessesOnOneFolderSeeWholeEntriesOnly) {
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    const pid_t child = fork();
    if (child == 0) _exit(c % 2 ? read_many(folder_) : write_many(folder_, c));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  EXPECT_EQ(open().list()->size(), 4u);
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
  }
}

TEST_F(CacheTest, AWriterThatIsKilledLeavesNothingThatCounts) {
  for (int round = 0; round < 5; ++round) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      const Cache cache = open();
      for (int i = 0;; ++i) {
        static_cast<void>(cache.put(key("a"), version(i)));
        if (i == 20) static_cast<void>(write(ready[1], "x", 1));
      }
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]), close(ready[1]);
    const Cache cache = open();
    const auto found = cache.find(key("a"));
    ASSERT_TRUE(found);
    EXPECT_TRUE(whole(*found));
    EXPECT_EQ(cache.damaged(), 0u);
  }
}

}  // namespace
}  // namespace ks::profile
