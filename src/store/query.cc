#include "store/query.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "store/cell_reader.h"
#include "store/counters_views.h"
#include "store/duckdb_api.h"
#include "store/schema.h"
#include "store/watchdog.h"

namespace ks::store {
namespace {

// Lowers the limit on the address space for a while. Sanitizers map terabytes and abort where an
// allocation fails: they go without.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(uint64_t extra_bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    if (extra_bytes == 0 || pages == 0 || getrlimit(RLIMIT_AS, &before_) != 0) return;
    rlimit wanted = before_;
    wanted.rlim_cur = std::min<rlim_t>(before_.rlim_cur, pages * 4096 + extra_bytes);
    active_ = setrlimit(RLIMIT_AS, &wanted) == 0;
#else
    static_cast<void>(extra_bytes);
#endif
  }
  ~AddressSpaceLimit() {
    if (active_) setrlimit(RLIMIT_AS, &before_);
  }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit before_{};
  bool active_ = false;
};

bool is_allowed(duckdb_statement_type type) {
  return type == DUCKDB_STATEMENT_TYPE_SELECT || type == DUCKDB_STATEMENT_TYPE_EXPLAIN;
}

// One user's text on one connection.
class QueryRun {
 public:
  QueryRun(Connection& connection, const QueryLimits& limits, const AnswerSinks& sinks)
      : connection_(connection),
        api_(connection.api()),
        limits_(limits),
        sinks_(sinks),
        watchdog_(connection, limits.time) {}
  ~QueryRun() {
    for (duckdb_prepared_statement& statement : prepared_) api_.destroy_prepare(&statement);
    if (statements_) api_.destroy_extracted(&statements_);
  }
  QueryRun(const QueryRun&) = delete;
  QueryRun& operator=(const QueryRun&) = delete;

  Result<QueryOutcome> run(std::string_view sql) {
    if (sql.find('\0') != std::string_view::npos) {
      return fail(ErrorKind::input, "the SQL has a zero byte in it");
    }
    const idx_t count =
        api_.extract_statements(connection_.handle(), std::string(sql).c_str(), &statements_);
    if (count == 0) {
      const char* message = api_.extract_statements_error(statements_);
      return fail(ErrorKind::input, message ? message : "no SQL statement given");
    }
    for (idx_t i = 0; i < count; ++i) {
      if (Result<> done = prepare(i); !done) return tl::make_unexpected(done.error());
    }
    for (size_t i = 0; i < prepared_.size() && wanted_; ++i) {
      sink_ = sinks_(i, prepared_.size());
      if (Result<> done = execute(prepared_[i]); !done) {
        return tl::make_unexpected(done.error());
      }
    }
    return outcome_;
  }

 private:
  // The messages of wrong SQL go on for several lines and point at the place: kept whole.
  tl::unexpected<Error> error(const char* message) const {
    const std::string text = message ? message : "unknown database error";
    if (watchdog_.expired()) {
      return fail(ErrorKind::limit,
                  fmt::format("the query was stopped after {:g} s; --timeout gives it more time",
                              static_cast<double>(limits_.time.count()) / 1000));
    }
    if (text.starts_with("Out of Memory") || text.find("bad_alloc") != std::string::npos) {
      return fail(ErrorKind::limit, "the query needs more memory than it may have: " +
                                        text.substr(0, text.find('\n')));
    }
    return fail(ErrorKind::input, text);
  }

  // None of the statements allowed can change what another one needs, so all are prepared first.
  Result<> prepare(idx_t index) {
    duckdb_prepared_statement& statement = prepared_.emplace_back(nullptr);
    const auto state =
        api_.prepare_extracted_statement(connection_.handle(), statements_, index, &statement);
    if (state != DuckDBSuccess) return error(api_.prepare_error(statement));
    if (!is_allowed(api_.prepared_statement_type(statement))) {
      return fail(ErrorKind::input,
                  "only SELECT, EXPLAIN, DESCRIBE and SHOW can be run here; for anything else open "
                  "a copy of the file with a DuckDB client");
    }
    return {};
  }

  // Streaming, so that a result of any size takes little memory.
  Result<> execute(duckdb_prepared_statement statement) {
    duckdb_pending_result pending = nullptr;
    const auto state = api_.pending_prepared_streaming(statement, &pending);
    const std::unique_ptr<duckdb_pending_result, void (*)(duckdb_pending_result*)> pending_guard(
        &pending, api_.destroy_pending);
    if (state != DuckDBSuccess) return error(api_.pending_error(pending));
    duckdb_result result{};
    const std::unique_ptr<duckdb_result, void (*)(duckdb_result*)> result_guard(
        &result, api_.destroy_result);
    if (api_.execute_pending(pending, &result) != DuckDBSuccess) {
      return error(api_.result_error(&result));
    }
    return read(result);
  }

  Result<> read(duckdb_result& result) {
    if (sink_) start_columns(result);
    rows_ = 0;
    bool more = true;
    while (more) {
      duckdb_data_chunk chunk = api_.fetch_chunk(result);
      if (!chunk) break;
      if (sink_) more = give_rows(chunk);
      api_.destroy_data_chunk(&chunk);
    }
    const char* message = more ? api_.result_error(&result) : nullptr;
    if (message && *message) return error(message);
    if (more && watchdog_.expired()) return error(nullptr);
    return {};
  }

