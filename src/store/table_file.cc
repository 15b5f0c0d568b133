#include "store/table_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "store/connection.h"
#include "store/table_writer.h"

namespace ks::store {
namespace {

using Columns = std::vector<PlainColumn>;

// Removed at the end unless it was put in place.
class PartFile {
 public:
  PartFile(const std::string& path, std::string_view kind)
      : path_(path), part_(fmt::format("{}.part-{}{}", path, getpid(), kind)) {
    unlink(part_.c_str());
  }
  ~PartFile() {
    unlink(part_.c_str());
    unlink((part_ + ".wal").c_str());
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& part() const { return part_; }
  Result<> commit() const {
    if (std::rename(part_.c_str(), path_.c_str()) == 0) return {};
    return fail(ErrorKind::io, fmt::format("{}: {}", path_, std::strerror(errno)));
  }

 private:
  std::string path_, part_;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// Length of the UTF-8 sequence at the start; 0: none that is valid.
size_t sequence_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return overlong || outside ? 0 : length;
}

// A user's CSV may hold any bytes; the database takes UTF-8 only.
std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = sequence_length(text);
    out += length ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : valid_utf8(name)) {
    if (c == '\0') continue;
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

ColumnType column_type(PlainColumn::Type type) {
  switch (type) {
    case PlainColumn::Type::integer:
      return ColumnType::i64;
    case PlainColumn::Type::real:
      return ColumnType::f64;
    case PlainColumn::Type::text:
      break;
  }
  return ColumnType::text;
}

std::string create_table(std::string_view table, const Columns& columns) {
  std::set<std::string> used;
  std::string sql = fmt::format("CREATE TABLE {} (", table);
  for (const PlainColumn& column : columns) {
    std::string name = column.name.empty() ? "column" : column.name;
    for (int n = 2; !used.insert(lower(name)).second; ++n) {
      name = fmt::format("{}_{}", column.name, n);
    }
    sql += fmt::format("{}{} {}", used.size() > 1 ? ", " : "", quoted_name(name),
                       sql_name(column_type(column.type)));
  }
  return sql + ")";
}

void put(TableWriter& writer, const PlainColumn& column, const PlainCell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  const auto* integer = std::get_if<int64_t>(&cell);
  const auto* real = std::get_if<double>(&cell);
  if (text && column.type == PlainColumn::Type::text) {
    writer.text(valid_utf8(*text));
  } else if (integer && column.type == PlainColumn::Type::integer) {
    writer.i64(*integer);
  } else if (real && column.type == PlainColumn::Type::real) {
    writer.f64(*real);
  } else {
    writer.null();
  }
}

Result<> fill(Connection& connection, std::string_view table, const Columns& columns) {
  if (Result<> made = connection.execute(create_table(table, columns)); !made) return made;
  std::vector<ColumnType> types;
  for (const PlainColumn& column : columns) types.push_back(column_type(column.type));
  Result<TableWriter> writer = TableWriter::open(connection, table, types);
  if (!writer) return tl::make_unexpected(writer.error());
  const size_t rows = columns.empty() ? 0 : columns.front().cells.size();
  for (size_t r = 0; r < rows; ++r) {
    for (const PlainColumn& column : columns) put(*writer, column, column.cells[r]);
    writer->end_row();
  }
  return writer->close();
}

// Makes the database file, fills the table, and runs `then` on it.
Result<> make_database(const std::string& file, std::string_view table, const Columns& columns,
                       const std::string& then) {
  Result<Database> database = Database::create(file, {});
  if (!database) return tl::make_unexpected(database.error());
  Result<Connection> connection = database->connect();
  if (!connection) return tl::make_unexpected(connection.error());
  Result<> filled = fill(*connection, table, columns);
  return filled && !then.empty() ? connection->execute(then) : filled;
}

}  // namespace

Result<> write_database(const std::string& path, std::string_view table, const Columns& columns) {
  const PartFile file(path, "");
  const Result<> made = make_database(file.part(), table, columns, "");
  unlink((path + ".wal").c_str());  // of another writer's: it would not fit the new file
  return made ? file.commit() : with_context(made.error(), path);
}

Result<> write_parquet(const std::string& path, const Columns& columns) {
  const PartFile file(path, ""), database(path, ".duckdb");
  const std::string copy =
      fmt::format("COPY t TO {} (FORMAT parquet, COMPRESSION zstd)", quote_sql_text(file.part()));
  const Result<> made = make_database(database.part(), "t", columns, copy);
  return made ? file.commit() : with_context(made.error(), path);
}

}  // namespace ks::store
