#include "profile/versions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

class VersionsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ks_versions_" + std::to_string(getpid());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(folder_ + "/" + path).parent_path());
    std::ofstream(folder_ + "/" + path) << text;
  }
  std::string folder_;
};

TEST_F(VersionsTest, ComeFromDistInfo) {
  put("a/torch-2.11.0+cu130.dist-info/METADATA",
      "Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0+cu130\n\nVersion: 9\n");
  put("a/torch/version.py", "__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n");
  put("a/torchvision-0.26.dist-info/METADATA", "Version: 0.26\n");
  put("b/Triton-3.6.0.dist-info/METADATA", "Name: triton\n");
  put("b/triton_kernels-1.0.dist-info/METADATA", "Version: 1.0\n");
  const Versions v = find_versions({folder_ + "/none", folder_ + "/a", folder_ + "/b"});
  EXPECT_EQ(v.torch, "2.11.0+cu130");
  EXPECT_EQ(v.cuda, "13.0");
  EXPECT_EQ(v.triton, "3.6.0");
}

TEST_F(VersionsTest, TheFirstFolderCounts) {
  put("a/triton-1.dist-info/METADATA", "Version: 1\n");
  put("b/triton-2.dist-info/METADATA", "Version: 2\n");
  EXPECT_EQ(find_versions({folder_ + "/b", folder_ + "/a"}).triton, "2");
}

TEST_F(VersionsTest, ASourceTreeSaysItItself) {
  put("a/triton/__init__.py", "\"\"\"isort:skip_file\"\"\"\n__version__ = '3.7.0'\n");
  EXPECT_EQ(find_versions({folder_ + "/a"}).triton, "3.7.0");
}

TEST_F(VersionsTest, NothingIsEmpty) {
  const Versions v = find_versions({});
  EXPECT_EQ(v.torch + v.triton + v.cuda, "");
}

}  // namespace
}  // namespace ks::profile