  void start_columns(duckdb_result& result) {
    const idx_t count = api_.column_count(&result);
    std::vector<Column> columns;
    readers_.clear();
    for (idx_t c = 0; c < count; ++c) {
      duckdb_logical_type type = api_.column_logical_type(&result, c);
      readers_.push_back(std::make_unique<TypeReader>(api_, type));
      api_.destroy_logical_type(&type);
      columns.push_back(
          {api_.column_name(&result, c), readers_.back()->sql_name(), readers_.back()->numeric()});
    }
    cells_.resize(count);
    storage_.resize(count);
    sink_->columns(columns);
  }

  bool give_rows(duckdb_data_chunk chunk) {
    const idx_t count = api_.data_chunk_get_size(chunk);
    for (idx_t row = 0; row < count; ++row) {
      if (rows_ == limits_.rows) {
        outcome_.truncated = true;
        return false;
      }
      for (size_t c = 0; c < readers_.size(); ++c) {
        cells_[c] = readers_[c]->read(api_.data_chunk_get_vector(chunk, c), row, storage_[c]);
      }
      ++rows_;
      ++outcome_.rows;
      wanted_ = sink_->row(cells_);
      if (!wanted_) return false;
    }
    return true;
  }

  Connection& connection_;
  const DuckDbApi& api_;
  const QueryLimits& limits_;
  const AnswerSinks& sinks_;
  RowSink* sink_ = nullptr;  // of the statement that runs
  bool wanted_ = true;       // false: the reader has gone
  uint64_t rows_ = 0;        // of the statement that runs
  duckdb_extracted_statements statements_ = nullptr;
  std::vector<duckdb_prepared_statement> prepared_;
  std::vector<std::unique_ptr<TypeReader>> readers_;
  std::vector<Cell> cells_;
  std::vector<std::string> storage_;
  QueryOutcome outcome_;
  Watchdog watchdog_;  // last: it stops before the rest goes
};

AnswerSinks only_last(RowSink& sink) {
  return [&sink](size_t index, size_t count) { return index + 1 == count ? &sink : nullptr; };
}

Result<> check_version(Connection& connection) {
  const Result<TextRows> rows = connection.query_text(
      "SELECT schema_version::VARCHAR, tool_version FROM meta WHERE format = 'kernelscope run'");
  if (!rows || rows->size() != 1) {
    return fail(ErrorKind::unsupported,
                "a DuckDB file, but not one that kernelscope parse has written");
  }
  const std::string& version = rows->front()[0];
  if (version == std::to_string(kSchemaVersion)) return {};
  return fail(ErrorKind::unsupported,
              fmt::format("made by version {} of kernelscope (schema {}, this one reads {}): "
                          "parse again",
                          rows->front()[1], version, kSchemaVersion));
}

// Counters that cannot be used leave the run as it is without them, and a note.
Result<Database> open_with(const std::optional<std::string>& counters, const std::string& path,
                           const ReadOptions& options) {
  if (!counters) return Database::open_locked(path, options);
  Result<Database> database = Database::open_locked(path, options, *counters, kCountersCatalog);
  if (database) return database;
  const std::string why = database.error().message;
  database = Database::open_locked(path, options);
  if (database) database->set_note(fmt::format("{}: not used: {}", *counters, why));
  return database;
}

}  // namespace

Result<Database> open_run(const std::string& path, const ReadOptions& options) {
  if (!std::ifstream(path)) return fail(ErrorKind::input, path + ": cannot be read");
  const std::optional<std::string> counters = find_counters(path);
  Result<Database> database = open_with(counters, path, options);
  if (!database) {
    return fail(database.error().kind,
                fmt::format("not a run file, or damaged: {}", database.error().message));
  }
  Result<Connection> connection = database->connect();
  if (!connection) return tl::make_unexpected(connection.error());
  if (Result<> checked = check_version(*connection); !checked) {
    return with_context(checked.error(), path);
  }
  if (!counters || !database->note().empty()) return database;
  Result<std::string> views = counters_views_sql(*connection);
  if (views) {
    database->set_start(std::move(*views));
  } else {
    database->set_note(fmt::format("{}: not used: {}", *counters, views.error().message));
  }
  return database;
}

Result<QueryOutcome> run_query(Connection& connection, std::string_view sql,
                               const QueryLimits& limits, RowSink& sink) {
  const AnswerSinks sinks = only_last(sink);
  return QueryRun(connection, limits, sinks).run(sql);
}

Result<QueryOutcome> run_query(const std::string& path, std::string_view sql,
                               const QueryLimits& limits, RowSink& sink) {
  return run_query(path, sql, limits, only_last(sink));
}

Result<QueryOutcome> run_query(const std::string& path, std::string_view sql,
                               const QueryLimits& limits, const AnswerSinks& sinks) {
  Result<Database> database = open_run(path, limits.read);
  if (!database) return tl::make_unexpected(database.error());
  Result<Connection> connection = database->connect();
  if (!connection) return tl::make_unexpected(connection.error());
  const AddressSpaceLimit limit(limits.address_space_bytes);
  Result<QueryOutcome> outcome = QueryRun(*connection, limits, sinks).run(sql);
  if (outcome) {
    outcome->note = database->note();
  } else if (!database->note().empty()) {
    outcome.error().message += "\n" + database->note();
  }
  return outcome;
}

}  // namespace ks::store
