#pragma once
// A DuckDB database file and a connection to it. Nothing of DuckDB shows in this header.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct _duckdb_database;
struct _duckdb_connection;

namespace ks::store {

struct DuckDbApi;

// The oldest format with the text compression that we need: DuckDB 1.2.0 (February 2025) and later
// clients open our files. Without the pin, files follow the version of the library.
inline constexpr std::string_view kStorageVersion = "v1.2.0";

// Measured on 168 MB of stage texts: one thread is as fast as two (our own thread feeds it) and
// takes 10 to 20 MB less; 64 MB of buffers are as fast as 256.
struct WriteOptions {
  unsigned threads = 1;
  uint64_t memory_limit_bytes = 64ull << 20;  // buffers of DuckDB; what does not fit is spilled
  std::string temp_directory;                 // where it is spilled to; empty: never
};

// Rows per row group. A row group is compressed and written when it is full.
inline constexpr uint64_t kRowGroupSize = 8192;

// What a reader may use. Readers are always locked: no other file, no extension, no setting.
struct ReadOptions {
  unsigned threads = 2;
  uint64_t memory_limit_bytes = 1ull << 30;
};

// Rows of a small result as text, for our own questions; NULL is an empty string.
using TextRows = std::vector<std::vector<std::string>>;

// One thread at a time, except interrupt(). Must not outlive its Database.
class Connection {
 public:
  Result<> execute(std::string_view sql);  // one or more statements, results dropped
  Result<TextRows> query_text(std::string_view sql);
  void interrupt() const;  // any thread; stops what is running

  const DuckDbApi& api() const { return *api_; }
  _duckdb_connection* handle() const { return handle_.get(); }

 private:
  friend class Database;
  struct Close {
    void operator()(_duckdb_connection* connection) const;
  };
  Connection(const DuckDbApi& api, _duckdb_connection* handle) : api_(&api), handle_(handle) {}

  const DuckDbApi* api_;
  std::unique_ptr<_duckdb_connection, Close> handle_;
};

class Database {
 public:
  // Creates `path`, which must not exist, in the format kStorageVersion.
  static Result<Database> create(const std::string& path, const WriteOptions& options);
  // Opens an existing file for reading, locked down: SQL that runs on it reaches nothing else, but
  // for the file `attached`, if it is given, as `catalog` and read-only too.
  static Result<Database> open_locked(const std::string& path, const ReadOptions& options,
                                      const std::string& attached = "",
                                      const std::string& catalog = "");

  Result<Connection> connect();

  // Statements that every later connection starts with: temporary views are a connection's own.
  // Where they fail, the database is used without them and has a note.
  void set_start(std::string sql) { start_ = std::move(sql); }
  // Why a part of what was to be opened is missing; empty: nothing is.
  const std::string& note() const { return note_; }
  void set_note(std::string note) { note_ = std::move(note); }

 private:
  struct Close {
    void operator()(_duckdb_database* database) const;
  };
  Database(const DuckDbApi& api, _duckdb_database* handle) : api_(&api), handle_(handle) {}
  Result<> attach(const std::string& path, const std::string& catalog);
  Result<> lock();

  const DuckDbApi* api_;
  std::unique_ptr<_duckdb_database, Close> handle_;
  std::string catalog_;  // the attached file's name in SQL; empty: the database itself
  std::string start_, note_;
};

std::string quote_sql_text(std::string_view text);  // 'it''s'

// DuckDB's message without the prefix of its kind and the hints for its own users: first line only.
std::string short_message(const char* duckdb_message);

}  // namespace ks::store
