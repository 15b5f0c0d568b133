#include "store/run_writer.h"

#include <sys/wait.h>

#include <cstdlib>
#include <span>

#include "run/read.h"
#include "store/test_util.h"

namespace ks::store {
namespace {

// One real trace, parsed once for all tests.
class RunWriterTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    const std::string trace = std::string(KS_SOURCE_DIR) + "/../shared/data/traces/llama";
    if (std::filesystem::exists(trace)) parse(trace);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  void SetUp() override {
    if (!run_) GTEST_SKIP() << "no ../shared/data/traces/llama";
  }

  static void parse(const std::string& trace) {
    Diagnostics diagnostics;
    auto files = io::find_inputs({trace}, diagnostics);
    ASSERT_TRUE(files) << files.error().message;
    const auto groups = io::group_by_rank(*files, true, diagnostics);
    auto writer = RunWriter::create(path(), {}, "1.2.3");
    ASSERT_TRUE(writer) << writer.error().message;
    run::Observer* observers[] = {writer->get()};
    auto run = run::read(groups, {}, observers);
    ASSERT_TRUE(run) << run.error().message;
    const auto finished = (*writer)->finish(*run);
    ASSERT_TRUE(finished) << finished.error().message;
    run_.emplace(std::move(*run));
  }
  static std::string path() { return *folder_ / "run.duckdb"; }

  static std::vector<std::string> query(const std::string& sql) {
    TextSink sink;
    const auto outcome = run_query(path(), sql, {}, sink);
    EXPECT_TRUE(outcome) << sql << "\n" << outcome.error().message;
    return sink.rows;
  }
  static std::string one(const std::string& sql) {
    const auto rows = query(sql);
    return rows.size() == 1 ? rows[0] : std::to_string(rows.size()) + " rows";
  }

