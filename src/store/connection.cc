#include "store/connection.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "store/duckdb_api.h"

namespace ks::store {
namespace {

using Settings = std::vector<std::pair<const char*, std::string>>;

// A folder that an attacker or an old file may have put beside us must not matter, and nothing may
// be fetched: no extension is ever looked for.
Settings common_settings(unsigned threads, uint64_t memory_limit_bytes,
                         const std::string& temp_directory) {
  return {{"threads", std::to_string(threads ? threads : 1)},
          {"memory_limit", fmt::format("{}B", memory_limit_bytes)},
          {"temp_directory", temp_directory},
          {"autoinstall_known_extensions", "false"},
          {"autoload_known_extensions", "false"},
          {"allow_community_extensions", "false"},
          {"allow_persistent_secrets", "false"}};
}

Result<duckdb_config> make_config(const DuckDbApi& api, const Settings& settings) {
  duckdb_config config = nullptr;
  if (api.create_config(&config) != DuckDBSuccess) {
    return fail(ErrorKind::io, "the database library cannot make a configuration");
  }
  for (const auto& [name, value] : settings) {
    if (api.set_config(config, name, value.c_str()) == DuckDBSuccess) continue;
    api.destroy_config(&config);
    return fail(ErrorKind::unsupported,
                fmt::format("the database library has no setting {} = '{}'", name, value));
  }
  return config;
}

Result<duckdb_database> open_database(const DuckDbApi& api, const char* path,
                                      const Settings& settings) {
  Result<duckdb_config> config = make_config(api, settings);
  if (!config) return tl::make_unexpected(config.error());
  duckdb_database database = nullptr;
  char* message = nullptr;
  const duckdb_state state = api.open_ext(path, &database, *config, &message);
  api.destroy_config(&*config);
  if (state == DuckDBSuccess) return database;
  std::string text = short_message(message);
  api.free(message);
  return fail(ErrorKind::input, std::move(text));
}

class ResultHolder {
 public:
  explicit ResultHolder(const DuckDbApi& api) : api_(api) {}
  ~ResultHolder() { api_.destroy_result(&result); }
  ResultHolder(const ResultHolder&) = delete;
  ResultHolder& operator=(const ResultHolder&) = delete;

  duckdb_result result{};

