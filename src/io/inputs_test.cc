#include "io/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/lines.h"

namespace ks::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Inputs : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("inputs_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string make(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "{}\n";
    return folder_ / name;
  }

  // Paths below the folder, or the error.
  std::vector<std::string> find(const std::vector<std::string>& arguments) {
    std::vector<std::string> paths;
    const auto found = find_inputs(arguments, diagnostics_);
    if (!found) return {"error: " + found.error().message};
    for (const InputFile& file : *found) {
      paths.push_back(file.path == "-" ? "-" : fs::path(file.path).lexically_relative(folder_));
    }
    return paths;
  }

  fs::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(Inputs, FolderGivesItsTracesSorted) {
  make("log.source.dedicated_log_triton_trace_u_.ndjson");
  make("dedicated_log_triton_trace_u_rank_1_.bin.ndjson");
  make("dedicated_log_triton_trace_u_rank_10_.ndjson.gz");
  make("other.ndjson");
  make("sub/dedicated_log_triton_trace_deep_.ndjson");
  EXPECT_THAT(find({folder_}), ElementsAre("dedicated_log_triton_trace_u_rank_10_.ndjson.gz",
                                           "dedicated_log_triton_trace_u_rank_1_.bin.ndjson",
                                           "log.source.dedicated_log_triton_trace_u_.ndjson"));
}

TEST_F(Inputs, ParsedFolderOfTheReference) {
  make("f0_fc0_a0_cai-.ndjson.gz");
  make("log_file_list.json");
  make("rank_2/f1_fc0_a0_cai-.ndjson.gz");
  make("rank_x/f2.ndjson");
  EXPECT_THAT(find({folder_}),
              ElementsAre("f0_fc0_a0_cai-.ndjson.gz", "rank_2/f1_fc0_a0_cai-.ndjson.gz"));
  const auto found = find_inputs({folder_}, diagnostics_);
  EXPECT_EQ((*found)[0].parsed.rank, std::nullopt);
  EXPECT_EQ((*found)[1].parsed.rank, 2);
  for (const char* name : {"rank_2", "rank_2/"}) {
    EXPECT_EQ((*find_inputs({folder_ / name}, diagnostics_))[0].parsed.rank, 2);
  }
}

TEST_F(Inputs, NamedFileIsAlwaysTaken) {
  EXPECT_THAT(find({make("notes.txt"), "-"}), ElementsAre("notes.txt", "-"));
}

TEST_F(Inputs, SameFileOnce) {
  const std::string path = make("dedicated_log_triton_trace_u_.ndjson");
  EXPECT_EQ(find({path, folder_, folder_ / "." / "*.ndjson"}).size(), 1U);
}

TEST_F(Inputs, Glob) {
  make("a1.ndjson");
  make("a2.ndjson");
  make("a2.txt");
  make("b.ndjson");
  make("rank_0/dedicated_log_triton_trace_x_.ndjson");
  EXPECT_THAT(find({folder_ / "a*"}), ElementsAre("a1.ndjson", "a2.ndjson"));
  EXPECT_THAT(find({folder_ / "*.txt"}), ElementsAre("a2.txt"));
  EXPECT_THAT(find({folder_ / "rank_*"}),
              ElementsAre("rank_0/dedicated_log_triton_trace_x_.ndjson"));
  EXPECT_THAT(find({folder_ / "z*"})[0], HasSubstr("no trace matches"));
}

TEST_F(Inputs, FileWithGlobCharactersInItsName) {
  EXPECT_THAT(find({make("a[1].ndjson")}), ElementsAre("a[1].ndjson"));
}

TEST_F(Inputs, NothingFoundSaysWhatIsThere) {
  make("readme.md");
  const std::string message = find({folder_})[0];
  EXPECT_THAT(message, HasSubstr("dedicated_log_triton_trace_"));
  EXPECT_THAT(message, HasSubstr("it has readme.md"));
  EXPECT_THAT(find({folder_ / "none"})[0], HasSubstr("no such file or folder"));
  EXPECT_THAT(find({})[0], HasSubstr("no input"));
}