  static TempFolder* folder_;
  static std::optional<run::Run> run_;
};
TempFolder* RunWriterTest::folder_ = nullptr;
std::optional<run::Run> RunWriterTest::run_;

TEST_F(RunWriterTest, EveryViewCanBeRead) {
  for (const std::string& row : query("SELECT view_name FROM duckdb_views() WHERE NOT internal")) {
    const std::string name = row.substr(1, row.size() - 2);
    TextSink sink;
    const auto outcome = run_query(path(), "SELECT * FROM " + name + " LIMIT 3", {}, sink);
    EXPECT_TRUE(outcome) << name << ": " << outcome.error().message;
  }
}

TEST_F(RunWriterTest, EveryPublicNameHasAComment) {
  EXPECT_EQ(query("SELECT table_name FROM duckdb_tables() WHERE comment IS NULL AND "
                  "table_name NOT LIKE '\\_%' ESCAPE '\\' UNION ALL SELECT view_name FROM "
                  "duckdb_views() WHERE NOT internal AND comment IS NULL AND "
                  "view_name NOT LIKE '\\_%' ESCAPE '\\'"),
            std::vector<std::string>{});
}

TEST_F(RunWriterTest, CountsAreThoseOfTheRun) {
  EXPECT_EQ(one("SELECT count(*) FROM kernels"), std::to_string(run_->kernels.size()));
  EXPECT_EQ(one("SELECT count(*) FROM compilations"), std::to_string(run_->compilations.size()));
  EXPECT_EQ(one("SELECT count(*), min(launch_id), max(launch_id) FROM launches"),
            std::to_string(run_->launches) + "|0u|" + std::to_string(run_->launches - 1) + "u");
  EXPECT_EQ(one("SELECT tool_version FROM meta"), "'1.2.3'");
  size_t texts = 0;
  for (const run::Kernel& kernel : run_->kernels) texts += kernel.artifacts.size();
  EXPECT_EQ(one("SELECT count(*), count(text) FROM artifact_texts"),
            std::to_string(texts) + "|" + std::to_string(texts));
  EXPECT_EQ(one("SELECT count(*) FROM artifact_texts t JOIN artifacts a USING (artifact_id) "
                "WHERE strlen(t.text) <> a.bytes"),
            "0");
}

// The kernel table agrees with the launches themselves.
TEST_F(RunWriterTest, KernelsAgreeWithLaunches) {
  EXPECT_EQ(one("SELECT count(*) FROM kernels k LEFT JOIN (SELECT kernel_id, "
                "count(*) FILTER (kind IN ('user', 'winner')) AS u, "
                "count(*) FILTER (kind NOT IN ('user', 'winner')) AS o FROM launches GROUP BY 1) l "
                "USING (kernel_id) WHERE k.user_launches <> coalesce(u, 0) "
                "OR k.other_launches <> coalesce(o, 0)"),
            "0");
  EXPECT_EQ(one("SELECT count(*) FROM (SELECT kernel_id, min(position) AS a, max(position) AS b, "
                "count(position) AS n FROM launches GROUP BY 1) WHERE n > 0 AND (a <> 0 OR "
                "b <> n - 1)"),
            "0");
  EXPECT_EQ(one("SELECT count(*) > 0 FROM launches WHERE position IS NULL"), "true");
}

// Every launch has every pointer of its class, and its arguments can be asked for by name.
TEST_F(RunWriterTest, ArgumentsByName) {
  EXPECT_EQ(one("SELECT count(*) FROM _launches l JOIN _classes c USING (class) "
                "WHERE len(l.pointers) <> len(c.pointer_paths)"),
            "0");
  EXPECT_EQ(one("SELECT count(*) > 0 FROM launch_pointers WHERE aligned AND argument = 'in_ptr0'"),
            "true");
  EXPECT_EQ(one("SELECT count(DISTINCT launch_id) FROM launch_arguments WHERE argument = 'xnumel' "
                "AND property = 'value'"),
            one("SELECT count(DISTINCT launch_id) FROM launch_fields WHERE field = "
                "'extracted_args.xnumel.value'"));
}

// What the views give for one launch is what its record had.
TEST_F(RunWriterTest, DiffCoversAllUserLaunches) {
  EXPECT_EQ(one("SELECT count(*) FROM launch_diff_fields f JOIN (SELECT kernel_id, field, "
                "sum(launches) AS n FROM launch_diff GROUP BY ALL) d USING (kernel_id, field) "
                "WHERE NOT is_pointer AND n <> present"),
            "0");
  EXPECT_EQ(one("SELECT count(*) FROM (SELECT kernel_id, sum(launches) AS n FROM configurations "
                "GROUP BY 1) c JOIN kernels k USING (kernel_id) WHERE c.n <> k.user_launches"),
            "0");
}

TEST_F(RunWriterTest, SourceMapsSurvive) {
  uint64_t mapped = 0;
  for (const run::Kernel& kernel : run_->kernels) {
    for (const run::ArtifactInfo& info : kernel.artifacts) mapped += info.coverage.mapped;
  }
  EXPECT_EQ(one("SELECT count(*) FROM (SELECT DISTINCT artifact_id, line FROM source_map)"),
            std::to_string(mapped));
  EXPECT_EQ(one("SELECT count(*) FROM source_map WHERE source_file IS NULL AND source_line > 0"),
            "0");
  EXPECT_EQ(one("SELECT count(*) FROM _maps WHERE len(lines) <> len(chains)"), "0");
}

// More than the memory that the writer has for all else.
TEST(RunWriter, HugeTextsAndAnEmptyRun) {
  TempFolder folder;
  auto writer = RunWriter::create(folder / "run.duckdb", {.temp_directory = folder / "tmp"}, "1");
  ASSERT_TRUE(writer) << writer.error().message;
  run::Run run;
  for (run::Id id = 0; id < 3; ++id) {
    run.kernels.emplace_back().name = "k";
    run.kernels[id].artifacts.resize(1);
    std::vector<run::StageText> texts(1);
    for (uint64_t i = 0; texts[0].text.size() < (60u << 20); ++i) {
      texts[0].text += std::to_string(i * 0x9E3779B97F4A7C15u);
    }
    const auto done = (*writer)->kernel(run, id, texts);
    ASSERT_TRUE(done) << done.error().message;
  }
  const auto finished = (*writer)->finish(run);
  ASSERT_TRUE(finished) << finished.error().message;
  TextSink sink;
  const auto outcome = run_query(folder / "run.duckdb",
                                 "SELECT variant, len(text) > 60000000 FROM artifact_texts JOIN "
                                 "kernels USING (kernel_id) ORDER BY 1",
                                 {}, sink);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(sink.rows, (std::vector<std::string>{"1u|true", "2u|true", "3u|true"}));
}

// Someone else's eyes: tests/store_old_client.py with the oldest client that we promise.
TEST_F(RunWriterTest, OlderClientReadsIt) {
  const std::string root = KS_SOURCE_DIR;
  if (!std::filesystem::exists(root + "/.venv/bin/python")) {
    GTEST_SKIP() << "no .venv/bin/python; ./run test makes it, with duckdb 1.2.2";
  }
  const int status = std::system(("\"" + root + "/.venv/bin/python\" \"" + root +
                                  "/tests/store_old_client.py\" \"" + path() + "\"")
                                     .c_str());
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no duckdb 1.2.x in .venv";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ks::store