 private:
  const DuckDbApi& api_;
};

}  // namespace

void Connection::Close::operator()(_duckdb_connection* connection) const {
  (*duckdb_api())->disconnect(&connection);
}

void Database::Close::operator()(_duckdb_database* database) const {
  (*duckdb_api())->close(&database);
}

Result<Database> Database::create(const std::string& path, const WriteOptions& options) {
  const Result<const DuckDbApi*> api = duckdb_api();
  if (!api) return tl::make_unexpected(api.error());
  Settings settings =
      common_settings(options.threads, options.memory_limit_bytes, options.temp_directory);
  settings.emplace_back("preserve_insertion_order", "true");
  // Trying FSST costs a fifth of the closing time on a 200 MB log and saves 2 of 19 MB.
  settings.emplace_back("disabled_compression_methods", "fsst,dict_fsst");
  // Every commit goes straight into the file: a crash loses the file anyway, so no log is needed.
  settings.emplace_back("checkpoint_threshold", "0B");
  Result<duckdb_database> handle = open_database(**api, ":memory:", settings);
  if (!handle) return with_context(handle.error(), path);
  Database database(**api, *handle);
  Result<Connection> connection = database.connect();
  if (!connection) return tl::make_unexpected(connection.error());
  const Result<> attached =
      connection->execute(fmt::format("ATTACH {} AS run (STORAGE_VERSION '{}', ROW_GROUP_SIZE {})",
                                      quote_sql_text(path), kStorageVersion, kRowGroupSize));
  if (!attached) return with_context(attached.error(), path);
  database.catalog_ = "run";
  return database;
}

Result<Database> Database::open_locked(const std::string& path, const ReadOptions& options,
                                       const std::string& attached, const std::string& catalog) {
  const Result<const DuckDbApi*> api = duckdb_api();
  if (!api) return tl::make_unexpected(api.error());
  Settings settings = common_settings(options.threads, options.memory_limit_bytes, "");
  settings.emplace_back("access_mode", "READ_ONLY");
  // Where a second file is still to be attached, lock() takes the access away.
  if (attached.empty()) settings.emplace_back("enable_external_access", "false");
  Result<duckdb_database> handle = open_database(**api, path.c_str(), settings);
  if (!handle) return with_context(handle.error(), path);
  Database database(**api, *handle);
  if (!attached.empty()) {
    if (Result<> done = database.attach(attached, catalog); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  if (Result<> locked = database.lock(); !locked) return with_context(locked.error(), path);
  return database;
}

Result<> Database::attach(const std::string& path, const std::string& catalog) {
  Result<Connection> connection = connect();
  if (!connection) return tl::make_unexpected(connection.error());
  return connection->execute(
      fmt::format("ATTACH {} AS {} (READ_ONLY, TYPE duckdb)", quote_sql_text(path), catalog));
}

// Without a file system: enable_external_access alone leaves holes, such as the files of
// enable_logging(). The files themselves are open already.
Result<> Database::lock() {
  Result<Connection> connection = connect();
  if (!connection) return tl::make_unexpected(connection.error());
  return connection->execute(
      "SET enable_external_access = false; SET disabled_filesystems = 'LocalFileSystem'; "
      "SET lock_configuration = true");
}

Result<Connection> Database::connect() {
  duckdb_connection handle = nullptr;
  if (api_->connect(handle_.get(), &handle) != DuckDBSuccess) {
    return fail(ErrorKind::io, "the database library cannot open a connection");
  }
  Connection connection(*api_, handle);
  if (!catalog_.empty()) {
    if (Result<> used = connection.execute("USE " + catalog_); !used) {
      return tl::make_unexpected(used.error());
    }
  }
  if (start_.empty()) return connection;
  if (Result<> started = connection.execute(start_); !started) {
    start_.clear();
    note_ = "the counters are not used: " + started.error().message;
  }
  return connection;
}

Result<> Connection::execute(std::string_view sql) {
  ResultHolder holder(*api_);
  if (api_->query(handle_.get(), std::string(sql).c_str(), &holder.result) == DuckDBSuccess) {
    return {};
  }
  return fail(ErrorKind::input, short_message(api_->result_error(&holder.result)));
}

void Connection::interrupt() const { api_->interrupt(handle_.get()); }

namespace {

// Only VARCHAR columns: our own questions cast what is something else.
void append_rows(const DuckDbApi& api, duckdb_data_chunk chunk, size_t columns, TextRows& rows) {
  const size_t first = rows.size();
  const idx_t count = api.data_chunk_get_size(chunk);
  rows.resize(first + count, std::vector<std::string>(columns));
  for (size_t c = 0; c < columns; ++c) {
    duckdb_vector vector = api.data_chunk_get_vector(chunk, c);
    auto* texts = static_cast<duckdb_string_t*>(api.vector_get_data(vector));
    const uint64_t* validity = api.vector_get_validity(vector);
    for (idx_t r = 0; r < count; ++r) {
      if (validity && !(validity[r / 64] >> (r % 64) & 1)) continue;
      const duckdb_string_t& text = texts[r];
      const uint32_t length = text.value.inlined.length;
      rows[first + r][c].assign(length <= 12 ? text.value.inlined.inlined : text.value.pointer.ptr,
                                length);
    }
  }
}

}  // namespace

Result<TextRows> Connection::query_text(std::string_view sql) {
  ResultHolder holder(*api_);
  if (api_->query(handle_.get(), std::string(sql).c_str(), &holder.result) != DuckDBSuccess) {
    return fail(ErrorKind::input, short_message(api_->result_error(&holder.result)));
  }
  const size_t columns = api_->column_count(&holder.result);
  for (size_t c = 0; c < columns; ++c) {
    if (api_->column_type(&holder.result, c) == DUCKDB_TYPE_VARCHAR) continue;
    return fail(ErrorKind::input, "a column is not text");
  }
  TextRows rows;
  while (duckdb_data_chunk chunk = api_->fetch_chunk(holder.result)) {
    append_rows(*api_, chunk, columns, rows);
    api_->destroy_data_chunk(&chunk);
  }
  return rows;
}

std::string quote_sql_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

std::string short_message(const char* duckdb_message) {
  const std::string_view message = duckdb_message ? duckdb_message : "unknown database error";
  return std::string(message.substr(0, message.find('\n')));
}

}  // namespace ks::store
