#include "store/table_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/connection.h"

namespace ks::store {
namespace {

namespace fs = std::filesystem;
using Type = PlainColumn::Type;

class TableFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

std::vector<PlainColumn> columns() {
  return {{"name \"x\"", Type::text, {"a'b", std::string("bad \xff"), std::monostate()}},
          {"n", Type::integer, {int64_t{1}, std::monostate(), int64_t{-3}}},
          {"N", Type::real, {0.5, 2.0, std::monostate()}}};
}

TEST_F(TableFile, DatabaseHoldsValuesNamesAndNulls) {
  ASSERT_TRUE(write_database(path("t.duckdb"), "counters", columns()));
  auto database = Database::open_locked(path("t.duckdb"), {});
  ASSERT_TRUE(database) << database.error().message;
  auto connection = database->connect();
  ASSERT_TRUE(connection);
  const auto rows = connection->query_text(
      "SELECT \"name \"\"x\"\"\", n::VARCHAR, \"N_2\"::VARCHAR FROM counters");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(*rows,
            (TextRows{{"a'b", "1", "0.5"}, {"bad \xEF\xBF\xBD", "", "2.0"}, {"", "-3", ""}}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(TableFile, ReplacesWhatWasThere) {
  ASSERT_TRUE(write_database(path("t.duckdb"), "counters", columns()));
  const std::vector<PlainColumn> one = {{"n", Type::integer, {int64_t{7}}}};
  ASSERT_TRUE(write_database(path("t.duckdb"), "counters", one));
  auto database = Database::open_locked(path("t.duckdb"), {});
  auto connection = database->connect();
  EXPECT_EQ(*connection->query_text("SELECT n::VARCHAR FROM counters"), (TextRows{{"7"}}));
}

TEST_F(TableFile, ParquetIsParquetAndNothingElseIsLeft) {
  const Result<> written = write_parquet(path("it's.parquet"), columns());
  ASSERT_TRUE(written) << written.error().message;
  std::ifstream file(path("it's.parquet"), std::ios::binary);
  char magic[4] = {};
  file.read(magic, 4);
  EXPECT_EQ(std::string_view(magic, 4), "PAR1");
  EXPECT_EQ(files(), 1u);
}

TEST_F(TableFile, AFolderThatIsNotThereIsAnError) {
  EXPECT_FALSE(write_parquet(path("none/t.parquet"), columns()));
  EXPECT_FALSE(write_database(path("none/t.duckdb"), "t", columns()));
}

}  // namespace
}  // namespace ks::store
