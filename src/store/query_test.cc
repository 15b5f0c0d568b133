#include "store/query.h"

#include <fstream>

#include "store/test_util.h"

namespace ks::store {
namespace {

class QueryTest : public testing::Test {
 protected:
  void SetUp() override { make_small_run(file_); }

  std::string first(const std::string& sql) {
    TextSink sink;
    const auto outcome = run_query(file_, sql, limits_, sink);
    if (!outcome) return "error: " + outcome.error().message;
    return sink.rows.empty() ? "" : sink.rows.front();
  }
  // On the locked database itself, past the list of allowed statements.
  Result<> directly(const std::string& sql) {
    auto database = open_run(file_, {});
    if (!database) return tl::make_unexpected(database.error());
    auto connection = database->connect();
    if (!connection) return tl::make_unexpected(connection.error());
    return connection->execute(sql);
  }

  TempFolder folder_;
  std::string file_ = folder_ / "run.duckdb";
  QueryLimits limits_;
};

TEST_F(QueryTest, RowsNamesAndTypes) {
  TextSink sink;
  const auto outcome =
      run_query(file_, "SELECT a, a AS a, a * 0.5 AS half FROM t ORDER BY a DESC", limits_, sink);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(sink.names, (std::vector<std::string>{"a", "a", "half"}));
  EXPECT_EQ(sink.types[0], "UINTEGER");
  EXPECT_EQ(sink.types[2].substr(0, 8), "DECIMAL(");
  EXPECT_EQ(sink.rows, (std::vector<std::string>{"3u|3u|'1.5'", "2u|2u|'1.0'", "1u|1u|'0.5'"}));
  EXPECT_EQ(outcome->rows, 3u);
  EXPECT_FALSE(outcome->truncated);
}

TEST_F(QueryTest, EveryType) {
  const std::pair<const char*, const char*> cases[] = {
      {"NULL", "NULL"},
      {"true", "true"},
      {"(-7)::TINYINT", "-7"},
      {"(-7)::SMALLINT", "-7"},
      {"7::UTINYINT", "7u"},
      {"1.5::FLOAT", "1.500000"},
      {"170141183460469231731687303715884105727::HUGEINT",
       "'170141183460469231731687303715884105727'"},
      {"(-1)::HUGEINT", "'-1'"},
      {"340282366920938463463374607431768211455::UHUGEINT",
       "'340282366920938463463374607431768211455'"},
      {"(-1.25)::DECIMAL(4,2)", "'-1.25'"},
      {"(-1.25)::DECIMAL(9,2)", "'-1.25'"},
      {"(-1.25)::DECIMAL(18,2)", "'-1.25'"},
      {"(-1.25)::DECIMAL(38,2)", "'-1.25'"},
      {"DATE '2026-03-01'", "'2026-03-01'"},
      {"TIME '10:11:12.5'", "'10:11:12.5'"},
      {"TIMESTAMP '2026-03-01 10:11:12.000001'", "'2026-03-01 10:11:12.000001'"},
      {"'2026-03-01 10:11:12'::TIMESTAMP_S", "'2026-03-01 10:11:12'"},
      {"'2026-03-01 10:11:12.001'::TIMESTAMP_MS", "'2026-03-01 10:11:12.001'"},
      {"'2026-03-01 10:11:12.000000001'::TIMESTAMP_NS", "'2026-03-01 10:11:12.000000001'"},
      {"TIMESTAMPTZ '2026-03-01 10:11:12+00'", "'2026-03-01 10:11:12+00'"},
      {"INTERVAL 3 DAY", "'3 days'"},
      {"'5aa2c1d4-0000-0000-0000-00000000000f'::UUID", "'5aa2c1d4-0000-0000-0000-00000000000f'"},
      {"'f0000000-0000-0000-0000-00000000000f'::UUID", "'f0000000-0000-0000-0000-00000000000f'"},
      {"'b'::ENUM('a', 'b')", "'b'"},
      {"'0101'::BIT", "'0101'"},
      {"'\\x00\\xff'::BLOB", nullptr},
      {"[1, NULL, 3]", "json:[1,null,3]"},
      {"[]::INTEGER[]", "json:[]"},
      {"[[1.5::DOUBLE], NULL]", "json:[[1.5],null]"},
      {"[1, 2]::INTEGER[2]", "json:[1,2]"},
      {"{'a': 1, 'b': 'x\"y', 'c': NULL}", "json:{\"a\":1,\"b\":\"x\\\"y\",\"c\":null}"},
      {"MAP {'k': [1], 'l': []}", "json:{\"k\":[1],\"l\":[]}"},
      {"MAP {1: 'a'}", "json:{\"1\":\"a\"}"},
      {"union_value(u := 5)", "json:5"},
      {"[DATE '2026-03-01']", "json:[\"2026-03-01\"]"},
      {"['nan'::DOUBLE]", "json:[null]"},
      {"['\\xff'::BLOB]", "json:[\"ff\"]"}};
  for (const auto& [sql, expected] : cases) {
    const std::string wanted = expected ? expected : "blob:" + std::string("\0\xff", 2);
    EXPECT_EQ(first(std::string("SELECT ") + sql), wanted) << sql;
  }
  // Past the first row: offsets into the vectors of children.
  EXPECT_EQ(
      first("SELECT list(x) FROM (SELECT {'i': [i, i + 1]::BIGINT[2]} AS x FROM range(2) r(i))"),
      "json:[{\"i\":[0,1]},{\"i\":[1,2]}]");
}

TEST_F(QueryTest, SeveralStatementsGiveTheLastAnswer) {
  EXPECT_EQ(first("SELECT 1; SELECT count(*) FROM t;"), "3");
  EXPECT_EQ(first("SELECT nonsense; SELECT 1").substr(0, 6), "error:");
  EXPECT_EQ(first("").substr(0, 6), "error:");
  EXPECT_EQ(first("-- only words").substr(0, 6), "error:");
  EXPECT_EQ(first(std::string("SELECT 1\0SELECT 2", 17)).substr(0, 6), "error:");
  EXPECT_EQ(first("SELECT 'unfinished").substr(0, 6), "error:");
}

TEST_F(QueryTest, EachStatementHasItsAnswer) {
  std::vector<TextSink> sinks(3);
  std::vector<size_t> asked;
  limits_.rows = 2;
  const AnswerSinks next = [&](size_t index, size_t count) {
    asked.push_back(count);
    return index == 1 ? nullptr : &sinks[index];
  };
  const auto outcome =
      run_query(file_, "SELECT a FROM t ORDER BY a; SELECT 7; SELECT 'x' AS b, 2", limits_, next);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(asked, (std::vector<size_t>{3, 3, 3}));
  EXPECT_EQ(sinks[0].rows, (std::vector<std::string>{"1u", "2u"}));
  EXPECT_EQ(sinks[2].rows, (std::vector<std::string>{"'x'|2"}));
  EXPECT_TRUE(outcome->truncated);
  EXPECT_EQ(outcome->rows, 3u);
}

TEST_F(QueryTest, NothingRunsIfOneStatementIsWrong) {
  for (const char* sql : {"SELECT 1; SELECT nonsense", "SELECT 1; DROP TABLE t"}) {
    bool asked = false;
    const auto outcome = run_query(file_, sql, limits_, [&](size_t, size_t) {
      asked = true;
      return nullptr;
    });
    EXPECT_FALSE(outcome) << sql;
    EXPECT_FALSE(asked) << sql;
  }
}

TEST_F(QueryTest, CellsAsTextAndJson) {
  Cell cell;
  cell.kind = CellKind::boolean, cell.boolean = true;
  EXPECT_EQ(cell_text(cell), "true");
  cell.kind = CellKind::blob, cell.bytes = std::string_view("\0\xff", 2);
  EXPECT_EQ(cell_text(cell), "00ff");
  std::string out;
  JsonWriter json(out);
  append_cell(json.begin_array(), cell);
  append_cell(json, Cell{});
  EXPECT_EQ(out, "[\"00ff\",null");
}

TEST_F(QueryTest, DescribeShowAndExplain) {
  EXPECT_EQ(first("DESCRIBE t").substr(0, 14), "'a'|'UINTEGER'");
  EXPECT_EQ(first("SHOW TABLES"), "'meta'");
  EXPECT_EQ(first("SUMMARIZE t").substr(0, 3), "'a'");
  EXPECT_NE(first("EXPLAIN SELECT * FROM t").find("SEQ_SCAN"), std::string::npos);
  EXPECT_EQ(first("FROM t"), "1u");
}

TEST_F(QueryTest, RowLimit) {
  limits_.rows = 5000;
  TextSink sink;
  const auto outcome = run_query(file_, "SELECT i FROM range(100000000) r(i)", limits_, sink);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->truncated);
  EXPECT_EQ(sink.rows.size(), 5000u);
  limits_.rows = 3;
  EXPECT_FALSE(run_query(file_, "FROM t", limits_, sink)->truncated);
}

// Each must fail twice: as a statement that is not allowed or that finds the door locked, and on
// the locked database itself.
TEST_F(QueryTest, NothingOutsideIsReached) {
  const std::string outside = folder_ / "outside.csv";
  std::ofstream(outside) << "secret\n42\n";
  const std::string q = "'" + outside + "'";
  const std::string attacks[] = {
      "SELECT * FROM read_text('/etc/passwd')",
      "SELECT * FROM read_blob('/etc/passwd')",
      "SELECT * FROM read_csv('/etc/pass*')",
      "SELECT * FROM read_csv(" + q + ")",
      "SELECT * FROM " + q,
      "FROM read_csv_auto(" + q + ")",
      "SELECT * FROM read_json('/etc/passwd')",
      "SELECT * FROM read_parquet('/etc/passwd')",
      "SELECT * FROM parquet_metadata('/etc/passwd')",
      "SELECT * FROM sniff_csv(" + q + ")",
      "SELECT * FROM glob('/etc/*')",
      "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
      "SELECT getenv('HOME')",
      "COPY t TO '" + (folder_ / "copy.csv") + "'",
      "COPY (SELECT 1) TO '" + (folder_ / "copy.parquet") + "' (FORMAT parquet)",
      "COPY t FROM " + q,
      "EXPORT DATABASE '" + (folder_ / "export") + "'",
      "IMPORT DATABASE '" + (folder_ / "export") + "'",
      "ATTACH '" + (folder_ / "other.duckdb") + "' AS other",
      "ATTACH '" + file_ + "' AS again (READ_WRITE)",
      "INSTALL httpfs",
      "FORCE INSTALL httpfs",
      "LOAD httpfs",
      "LOAD '" + outside + "'",
      "UPDATE EXTENSIONS",
      "SET enable_external_access = true",
      "SET threads = 64",
      "SET memory_limit = '1TB'",
      "SET lock_configuration = false",
      "RESET memory_limit",
      "SET GLOBAL temp_directory = '/tmp'",
      "SET profiling_output = '" + (folder_ / "profile") + "'",
      "SET log_query_path = '" + (folder_ / "log") + "'",
      "PRAGMA memory_limit = '1TB'",
      "PRAGMA profile_output = '" + (folder_ / "profile") + "'",
      "CALL enable_logging(storage = 'file', storage_path = '" + (folder_ / "log") + "')",
      "SELECT * FROM enable_logging(storage = 'file', storage_path = '" + (folder_ / "log") + "')",
      "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = '" +
          (folder_ / "log") + "'); SELECT 1",
      "SELECT * FROM duckdb_logs_parsed('QueryLog') UNION ALL SELECT * FROM nothing",
      "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')",
      "CREATE TABLE w(a INTEGER)",
      "INSERT INTO t VALUES (4)",
      "UPDATE t SET a = 0",
      "DELETE FROM t",
      "DROP TABLE t",
      "CREATE OR REPLACE VIEW v AS SELECT 1",
      "VACUUM t; INSERT INTO t VALUES (5)"};
  for (const std::string& sql : attacks) {
    EXPECT_EQ(first(sql).substr(0, 6), "error:") << sql;
    EXPECT_FALSE(directly(sql)) << sql;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / ""),
                          std::filesystem::directory_iterator()),
            2);  // run.duckdb and outside.csv
  EXPECT_EQ(first("SELECT sum(a)::BIGINT FROM t"), "6");
}

