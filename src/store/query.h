#pragma once
// Reading a run file: opening it with its version checked, and running a user's SQL on it.
//
// A user's SQL may come from anywhere (a shared command line, a page in the browser), so it is
// treated as hostile. What holds it, from the inside out:
//   1. only SELECT, EXPLAIN, and what DuckDB turns into them (DESCRIBE, SHOW, SUMMARIZE, FROM ...),
//   2. the database is opened read-only and locked: no other file, no extension, no setting,
//   3. limits on DuckDB's memory, threads, wall-clock time and rows given out, and on the address
//      space of the process, because strings and lists under work are not counted by DuckDB.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/connection.h"
#include "store/rows.h"

namespace ks::store {

struct QueryLimits {
  ReadOptions read;
  std::chrono::milliseconds time{30'000};
  uint64_t rows = 1'000'000;
  // What the process may map beyond what it has, while the query runs; 0: no limit. Process-wide:
  // a server runs queries in a child process, or sets 0.
  uint64_t address_space_bytes = 4ull << 30;
};

struct QueryOutcome {
  uint64_t rows = 0;
  bool truncated = false;  // there were more than limits.rows
};

// A run file that this version can read. `path` is the file itself.
Result<Database> open_run(const std::string& path, const ReadOptions& options);

// Runs one or more statements; the rows of the last one go to `sink`. Errors: kind input with the
// database's message for wrong SQL, kind limit for what took too long or too much memory.
Result<QueryOutcome> run_query(const std::string& path, std::string_view sql,
                               const QueryLimits& limits, RowSink& sink);

// The same on a database that is already open. Does not limit the address space.
Result<QueryOutcome> run_query(Connection& connection, std::string_view sql,
                               const QueryLimits& limits, RowSink& sink);

}  // namespace ks::store
