#include "store/connection.h"

#include <fstream>
#include <iterator>

#include "store/test_util.h"

namespace ks::store {
namespace {

TEST(Connection, AnswersWithText) {
  TempFolder folder;
  make_small_run(folder / "a.duckdb");
  auto database = Database::open_locked(folder / "a.duckdb", {});
  ASSERT_TRUE(database) << database.error().message;
  auto connection = database->connect();
  ASSERT_TRUE(connection);
  const auto rows = connection->query_text("SELECT a::VARCHAR, NULL::VARCHAR FROM t ORDER BY a");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(*rows, (TextRows{{"1", ""}, {"2", ""}, {"3", ""}}));
  EXPECT_FALSE(connection->query_text("SELECT a FROM t"));  // no text
  EXPECT_FALSE(connection->query_text("SELECT nothing"));
}

TEST(Connection, MissingFileIsNotCreatedByReading) {
  TempFolder folder;
  EXPECT_FALSE(Database::open_locked(folder / "none.duckdb", {}));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.duckdb"));
}

TEST(Connection, NamesWithQuotesArePaths) {
  TempFolder folder;
  make_small_run(folder / "it's; DROP.duckdb");
  EXPECT_TRUE(std::filesystem::exists(folder / "it's; DROP.duckdb"));
  EXPECT_TRUE(open_run(folder / "it's; DROP.duckdb", {}));
}

// The storage version stands in the main header: 64 is 1.0.0 to 1.1.3, 65 is 1.2.0 and later.
TEST(Connection, PinsTheStorageVersion) {
  TempFolder folder;
  make_small_run(folder / "a.duckdb");
  std::ifstream file(folder / "a.duckdb", std::ios::binary);
  std::string head(20, '\0');
  file.read(head.data(), 20);
  EXPECT_EQ(head.substr(8, 4), "DUCK");
  EXPECT_EQ(static_cast<int>(head[12]), 65);
}

TEST(Connection, QuotesText) { EXPECT_EQ(quote_sql_text("a'b''"), "'a''b'''''"); }

}  // namespace
}  // namespace ks::store