TEST_F(QueryTest, OnlyReadingStatements) {
  for (const char* sql : {"BEGIN", "CHECKPOINT", "CREATE TEMP TABLE x AS SELECT 1", "USE memory",
                          "PREPARE p AS SELECT 1", "CALL pragma_version()", "SET VARIABLE x = 1",
                          "CREATE TEMP MACRO m() AS 1", "DETACH run"}) {
    EXPECT_EQ(first(sql).substr(0, 6), "error:") << sql;
  }
}

TEST_F(QueryTest, EndlessQueriesAreStopped) {
  limits_.time = std::chrono::milliseconds(300);
  for (const char* sql :
       {"SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range = -1",
        "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i % 7 + 1 FROM r) SELECT count(*) FROM "
        "r",
        "SELECT i FROM range(100000000000) r(i) WHERE i = -1"}) {
    TextSink sink;
    const auto outcome = run_query(file_, sql, limits_, sink);
    ASSERT_FALSE(outcome) << sql;
    EXPECT_EQ(outcome.error().kind, ErrorKind::limit) << outcome.error().message;
    EXPECT_NE(outcome.error().message.find("0.3 s"), std::string::npos);
  }
}

TEST_F(QueryTest, MemoryIsLimited) {
  limits_.read.memory_limit_bytes = 64u << 20;
  limits_.time = std::chrono::seconds(60);
  TextSink sink;
  const auto outcome = run_query(
      file_, "SELECT i, count(*) FROM range(50000000) r(i) GROUP BY i ORDER BY 2", limits_, sink);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::limit) << outcome.error().message;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// DuckDB does not count what strings and lists take while they are made.
