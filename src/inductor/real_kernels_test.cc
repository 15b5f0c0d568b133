// All kernels of the shared data: upstream's table cell by cell, and one hash for a kernel in its
// own file and in a wrapper.
#include <gtest/gtest.h>

#include <set>

#include "inductor/metadata_table.h"
#include "inductor/test_archive.h"

namespace ks::inductor {
namespace {

std::string stem(std::string_view path) { return std::filesystem::path(path).stem().string(); }

struct Found {
  std::map<std::string, Kernel> own;  // by stem
  std::vector<Kernel> wrapped;
};

Found read(const std::string& archive) {
  Found found;
  for (const auto& [path, text] : read_archive(shared_data() / archive)) {
    for (Kernel& kernel : read_kernels(text, path)) {
      if (kernel.wrapper.empty()) {
        found.own.emplace(stem(path), std::move(kernel));
      } else {
        found.wrapped.push_back(std::move(kernel));
      }
    }
  }
  return found;
}

class RealKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_data())) GTEST_SKIP() << "shared data is not there";
  }
};

TEST_F(RealKernels, UpstreamsTableIsReproducedCellByCell) {
  const Found found = read("inductor/inductor_cache_torch2.11.tar.gz");
  const auto wanted =
      read_metadata(read_whole(shared_data() / "inductor/kernel_metadata_torch2.11.csv"));
  ASSERT_TRUE(wanted);
  ASSERT_EQ(wanted->rows.size(), 307U);
  for (const auto& row : wanted->rows) {
    const std::string name = stem(row[2]);
    ASSERT_TRUE(found.own.contains(name)) << name;
    std::vector<std::string> cells = upstream_cells(found.own.at(name));
    cells[1] = row[2];  // the folder is not ours
    EXPECT_EQ(cells, std::vector<std::string>(row.begin() + 1, row.end())) << name;
  }
}

void expect_one_hash(const std::string& archive, size_t own, size_t wrapped) {
  const Found found = read(archive);
  EXPECT_EQ(found.own.size(), own);
  EXPECT_EQ(found.wrapped.size(), wrapped);
  std::set<std::string> hashes;
  for (const auto& [name, kernel] : found.own) hashes.insert(kernel.source_hash);
  EXPECT_EQ(hashes.size(), own);
  for (const Kernel& kernel : found.wrapped) {
    const auto same = found.own.find(stem(kernel.path));
    ASSERT_NE(same, found.own.end()) << kernel.path;
    EXPECT_EQ(kernel.source_hash, same->second.source_hash);
    EXPECT_EQ(kernel.name, same->second.name);
    EXPECT_FALSE(kernel.aten_ops.empty()) << kernel.name;
  }
}

TEST_F(RealKernels, WrapperAndOwnFileAreOneKernel) {
  expect_one_hash("inductor/inductor_cache_torch2.11.tar.gz", 307, 307);
  expect_one_hash("one_run/llama/inductor_cache.tar.gz", 47, 47);
}

TEST_F(RealKernels, EveryFactIsThere) {
  for (const auto& [name, kernel] : read("inductor/inductor_cache_torch2.11.tar.gz").own) {
    EXPECT_TRUE(kernel.has_harness) << name;
    EXPECT_TRUE(kernel.num_gb && kernel.num_load && kernel.num_store && kernel.num_reduction);
    EXPECT_LT(*kernel.num_gb, 10) << name;  // an exponent left out would show
    EXPECT_FALSE(kernel.flop) << name;
    EXPECT_FALSE(kernel.grid_type.empty() || kernel.size_hints.empty()) << name;
    const bool reduces = kernel.category != "pointwise";
    EXPECT_EQ(kernel.numels.contains("r0_numel"), reduces) << name;
  }
}

TEST_F(RealKernels, TemplatesHaveFlopAndOneConfig) {
  size_t templates = 0;
  for (const auto& [name, kernel] : read("one_run/template/inductor_cache.tar.gz").own) {
    if (kernel.category != "template") continue;
    ++templates;
    EXPECT_GT(kernel.flop.value_or(0), 1e6) << name;
    EXPECT_EQ(kernel.num_configs, 1) << name;
  }
  EXPECT_GT(templates, 100U);
}

}  // namespace
}  // namespace ks::inductor
