#include "profile/row_kernels.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernel = R"(
import triton
@triton_heuristics.pointwise(
    size_hints={'x': 512}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32'}},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_a', 'mutated_arg_names': [], 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'kernel_num_gb': 2.304e-06, 'kernel_flop': 0},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_a(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 384
    tmp0 = tl.load(in_ptr0 + (x0), xmask)


def get_args():
    return 1


def call(args):
    pass
)";

class RowKernels : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ks_rows_" + std::to_string(getpid()) + "_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_ + "/ab");
    std::ofstream(folder_ + "/ab/cabc.py") << kKernel;
  }
  void TearDown() override { fs::remove_all(folder_); }
  inductor::MetadataTable table(std::string path, std::string gb = "2.304") const {
    return {{"kernel_name", "kernel_path", "kernel_args_num_gb"},
            {{"triton_poi_a", std::move(path), std::move(gb)}},
            {}};
  }
  std::string folder_;
};

TEST_F(RowKernels, TheFilesOwnValueGoesBeforeTheTables) {
  const auto rows = load_rows(table(folder_ + "/ab/cabc.py"), {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].blocked, Status::ok) << rows[0].reason;
  EXPECT_NEAR(*rows[0].needs.bytes, 2304, 1e-9);
  EXPECT_FALSE(rows[0].needs.bytes_from_csv);
  EXPECT_EQ(rows[0].needs.flop, std::nullopt);
  EXPECT_EQ(rows[0].source_hash.size(), 32u);
  EXPECT_EQ(rows[0].category, "pointwise");
}

TEST_F(RowKernels, WithoutTheFileTheTableIsAllThereIs) {
  const auto rows = load_rows(table("/none/cabc.py"), {});
  EXPECT_EQ(rows[0].blocked, Status::no_file);
  EXPECT_DOUBLE_EQ(*rows[0].needs.bytes, 2.304e9);
  EXPECT_TRUE(rows[0].needs.bytes_from_csv);
  EXPECT_EQ(load_rows(table(""), {})[0].blocked, Status::no_file);
}

TEST_F(RowKernels, MovedFilesAreFoundByTheirStem) {
  LoadOptions options;
  options.kernel_root = folder_;
  const auto rows = load_rows(table("/none/xy/cabc.py"), options);
  EXPECT_EQ(rows[0].blocked, Status::ok);
  EXPECT_EQ(rows[0].path, folder_ + "/ab/cabc.py");
}

TEST_F(RowKernels, AFileWithoutHarnessCannotRun) {
  const std::string text(kKernel);
  std::ofstream(folder_ + "/ab/cdef.py") << text.substr(0, text.find("def get_args"));
  EXPECT_EQ(load_rows(table(folder_ + "/ab/cdef.py"), {})[0].blocked, Status::no_harness);
  std::ofstream(folder_ + "/ab/empty.py") << "x = 1\n";
  EXPECT_EQ(load_rows(table(folder_ + "/ab/empty.py"), {})[0].blocked, Status::no_file);
}

TEST_F(RowKernels, APathThatOnlyAWrapperNamesIsNotOpened) {
  inductor::Kernel kernel;
  kernel.name = "triton_poi_a";
  kernel.wrapper = folder_ + "/wrapper.py";
  kernel.has_harness = true;
  kernel.source = "text";
  kernel.path = "/etc/passwd";
  EXPECT_EQ(rows_of_scan({kernel}, {folder_})[0].path, "");
  EXPECT_EQ(rows_of_scan({kernel}, {folder_})[0].source, "text");
  kernel.path = folder_ + "/../" + fs::path(folder_).filename().string() + "x/cabc.py";
  EXPECT_EQ(rows_of_scan({kernel}, {folder_})[0].path, "");
  kernel.path = folder_ + "/ab/cabc.py";
  EXPECT_EQ(rows_of_scan({kernel}, {folder_ + "/"})[0].path, kernel.path);
}

TEST(PathStem, IsTheNameWithoutItsEnd) {
  EXPECT_EQ(path_stem("/a/b/cabc.py"), "cabc");
  EXPECT_EQ(path_stem("cabc"), "cabc");
  EXPECT_EQ(path_stem("a.b/c"), "c");
  EXPECT_EQ(path_stem(""), "");
}

}  // namespace
}  // namespace ks::profile