TEST_F(QueryTest, AddressSpaceIsLimited) {
  limits_.address_space_bytes = 512u << 20;
  limits_.time = std::chrono::seconds(60);
  TextSink sink;
  for (const char* sql :
       {"SELECT max(len(repeat('abc', 300000000 + i::INTEGER))) FROM range(9) r(i)",
        "SELECT len(range(1000000000))"}) {
    const auto outcome = run_query(file_, sql, limits_, sink);
    ASSERT_FALSE(outcome) << sql;
    EXPECT_EQ(outcome.error().kind, ErrorKind::limit) << outcome.error().message;
  }
  EXPECT_EQ(first("SELECT sum(a)::BIGINT FROM t"), "6");
}
#endif

TEST(OpenRun, RefusesWhatIsNoRun) {
  TempFolder folder;
  EXPECT_NE(open_run(folder / "none", {}).error().message.find("cannot be read"),
            std::string::npos);
  std::ofstream(folder / "text") << std::string(20'000, 'x');
  std::ofstream(folder / "empty").flush();
  for (const char* name : {"text", "empty"}) {
    const auto opened = open_run(folder / name, {});
    ASSERT_FALSE(opened) << name;
    EXPECT_NE(opened.error().message.find(name), std::string::npos) << opened.error().message;
  }
}

TEST(OpenRun, RefusesForeignAndOtherVersions) {
  TempFolder folder;
  {
    auto database = Database::create(folder / "foreign", {});
    ASSERT_TRUE(database);
    auto connection = database->connect();
    ASSERT_TRUE(connection->execute("CREATE TABLE meta(a INTEGER)"));
  }
  const auto foreign = open_run(folder / "foreign", {});
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("not one that kernelscope parse"), std::string::npos);
  for (const uint32_t version : {kSchemaVersion - 1, kSchemaVersion + 1}) {
    const std::string path = folder / ("v" + std::to_string(version));
    make_small_run(path, version);
    const auto other = open_run(path, {});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().kind, ErrorKind::unsupported);
    EXPECT_NE(other.error().message.find("made by version 9.8.7"), std::string::npos);
    EXPECT_NE(other.error().message.find("parse again"), std::string::npos);
  }
}

TEST(OpenRun, DamagedFilesAreErrors) {
  TempFolder folder;
  make_small_run(folder / "run");
  std::string bytes;
  {
    std::ifstream in(folder / "run", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  // Cut off at various places, and with damage in the headers and the first blocks.
  for (size_t size = 0; size < bytes.size(); size += bytes.size() / 7) {
    std::ofstream(folder / "cut", std::ios::binary) << bytes.substr(0, size);
    TextSink sink;
    const auto outcome = run_query(folder / "cut", "FROM t", {}, sink);
    // Enough of the file may be left, because it is written in blocks of 256 kB.
    if (outcome) {
      EXPECT_EQ(sink.rows, (std::vector<std::string>{"1u", "2u", "3u"})) << size;
    }
  }
  for (const size_t at : {9u, 12u, 4096u + 10, 8192u + 10}) {
    std::string damaged = bytes;
    for (size_t i = at; i < at + 64; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    std::ofstream(folder / "damaged", std::ios::binary) << damaged;
    const auto opened = open_run(folder / "damaged", {});
    if (!opened) {
      EXPECT_FALSE(opened.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace ks::store
