#include "store/run_file.h"

#include <sys/wait.h>

#include <fstream>

#include "store/test_util.h"

namespace ks::store {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

size_t entries(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(RunFile, PutsTheFileInPlace) {
  TempFolder folder;
  auto file = RunFile::create(folder / "out", false);
  ASSERT_TRUE(file) << file.error().message;
  write(file->path(), "data");
  EXPECT_FALSE(fs::exists(folder / "out/run.duckdb"));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(folder / "out/run.duckdb"), "data");
  EXPECT_EQ(entries(folder / "out"), 1u);
}

TEST(RunFile, WithoutCommitNothingStays) {
  TempFolder folder;
  {
    auto file = RunFile::create(folder / "a/out", false);
    ASSERT_TRUE(file);
    write(file->path(), "data");
    write(file->path() + ".wal", "log");
    fs::create_directory(file->temp_directory());
  }
  EXPECT_FALSE(fs::exists(folder / "a/out"));
}

TEST(RunFile, RefusesAFolderThatExists) {
  TempFolder folder;
  fs::create_directory(folder / "out");
  const auto file = RunFile::create(folder / "out", false);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("--overwrite"), std::string::npos);
  write(folder / "plain", "");
  EXPECT_FALSE(RunFile::create(folder / "plain", true));
}

TEST(RunFile, OverwriteReplacesOurFileOnly) {
  TempFolder folder;
  fs::create_directory(folder / "out");
  write(folder / "out/run.duckdb", "old");
  write(folder / "out/run.duckdb.wal", "old log");
  write(folder / "out/notes.txt", "mine");
  write(folder / "out/run.duckdb.part-notes", "mine");
  {
    auto failed = RunFile::create(folder / "out", true);
    ASSERT_TRUE(failed);
    write(failed->path(), "half");
  }
  EXPECT_EQ(read(folder / "out/run.duckdb"), "old");
  auto file = RunFile::create(folder / "out", true);
  ASSERT_TRUE(file);
  write(file->path(), "new");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(folder / "out/run.duckdb"), "new");
  EXPECT_FALSE(fs::exists(folder / "out/run.duckdb.wal"));
  EXPECT_EQ(read(folder / "out/notes.txt"), "mine");
  EXPECT_EQ(entries(folder / "out"), 3u);
}

TEST(RunFile, RemovesWhatKilledProcessesLeft) {
  TempFolder folder;
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  fs::create_directory(folder / "out");
  const std::string left = folder / ("out/run.duckdb.part-" + std::to_string(dead));
  const std::string alive = folder / ("out/run.duckdb.part-" + std::to_string(getppid()));
  write(left, "");
  write(left + ".wal", "");
  write(alive, "");
  ASSERT_TRUE(RunFile::create(folder / "out", true));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(left + ".wal"));
  EXPECT_TRUE(fs::exists(alive));
}

TEST(RunFile, SignalHandlersCanCleanUp) {
  TempFolder folder;
  auto file = RunFile::create(folder / "out", false);
  ASSERT_TRUE(file);
  const std::string part = file->path();
  write(part, "half");
  remove_unfinished_run_file();
  EXPECT_FALSE(fs::exists(part));
  write(part, "whole");
  ASSERT_TRUE(file->commit());
  remove_unfinished_run_file();
  EXPECT_TRUE(fs::exists(folder / "out/run.duckdb"));
}

}  // namespace
}  // namespace ks::store
