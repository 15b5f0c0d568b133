#include "store/counters_views.h"

#include <fstream>

#include "store/kernel_queries.h"
#include "store/table_file.h"
#include "store/test_util.h"

namespace ks::store {
namespace {

constexpr const char* kFileA = "caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";  // c and 51
constexpr const char* kFileB = "cbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

// Variants of `a` and one of `b` as Inductor makes them, and `twice`, a name that two files have.
constexpr const char* kKernels = R"sql(
INSERT INTO _python_sources VALUES (0, '@triton.jit
def a(in_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass');
INSERT INTO _kernels BY NAME
  SELECT * FROM (VALUES
    (0, 'a', 1, '/tmp/x/FILE_A.py', 4, 9, 0, 0, '{"src_constants":{"(2,)":1024}}'),
    (1, 'a', 2, '/tmp/x/FILE_A.py', 4, 0, 0, 0, '{"src_constants": {"(2,)": 512}}'),
    (2, 'a', 3, '/tmp/x/FILE_A.py', 8, 0, 0, 0, '{"src_constants":{"(2,)":512}}'),
    (3, 'b', 1, '/tmp/x/FILE_B.py', 4, 2, 64, NULL, NULL),
    (4, 'twice', 1, '/home/me/one.py', 4, 1, 0, NULL, NULL),
    (5, 'twice', 2, '/home/me/two.py', 4, 1, 0, NULL, NULL))
  v(kernel_id, name, variant, source_file, num_warps, launches_user, shared_bytes, source, metadata);
UPDATE _kernels SET num_stages = 1, launches_winner = 0, hash = 'h' || kernel_id;
INSERT INTO _groups BY NAME SELECT * FROM (VALUES (0, 0), (1, 1), (2, 2)) v(group_id, kernel_id);
INSERT INTO _classes BY NAME SELECT * FROM
  (VALUES (0, 0, [128, 1, 1]), (1, 1, [256, 1, 1]), (2, 2, [256, 1, 1])) v(class, group_id, grid);
)sql";

std::string with_files(std::string sql) {
  for (const auto& [word, file] : {std::pair{"FILE_A", kFileA}, {"FILE_B", kFileB}}) {
    for (size_t at; (at = sql.find(word)) != sql.npos;) sql.replace(at, 6, file);
  }
  return sql;
}

class CountersViews : public testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::create(file_, {});
    ASSERT_TRUE(database) << database.error().message;
    auto connection = database->connect();
    Result<> made = connection->execute(std::string(schema_sql()));
    ASSERT_TRUE(made) << made.error().message;
    made = connection->execute("INSERT INTO meta VALUES ('kernelscope run', " +
                               std::to_string(kSchemaVersion) + ", '1');" + with_files(kKernels));
    ASSERT_TRUE(made) << made.error().message;
  }

  // A counters file with these columns, all text; the first row are their names.
  void write_counters(const std::vector<std::vector<std::string>>& rows) {
    std::vector<PlainColumn> columns;
    for (size_t c = 0; c < rows[0].size(); ++c) {
      PlainColumn& column = columns.emplace_back();
      column.name = rows[0][c];
      for (size_t r = 1; r < rows.size(); ++r) column.cells.emplace_back(with_files(rows[r][c]));
    }
    const Result<> written = write_database(counters_, kCountersTable, columns);
    ASSERT_TRUE(written) << written.error().message;
  }

  std::vector<std::string> ask(const std::string& sql) {
    TextSink sink;
    const auto outcome = run_query(file_, sql, {}, sink);
    if (!outcome) return {"error: " + outcome.error().message};
    note_ = outcome->note;
    return sink.rows;
  }
  std::vector<std::string> joined() {
    return ask(
        "SELECT kernel_id, joined_by, variant_by, config_fits FROM kernel_counters "
        "ORDER BY ALL");
  }
  using Lines = std::vector<std::string>;

