#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "io/source.h"

namespace ks::io {
namespace {

std::string read_all(Source& source) {
  std::string text;
  char bytes[7];
  while (true) {
    const Result<size_t> n = source.read(bytes);
    if (!n || *n == 0) return text;
    text.append(bytes, *n);
  }
}

std::filesystem::path fresh_folder(const char* name) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

TEST(FileSource, ReadsAFile) {
  const auto path = fresh_folder("file_source") / "a";
  std::ofstream(path) << "some bytes\nof text";
  const auto source = open_file(path);
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source), "some bytes\nof text");
  char more[1];
  EXPECT_EQ((*source)->read(more), 0U);
}

TEST(FileSource, EmptyFile) {
  const auto path = fresh_folder("file_source_empty") / "a";
  std::ofstream{path};
  const auto source = open_file(path);
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source), "");
}

TEST(FileSource, RefusesWhatIsNoFile) {
  const auto missing = open_file(fresh_folder("file_source_none") / "a");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::input);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);

  const auto folder = open_file(testing::TempDir());
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("is a folder"), std::string::npos);

  const auto device = open_file("/dev/zero");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message.find("neither a file nor a pipe"), std::string::npos);
}

TEST(FileSource, ReadsAPipe) {
  const auto path = fresh_folder("file_source_fifo") / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int writer = ::open(path.c_str(), O_RDWR);  // so that neither end waits for the other
  ASSERT_EQ(::write(writer, "abc\n", 4), 4);
  const auto source = open_file(path);
  ::close(writer);
  ASSERT_TRUE(source);
  EXPECT_EQ(read_all(**source), "abc\n");
}

TEST(FileSource, FromMemory) { EXPECT_EQ(read_all(*from_memory("0123456789")), "0123456789"); }

}  // namespace
}  // namespace ks::io
