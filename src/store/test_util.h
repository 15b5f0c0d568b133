#pragma once
// For tests of this folder: a folder of their own, and an answer as lines of text.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/query.h"
#include "store/schema.h"

namespace ks::store {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ks_store_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string show(const Cell& cell) {
  switch (cell.kind) {
    case CellKind::null:
      return "NULL";
    case CellKind::boolean:
      return cell.boolean ? "true" : "false";
    case CellKind::integer:
      return std::to_string(cell.integer);
    case CellKind::natural:
      return std::to_string(cell.natural) + "u";
    case CellKind::real:
      return std::to_string(cell.real);
    case CellKind::text:
      return "'" + std::string(cell.bytes) + "'";
    case CellKind::blob:
      return "blob:" + std::string(cell.bytes);
    case CellKind::json:
      return "json:" + std::string(cell.bytes);
  }
  return "?";
}

// Cells with '|' between them.
class TextSink : public RowSink {
 public:
  void columns(std::span<const Column> columns) override {
    for (const Column& column : columns) {
      names.push_back(column.name);
      types.push_back(column.type);
    }
  }
  bool row(std::span<const Cell> cells) override {
    std::string line;
    for (const Cell& cell : cells) line += (line.empty() ? "" : "|") + show(cell);
    rows.push_back(line);
    return true;
  }

  std::vector<std::string> names, types, rows;
};

// A file with our table meta and one table t(a UINTEGER) = {1, 2, 3}.
inline void make_small_run(const std::string& path, uint32_t schema_version = kSchemaVersion) {
  Result<Database> database = Database::create(path, {});
  ASSERT_TRUE(database) << database.error().message;
  Result<Connection> connection = database->connect();
  ASSERT_TRUE(connection) << connection.error().message;
  const Result<> made = connection->execute(
      "CREATE TABLE meta(format VARCHAR, schema_version UINTEGER, tool_version VARCHAR);"
      "INSERT INTO meta VALUES ('kernelscope run', " +
      std::to_string(schema_version) +
      ", '9.8.7'); CREATE TABLE t(a UINTEGER); INSERT INTO t VALUES (1), (2), (3)");
  ASSERT_TRUE(made) << made.error().message;
}

}  // namespace ks::store
