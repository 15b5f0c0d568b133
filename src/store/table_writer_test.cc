#include "store/table_writer.h"

#include "store/test_util.h"

namespace ks::store {
namespace {

using C = ColumnType;

class TableWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::create(folder_ / "w.duckdb", {});
    ASSERT_TRUE(database) << database.error().message;
    database_.emplace(std::move(*database));
    auto connection = database_->connect();
    ASSERT_TRUE(connection) << connection.error().message;
    connection_.emplace(std::move(*connection));
  }
  void execute(const std::string& sql) {
    const auto done = connection_->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::vector<std::string> query(const std::string& sql) {
    TextSink sink;
    const auto outcome = run_query(*connection_, sql, {}, sink);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return sink.rows;
  }
  TableWriter open(const std::string& table, std::vector<C> columns) {
    std::string sql = "CREATE TABLE " + table + "(";
    for (size_t i = 0; i < columns.size(); ++i) {
      sql += (i ? ", c" : "c") + std::to_string(i) + " " + std::string(sql_name(columns[i]));
    }
    execute(sql + ")");
    auto writer = TableWriter::open(*connection_, table, std::move(columns));
    EXPECT_TRUE(writer) << writer.error().message;
    return std::move(*writer);
  }

  TempFolder folder_;
  std::optional<Database> database_;
  std::optional<Connection> connection_;
};

TEST_F(TableWriterTest, EveryTypeKeepsItsExtremes) {
  auto w = open("t", {C::boolean, C::u8, C::u16, C::i32, C::u32, C::i64, C::u64, C::f64, C::text,
                      C::blob, C::timestamp});
  w.boolean(true).u8(255).u16(65535).i32(INT32_MIN).u32(UINT32_MAX).i64(INT64_MIN).u64(UINT64_MAX);
  w.f64(-0.5).text("more than twelve bytes \xc3\xa9").blob(std::string_view("\0\xff", 2));
  w.timestamp(1'000'000).end_row();
  for (int i = 0; i < 11; ++i) w.null();
  w.end_row();
  ASSERT_TRUE(w.close());
  EXPECT_EQ(query("FROM t"),
            (std::vector<std::string>{
                "true|255u|65535u|-2147483648|4294967295u|-9223372036854775808|"
                "18446744073709551615u|-0.500000|'more than twelve bytes \xc3\xa9'|blob:" +
                    std::string("\0\xff", 2) + "|'1970-01-01 00:00:01'",
                "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL"}));
}

TEST_F(TableWriterTest, ListsWithNullAndEmpty) {
  auto w = open("t", {C::text_list, C::u32_list, C::i64_list, C::u64_list, C::f64_list});
  const std::vector<std::string> texts = {"a", "", "longer than twelve bytes"};
  const uint32_t u32s[] = {1, UINT32_MAX};
  const int64_t i64s[] = {-1};
  const uint64_t u64s[] = {UINT64_MAX, 0, 7};
  const double f64s[] = {1.5};
  w.text_list(std::span<const std::string>(texts)).u32_list(u32s).i64_list(i64s).u64_list(u64s);
  w.f64_list(f64s).end_row();
  w.null().null().null().null().null().end_row();
  w.text_list(std::span<const std::string>()).u32_list({}).i64_list({}).u64_list({}).f64_list({});
  w.end_row();
  ASSERT_TRUE(w.close());
  EXPECT_EQ(query("FROM t"),
            (std::vector<std::string>{
                "json:[\"a\",\"\",\"longer than twelve bytes\"]|json:[1,4294967295]|json:[-1]|"
                "json:[18446744073709551615,0,7]|json:[1.5]",
                "NULL|NULL|NULL|NULL|NULL", "json:[]|json:[]|json:[]|json:[]|json:[]"}));
}

// Over many chunks, with lists that outgrow their vectors and NULLs in some chunks only.
TEST_F(TableWriterTest, ManyChunks) {
  auto w = open("t", {C::u64, C::u32_list, C::text});
  std::vector<uint32_t> list;
  constexpr uint64_t kRows = 20'000;
  for (uint64_t i = 0; i < kRows; ++i) {
    list.assign(i % 17, static_cast<uint32_t>(i));
    w.u64(i).u32_list(list);
    (i / 5000 % 2 ? w.null() : w.text("row " + std::to_string(i))).end_row();
  }
  EXPECT_EQ(w.rows(), kRows);
  ASSERT_TRUE(w.close());
  EXPECT_EQ(query("SELECT count(*), sum(c0)::BIGINT, sum(len(c1))::BIGINT, count(c2) FROM t"),
            std::vector<std::string>{"20000|199990000|159964|10000"});
  EXPECT_EQ(query("SELECT count(*) FROM t WHERE len(c1) <> c0 % 17 OR "
                  "list_aggregate(c1, 'max') <> c0 OR c2 <> 'row ' || c0"),
            std::vector<std::string>{"0"});
}

// As RunWriter writes them: in one transaction, compressed, in padded row groups.
TEST_F(TableWriterTest, LongTexts) {
  execute("BEGIN; CREATE TABLE t(c0 UINTEGER, c1 VARCHAR USING COMPRESSION zstd)");
  auto w = TableWriter::open(*connection_, "t", {C::u32, C::text});
  ASSERT_TRUE(w);
  for (uint32_t i = 0; i < 20; ++i) w->u32(i).text(std::string(300'000 + i, 'x')).end_row();
  w->pad_row_group(kRowGroupSize);
  EXPECT_EQ(w->rows(), kRowGroupSize);
  w->u32(20).text("last").end_row();
  ASSERT_TRUE(w->close());
  execute("COMMIT");
  EXPECT_EQ(query("SELECT count(c0), min(len(c1)), max(len(c1)) FROM t"),
            std::vector<std::string>{"21|4|300019"});
}

TEST_F(TableWriterTest, WithoutCloseNothingIsKept) {
  {
    auto w = open("t", {C::u32});
    w.u32(1).end_row();
  }
  EXPECT_EQ(query("SELECT count(*) FROM t"), std::vector<std::string>{"0"});
}

TEST_F(TableWriterTest, MissingTableAndWrongColumns) {
  EXPECT_FALSE(TableWriter::open(*connection_, "none", {C::u32}));
  execute("CREATE TABLE t(a VARCHAR, b UINTEGER)");
  auto w = TableWriter::open(*connection_, "t", {C::u32});
  ASSERT_TRUE(w);
  w->u32(1).end_row();
  const auto closed = w->close();
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().message.find("table t: "), std::string::npos);
}

#ifndef NDEBUG
TEST_F(TableWriterTest, WrongTypeAsserts) {
  auto w = open("t", {C::u32, C::text});
  EXPECT_DEATH(w.text("x"), "another type");
  EXPECT_DEATH(w.u32(1).end_row(), "every column");
}
#endif

}  // namespace
}  // namespace ks::store