TEST_F(Inputs, ClpIsRefused) {
  const auto found = find_inputs({make("dedicated_log_triton_trace_u_.clp")}, diagnostics_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(found.error().message, HasSubstr("CLP archives are not read"));
}

TEST_F(Inputs, ClpBesideOthersIsCounted) {
  make("dedicated_log_triton_trace_u_.clp");
  make("dedicated_log_triton_trace_v_.ndjson");
  EXPECT_THAT(find({folder_}), ElementsAre("dedicated_log_triton_trace_v_.ndjson"));
  EXPECT_EQ(diagnostics_[Diag::unreadable_file].count, 1U);
}

TEST_F(Inputs, RealTracesOfTwoRanks) {
  const std::string traces = KS_SOURCE_DIR "/../shared/data/traces/ddp";
  if (!fs::exists(traces)) GTEST_SKIP() << "no " << traces;
  const auto found = find_inputs({traces}, diagnostics_);
  ASSERT_TRUE(found);
  const auto groups = group_by_rank(*found, true, diagnostics_);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].rank, 1);
  EXPECT_EQ(groups[1].files[0].parsed.pid, 1904);
  EXPECT_EQ(groups[1].files[0].parsed.host, "vm");
  auto source = open_file(groups[1].files[0].path);
  ASSERT_TRUE(source);
  BlockReader reader(decoded(std::move(*source), {}, "f", diagnostics_), "f", {});
  Block block;
  size_t lines = 0;
  while (*reader.next(block)) {
    EXPECT_FALSE(block.last_line_unterminated);
    for (const Line& line : block.lines) {
      const std::string_view text = block.view(line);
      EXPECT_TRUE(text.starts_with("{") && text.ends_with("}")) << line.number;
      EXPECT_EQ(line.number, ++lines);
    }
  }
  EXPECT_GT(lines, 0U);
  EXPECT_TRUE(diagnostics_.lossless());
}

TEST_F(Inputs, TorchTraces) {
  make("dedicated_log_torch_trace_b.log");
  make("dedicated_log_torch_trace_a.log.gz");
  make("dedicated_log_triton_trace_u_.ndjson");
  const auto found = find_torch_traces({folder_});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].name, "dedicated_log_torch_trace_a.log.gz");
  EXPECT_FALSE(find_torch_traces({folder_ / "none"}));
}

InputFile file(const std::string& name, const std::string& folder = "t") {
  const std::string full = "dedicated_log_triton_trace_u_" + name + "_.ndjson";
  return {folder + "/" + full, full, parse_trace_file_name(full)};
}

std::vector<std::string> group(std::vector<InputFile> files, bool attribution,
                               Diagnostics& diagnostics) {
  std::vector<std::string> text;
  for (const RankGroup& rank : group_by_rank(std::move(files), attribution, diagnostics)) {
    std::string row = rank.rank ? std::to_string(*rank.rank) : "none";
    for (const InputFile& f : rank.files) {
      const std::string_view stem = std::string_view(f.parsed.base).substr(29);
      row += " " + std::string(stem.substr(0, stem.size() - 1));
    }
    text.push_back(row);
  }
  return text;
}

TEST(Ranks, OrderOfFirstSightAndNoRankLast) {
  Diagnostics diagnostics;
  EXPECT_THAT(
      group({file("rank_1"), file("a"), file("rank_10"), file("rank_0")}, true, diagnostics),
      ElementsAre("0 rank_0", "10 rank_10", "1 rank_1", "none a"));
}

TEST(Ranks, PreInitFilesGoToTheirProcess) {
  const std::vector<InputFile> files = {file("rank_0_pid_5_host_a"),
                                        file("rank_none_pid_5_host_a"),
                                        file("rank_none_pid_5_host_b"),
                                        file("rank_none_pid_5"),
                                        file("rank_1_pid_6"),
                                        file("rank_none_pid_6"),
                                        file("rank_none")};
  Diagnostics diagnostics;
  EXPECT_THAT(
      group(files, true, diagnostics),
      ElementsAre("0 rank_0_pid_5_host_a rank_none_pid_5_host_a", "1 rank_1_pid_6 rank_none_pid_6",
                  "none rank_none rank_none_pid_5 rank_none_pid_5_host_b"));
  EXPECT_THAT(group(files, false, diagnostics),
              ElementsAre("0 rank_0_pid_5_host_a", "1 rank_1_pid_6",
                          "none rank_none rank_none_pid_5 rank_none_pid_6 "
                          "rank_none_pid_5_host_a rank_none_pid_5_host_b"));
}

TEST(Ranks, FirstRankOfAProcessStays) {
  Diagnostics diagnostics;
  EXPECT_THAT(group({file("rank_1_pid_5"), file("rank_0_pid_5"), file("rank_none_pid_5")}, true,
                    diagnostics),
              ElementsAre("0 rank_0_pid_5 rank_none_pid_5", "1 rank_1_pid_5"));
  EXPECT_EQ(diagnostics[Diag::rank_conflict].count, 1U);
}

TEST(Ranks, FilesByHostPidPath) {
  Diagnostics diagnostics;
  EXPECT_THAT(
      group({file("rank_0_pid_10_host_b"), file("rank_0_pid_9_host_b"), file("rank_0_pid_11"),
             file("rank_0_host_a")},
            true, diagnostics),
      ElementsAre("0 rank_0_pid_11 rank_0_host_a rank_0_pid_9_host_b rank_0_pid_10_host_b"));
}

}  // namespace
}  // namespace ks::io