  TempFolder folder_;
  std::string file_ = folder_ / "run.duckdb", counters_ = folder_ / "counters.duckdb";
  std::string note_;
};

TEST_F(CountersViews, NoneWithoutTheFile) {
  EXPECT_EQ(ask("SELECT 1 FROM counters").at(0).substr(0, 6), "error:");
  EXPECT_EQ(ask("SELECT count(*) FROM kernels"), Lines{"6"});
  EXPECT_TRUE(note_.empty());
}

TEST_F(CountersViews, FilesComeBeforeNames) {
  write_counters({{"kernel_name", "kernel_path", "status"},
                  {"other_name", "/elsewhere/FILE_B.py", "ok"},  // equal code, renamed
                  {"a", "a.py", "ok"},                           // by name only
                  {"twice", "/home/you/two.py", "ok"},           // by file and name
                  {"twice", "/home/you/three.py", "ok"},         // which of the two?
                  {"unknown", "/home/me/one.py", "ok"}});        // a file of many kernels
  EXPECT_EQ(joined(), (Lines{"0u|'name'|'launched'|NULL", "3u|'source file'|'only one'|NULL",
                             "5u|'source file'|'only one'|NULL"}));
  EXPECT_EQ(ask("SELECT count(*) FROM counters"), Lines{"5"});
}

TEST_F(CountersViews, TheMeasuredConfigDecides) {
  const auto measured = [&](const std::string& config) {
    write_counters({{"kernel_name", "kernel_path", "config"}, {"a", "FILE_A.py", config}});
    return joined();
  };
  EXPECT_EQ(measured("XBLOCK: 1024, num_warps: 4, num_stages: 1"),
            Lines{"0u|'source file'|'config'|true"});
  EXPECT_EQ(measured("XBLOCK: 512, num_warps: 4, num_stages: 1"),
            Lines{"1u|'source file'|'config'|true"});
  EXPECT_EQ(measured("XBLOCK: 512, num_warps: 8, maxnreg: None"),
            Lines{"2u|'source file'|'config'|true"});
  EXPECT_EQ(measured("XBLOCK: 51, num_warps: 4"), Lines{"0u|'source file'|'launched'|false"});
}

TEST_F(CountersViews, WithoutConfigTheLaunchDecides) {
  const auto measured = [&](const std::string& grid, const std::string& block) {
    write_counters({{"kernel_name", "kernel_path", "config", "grid", "block"},
                    {"a", "FILE_A.py", "", grid, block}});
    return joined();
  };
  EXPECT_EQ(measured("256x1x1", "256x1x1"), Lines{"2u|'source file'|'launch'|true"});
  EXPECT_EQ(measured("256x1x1", "128x1x1"), Lines{"1u|'source file'|'launch'|true"});
  EXPECT_EQ(measured("7x1x1", "128x1x1"), Lines{"0u|'source file'|'launched'|true"});
  EXPECT_EQ(measured("99999999999999999999999999", "odd").size(), 1u);
  EXPECT_EQ(measured("7x1x1", "64x1x1"), Lines{"0u|'source file'|'launched'|false"});
}

TEST_F(CountersViews, OneRowForEachKernel) {
  write_counters({{"kernel_name", "kernel_path", "status", "source_hash", "mine"},
                  {"a", "FILE_A.py", "no_file", "", "1"},
                  {"a", "FILE_A.py", "ok", "", "2"},
                  {"b", "FILE_B.py", "ok", "77", "3"},
                  {"b", "copy/FILE_B.py", "ok", "77", "4"},
                  {"c", "FILE_C.py", "not_run", "78", "5"}});
  EXPECT_EQ(ask("SELECT mine FROM counters ORDER BY ALL"), (Lines{"'2'", "'3'"}));
  EXPECT_EQ(ask("SELECT name, mine FROM kernel_counters ORDER BY ALL"),
            (Lines{"'a'|'2'", "'b'|'3'"}));
}

TEST_F(CountersViews, ColumnsOfTheUserMayHaveAnyName) {
  write_counters({{"Name", "kernel_id", "kernel_name", "\"; DROP", "rowid", ""},
                  {"n", "k", "b", "x", "y", "z"}});
  EXPECT_EQ(ask("SELECT * FROM counters"), Lines{"'n'|'k'|'b'|'x'|'y'|'z'"});
  EXPECT_EQ(ask("SELECT name, kernel_id, \"\"\"; DROP\" FROM kernel_counters"),
            Lines{"'b'|3u|'x'"});
}

TEST_F(CountersViews, StaysLocked) {
  write_counters({{"kernel_name"}, {"b"}});
  const std::string counters = "'" + counters_ + "'";
  for (const std::string& sql :
       {std::string("SELECT * FROM read_text('/etc/passwd')"),
        "SELECT * FROM read_blob(" + counters + ")",
        "ATTACH " + counters + " AS again (READ_WRITE)", "ATTACH '" + file_ + "' AS again",
        "ATTACH '" + (folder_ / "new.duckdb") + "' AS other",
        "COPY (SELECT 1) TO '" + (folder_ / "copy.csv") + "'", "COPY (SELECT 1) TO " + counters,
        std::string("INSERT INTO _counters.main.counters VALUES ('c')"),
        std::string("CREATE TABLE _counters.main.t(a INTEGER)"),
        std::string("SET enable_external_access = true"),
        std::string("SET disabled_filesystems = ''"), std::string("SELECT * FROM glob('/etc/*')"),
        std::string("LOAD httpfs")}) {
    EXPECT_EQ(ask(sql).at(0).substr(0, 6), "error:") << sql;
    auto database = open_run(file_, {});
    ASSERT_TRUE(database);
    EXPECT_FALSE(database->connect()->execute(sql)) << sql;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / ""), {}), 2);
  EXPECT_EQ(ask("SELECT count(*) FROM kernel_counters"), Lines{"1"});
}

TEST_F(CountersViews, WhatIsDamagedOrForeignIsSaid) {
  const auto foreign = [&](const std::string& sql) {
    std::filesystem::remove(counters_);
    auto database = Database::create(counters_, {});
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->connect()->execute(sql));
  };
  const auto usable = [&] {
    EXPECT_EQ(ask("SELECT count(*) FROM kernels"), Lines{"6"});
    EXPECT_NE(note_.find("counters.duckdb: not used: "), std::string::npos) << note_;
    EXPECT_NE(ask("FROM counters").at(0).find("not used"), std::string::npos);
  };
  foreign("CREATE TABLE other(a INTEGER)");
  usable();
  foreign("CREATE VIEW counters AS SELECT content AS kernel_name FROM read_text('/etc/passwd')");
  usable();
  std::ofstream(counters_) << std::string(20'000, 'x');
  usable();
}

TEST_F(CountersViews, AreListed) {
  write_counters({{"kernel_name"}, {"b"}});
  auto database = open_run(file_, {});
  ASSERT_TRUE(database);
  auto connection = database->connect();
  ASSERT_TRUE(connection);
  const auto listed = views(*connection);
  ASSERT_TRUE(listed) << listed.error().message;
  Lines names;
  for (const ViewRow& view : *listed) {
    if (!view.name.ends_with("counters")) continue;
    std::string line = view.name + (view.comment.empty() ? ":" : ": with a comment:");
    for (const auto& [column, type] : view.columns) line += " " + column;
    names.push_back(line);
  }
  EXPECT_EQ(names, (Lines{"counters: with a comment: kernel_name",
                          "kernel_counters: with a comment: kernel_id name variant hash "
                          "user_launches joined_by variant_by config_fits kernel_name"}));
}

}  // namespace
}  // namespace ks::store
