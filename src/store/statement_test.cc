#include "store/statement.h"

#include <gtest/gtest.h>

#include "store/test_util.h"

namespace ks::store {
namespace {

class StatementTest : public testing::Test {
 protected:
  void SetUp() override {
    database_.emplace(Database::create(path_, {}));
    ASSERT_TRUE(*database_) << database_->error().message;
    connection_.emplace((*database_)->connect());
    ASSERT_TRUE(*connection_);
  }
  void TearDown() override {
    connection_.reset();
    database_.reset();
  }

  Connection& connection() { return **connection_; }

  TempFolder folder_;  // its own: tests run side by side
  std::string path_ = folder_ / "statement_test.duckdb";
  std::optional<Result<Database>> database_;
  std::optional<Result<Connection>> connection_;
};

TEST_F(StatementTest, ParametersAreValuesOnly) {
  ASSERT_TRUE(connection().execute("CREATE TABLE t(a INTEGER)"));
  const std::string hostile = "x'; DROP TABLE t; --";
  const auto rows = select(connection(), "SELECT ?1, ?2 + 1", {hostile, uint64_t{41}});
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->text(0, 0), hostile);
  EXPECT_EQ(rows->number(0, 1), 42);
  EXPECT_TRUE(select(connection(), "SELECT * FROM t"));
}

TEST_F(StatementTest, ReadsNullListsAndBooleans) {
  const auto rows = select(connection(), "SELECT NULL::INTEGER, [1, 22, -3], true, 'no number'");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_TRUE(rows->is_null(0, 0));
  EXPECT_EQ(rows->number(0, 0), std::nullopt);
  EXPECT_EQ(rows->count(0, 0), 0U);
  EXPECT_EQ(rows->numbers(0, 1), (std::vector<int64_t>{1, 22, -3}));
  EXPECT_TRUE(rows->flag(0, 2));
  EXPECT_EQ(rows->number(0, 3), std::nullopt);
}

TEST_F(StatementTest, WrongSqlIsAnError) {
  EXPECT_FALSE(select(connection(), "SELECT nothing FROM nowhere"));
  EXPECT_FALSE(select(connection(), "SELECT 1", {uint64_t{7}}));
}

}  // namespace
}  // namespace ks::store
