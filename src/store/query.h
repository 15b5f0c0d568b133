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
#include <functional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
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
  uint64_t rows = 0;       // given out, of all statements together
  bool truncated = false;  // a statement had more than limits.rows
  std::string note;        // Database::note()
};

// Called before statement `index` of `count` runs: who takes its rows. Null: nobody.
using AnswerSinks = std::function<RowSink*(size_t index, size_t count)>;

// A run file that this version can read. `path` is the file itself. Counters beside it are attached
// and joined by views (counters_views.h); where that fails the database has a note.
Result<Database> open_run(const std::string& path, const ReadOptions& options);

// Runs one or more statements in turn. What is wrong with the SQL of any of them is found before
// the first one runs. The limit on rows is for each, that on time for all. Errors: kind input with
// the database's message for wrong SQL, kind limit for what took too long or too much memory.
Result<QueryOutcome> run_query(const std::string& path, std::string_view sql,
                               const QueryLimits& limits, const AnswerSinks& sinks);

// The same; only the rows of the last statement are given out.
Result<QueryOutcome> run_query(const std::string& path, std::string_view sql,
                               const QueryLimits& limits, RowSink& sink);

// The same on a database that is already open. Does not limit the address space.
Result<QueryOutcome> run_query(Connection& connection, std::string_view sql,
                               const QueryLimits& limits, RowSink& sink);

// A cell as text: NULL is empty, a blob is hexadecimal digits.
std::string cell_text(const Cell& cell);

// A cell as a JSON value: what has no JSON form is a string, a number that is not finite is null.
void append_cell(JsonWriter& json, const Cell& cell);

}  // namespace ks::store
