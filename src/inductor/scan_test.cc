#include "inductor/scan.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/hash.h"
#include "inductor/best_config.h"

namespace ks::inductor {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kCache = KS_SOURCE_DIR "/tests/data/inductor/cache";

class Scan : public testing::Test {
 protected:
  Scan() : folder_(testing::TempDir() + "/scan-" + std::to_string(getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Scan() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  ScanResult scanned() {
    auto result = scan({folder_.string()});
    EXPECT_TRUE(result);
    return result ? std::move(*result) : ScanResult();
  }
  fs::path folder_;
};

std::string kernel_text(const std::string& name, const std::string& block) {
  return "@triton_heuristics.pointwise(a=1)\n@triton.jit\ndef " + name + "(p, " + block +
         " : tl.constexpr):\n    pass\n";
}

TEST_F(Scan, OwnFileAndWrapperAreOneKernel) {
  const auto result = scan({kCache});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->files, 5U);
  EXPECT_EQ(result->kernels.size(), 11U);
  EXPECT_EQ(result->duplicates, 3U);
  EXPECT_THAT(result->problems, IsEmpty());
  const Kernel& first = result->kernels[0];
  EXPECT_THAT(first.path, HasSubstr("/4w/c4w43342"));
  EXPECT_THAT(first.wrapper, HasSubstr("/hj/chjbozqj"));
  EXPECT_FALSE(first.aten_ops.empty());
  EXPECT_EQ(first.best_config, "XBLOCK: 1024, num_warps: 4, num_stages: 1");
}

TEST_F(Scan, TheSameInputTwiceIsReadOnce) {
  const auto result = scan({kCache, kCache});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->files, 5U);
}

TEST_F(Scan, LinksAreNotFollowedAndOddFilesAreProblems) {
  write("in/a.py", kernel_text("triton_a", "XBLOCK"));
  write("in/b.py", "x = 1\n");
  fs::create_symlink(kCache, folder_ / "in/link");
  fs::create_symlink(kCache + "/x.py", folder_ / "in/link.py");
  fs::resize_file(write("in/big.py", ""), (64U << 20) + 1);
  const ScanResult result = scanned();
  EXPECT_EQ(result.files, 2U);
  EXPECT_EQ(result.without_kernels, 1U);
  EXPECT_THAT(result.problems, ElementsAre(HasSubstr("big.py: larger than 64 MiB")));
}

TEST_F(Scan, AbsentInputsAndArchivesAreErrors) {
  EXPECT_THAT(scan({"/nowhere/x"}).error().message, HasSubstr("no such file"));
  EXPECT_THAT(scan({write("c.tar.gz", "x")}).error().message, HasSubstr("unpack it first"));
}

TEST_F(Scan, ConfigsOfOlderTorchAreFoundByName) {
  write("a.py", kernel_text("triton_a", "XBLOCK"));
  write("b.py", kernel_text("triton_b", "XBLOCK"));
  write("a.best_config", R"({"XBLOCK": 8, "num_warps": 2, "configs_hash": "q"})");
  write(sha256_hex("b.py:") + ".best_config", R"({"XBLOCK": 16})");
  const ScanResult result = scanned();
  ASSERT_EQ(result.kernels.size(), 2U);
  EXPECT_EQ(result.kernels[0].best_config, "XBLOCK: 8, num_warps: 2");
  EXPECT_EQ(result.kernels[1].best_config, "XBLOCK: 16");
}

TEST_F(Scan, ConfigsOfNewerTorchOnlyWhereThereIsNoChoice) {
  write("a/a.py", kernel_text("triton_a", "XBLOCK"));
  write("a/b.py", kernel_text("triton_b", "R0_BLOCK"));
  write("a/1.best_config", R"({"R0_BLOCK": 4, "num_warps": 1})");
  write("a/2.best_config", R"({"XBLOCK": 8, "num_warps": 1})");
  write("c/c.py", kernel_text("triton_c", "XBLOCK"));
  write("c/d.py", kernel_text("triton_d", "XBLOCK"));
  write("c/3.best_config", R"({"XBLOCK": 8, "num_warps": 1})");
  const ScanResult result = scanned();
  ASSERT_EQ(result.kernels.size(), 4U);
  EXPECT_EQ(result.kernels[0].best_config, "XBLOCK: 8, num_warps: 1");
  EXPECT_EQ(result.kernels[1].best_config, "R0_BLOCK: 4, num_warps: 1");
  EXPECT_EQ(result.kernels[2].best_config + result.kernels[3].best_config, "");
  // One file alone: its neighbours were not read, so nothing is known of the choice.
  const auto alone = scan({(folder_ / "a/a.py").string()});
  EXPECT_EQ(alone->kernels.at(0).best_config, "");
}

TEST(BestConfig, KeepsAllButBookkeeping) {
  EXPECT_EQ(best_config_text(R"({"XBLOCK":64,"num_warps":4,"flag":true,"s":"a","time_taken_ms":7,
                                 "triton_cache_hash":"X","found_by_coordesc":false})"),
            "XBLOCK: 64, num_warps: 4, flag: true, s: a");
  EXPECT_EQ(best_config_text("[1]"), "");
  EXPECT_EQ(best_config_text(std::string(100000, '[')), "");
}

}  // namespace
}  // namespace ks::inductor
