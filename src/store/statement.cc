#include "store/statement.h"

#include <charconv>
#include <memory>

#include "store/cell_reader.h"
#include "store/duckdb_api.h"
#include "store/query.h"

namespace ks::store {
namespace {

using TextRow = std::vector<std::optional<std::string>>;

bool bind(const DuckDbApi& api, duckdb_prepared_statement statement,
          const std::vector<Parameter>& parameters) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto* number = std::get_if<uint64_t>(&parameters[i]);
    const auto* text = std::get_if<std::string>(&parameters[i]);
    const duckdb_state state =
        number ? api.bind_uint64(statement, i + 1, *number)
               : api.bind_varchar_length(statement, i + 1, text->data(), text->size());
    if (state != DuckDBSuccess) return false;
  }
  return true;
}

std::vector<TextRow> fetch(const DuckDbApi& api, duckdb_result& result) {
  std::vector<std::unique_ptr<TypeReader>> readers;
  for (idx_t c = 0; c < api.column_count(&result); ++c) {
    duckdb_logical_type type = api.column_logical_type(&result, c);
    readers.push_back(std::make_unique<TypeReader>(api, type));
    api.destroy_logical_type(&type);
  }
  std::vector<TextRow> rows;
  std::string storage;
  while (duckdb_data_chunk chunk = api.fetch_chunk(result)) {
    for (idx_t r = 0; r < api.data_chunk_get_size(chunk); ++r) {
      TextRow& row = rows.emplace_back();
      for (idx_t c = 0; c < readers.size(); ++c) {
        const Cell cell = readers[c]->read(api.data_chunk_get_vector(chunk, c), r, storage);
        row.push_back(cell.kind == CellKind::null ? std::nullopt : std::optional(cell_text(cell)));
      }
    }
    api.destroy_data_chunk(&chunk);
  }
  return rows;
}

}  // namespace

std::string Rows::text(size_t row, size_t column) const { return rows_[row][column].value_or(""); }

std::optional<int64_t> Rows::number(size_t row, size_t column) const {
  const std::optional<std::string>& text = rows_[row][column];
  int64_t value = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

uint64_t Rows::count(size_t row, size_t column) const {
  return static_cast<uint64_t>(number(row, column).value_or(0));
}

bool Rows::flag(size_t row, size_t column) const { return rows_[row][column] == "true"; }

std::vector<int64_t> Rows::numbers(size_t row, size_t column) const {
  std::vector<int64_t> found;
  const std::string list = text(row, column);
  for (const char *at = list.data(), *end = at + list.size(); at < end;) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc()) found.push_back(value);
    at = next == at ? at + 1 : next;
  }
  return found;
}

Result<Rows> select(Connection& connection, std::string_view sql,
                    const std::vector<Parameter>& parameters) {
  const DuckDbApi& api = connection.api();
  duckdb_prepared_statement statement = nullptr;
  const auto prepared = api.prepare(connection.handle(), std::string(sql).c_str(), &statement);
  const std::unique_ptr<duckdb_prepared_statement, void (*)(duckdb_prepared_statement*)> guard(
      &statement, api.destroy_prepare);
  if (prepared != DuckDBSuccess || !bind(api, statement, parameters)) {
    return fail(ErrorKind::input, short_message(api.prepare_error(statement)));
  }
  duckdb_result result{};
  const std::unique_ptr<duckdb_result, void (*)(duckdb_result*)> result_guard(&result,
                                                                              api.destroy_result);
  if (api.execute_prepared(statement, &result) != DuckDBSuccess) {
    return fail(ErrorKind::input, short_message(api.result_error(&result)));
  }
  return Rows(fetch(api, result));
}

}  // namespace ks::store
