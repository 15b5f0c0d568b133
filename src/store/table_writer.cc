#include "store/table_writer.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "store/connection.h"
#include "store/duckdb_api.h"

namespace ks::store {
namespace {

// The appender gathers 204,800 rows before it gives them to the table. Long texts must not wait
// that long.
constexpr size_t kFlushBytes = 2u << 20;

struct TypeInfo {
  std::string_view sql;
  duckdb_type type;
  bool list;
};

constexpr TypeInfo kTypes[] = {
    {"BOOLEAN", DUCKDB_TYPE_BOOLEAN, false},     {"UTINYINT", DUCKDB_TYPE_UTINYINT, false},
    {"USMALLINT", DUCKDB_TYPE_USMALLINT, false}, {"INTEGER", DUCKDB_TYPE_INTEGER, false},
    {"UINTEGER", DUCKDB_TYPE_UINTEGER, false},   {"BIGINT", DUCKDB_TYPE_BIGINT, false},
    {"UBIGINT", DUCKDB_TYPE_UBIGINT, false},     {"DOUBLE", DUCKDB_TYPE_DOUBLE, false},
    {"VARCHAR", DUCKDB_TYPE_VARCHAR, false},     {"BLOB", DUCKDB_TYPE_BLOB, false},
    {"TIMESTAMP", DUCKDB_TYPE_TIMESTAMP, false}, {"VARCHAR[]", DUCKDB_TYPE_VARCHAR, true},
    {"UINTEGER[]", DUCKDB_TYPE_UINTEGER, true},  {"BIGINT[]", DUCKDB_TYPE_BIGINT, true},
    {"UBIGINT[]", DUCKDB_TYPE_UBIGINT, true},    {"DOUBLE[]", DUCKDB_TYPE_DOUBLE, true}};

const TypeInfo& info_of(ColumnType type) { return kTypes[static_cast<size_t>(type)]; }

duckdb_logical_type make_type(const DuckDbApi& api, ColumnType column) {
  duckdb_logical_type type = api.create_logical_type(info_of(column).type);
  if (!info_of(column).list) return type;
  duckdb_logical_type list = api.create_list_type(type);
  api.destroy_logical_type(&type);
  return list;
}

}  // namespace

std::string_view sql_name(ColumnType type) { return info_of(type).sql; }

struct TableWriter::Handles {
  explicit Handles(const DuckDbApi& the_api) : api(the_api) {}
  ~Handles() {
    if (chunk) api.destroy_data_chunk(&chunk);
    if (appender) api.appender_destroy(&appender);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  const DuckDbApi& api;
  std::string table;
  duckdb_appender appender = nullptr;
  duckdb_data_chunk chunk = nullptr;
  std::optional<Error> error;  // the first one
};

TableWriter::TableWriter(std::unique_ptr<Handles> handles, std::vector<Slot> slots)
    : handles_(std::move(handles)), slots_(std::move(slots)) {
  bind_slots();
}
TableWriter::TableWriter(TableWriter&&) noexcept = default;
TableWriter& TableWriter::operator=(TableWriter&&) noexcept = default;
TableWriter::~TableWriter() = default;

Result<TableWriter> TableWriter::open(Connection& connection, std::string_view table,
                                      std::vector<ColumnType> columns) {
  auto handles = std::make_unique<Handles>(connection.api());
  const DuckDbApi& api = handles->api;
  handles->table = table;
  if (api.appender_create(connection.handle(), nullptr, handles->table.c_str(),
                          &handles->appender) != DuckDBSuccess) {
    return with_context({ErrorKind::io, short_message(api.appender_error(handles->appender))},
                        "table " + handles->table);
  }
  std::vector<duckdb_logical_type> types;
  std::vector<Slot> slots;
  for (const ColumnType column : columns) {
    types.push_back(make_type(api, column));
    slots.push_back({.type = column});
  }
  handles->chunk = api.create_data_chunk(types.data(), types.size());
  for (duckdb_logical_type& type : types) api.destroy_logical_type(&type);
  return TableWriter(std::move(handles), std::move(slots));
}

void TableWriter::bind_slots() {
  const DuckDbApi& api = handles_->api;
  for (size_t c = 0; c < slots_.size(); ++c) {
    Slot& slot = slots_[c];
    slot.vector = api.data_chunk_get_vector(handles_->chunk, c);
    slot.data = api.vector_get_data(slot.vector);
    slot.validity = nullptr;
    slot.list_size = 0;
    slot.list_capacity = 0;
  }
}

TableWriter& TableWriter::null() {
  assert(column_ < slots_.size());
  Slot& slot = slots_[column_++];
  const DuckDbApi& api = handles_->api;
  if (!slot.validity) {
    api.vector_ensure_validity_writable(slot.vector);
    slot.validity = api.vector_get_validity(slot.vector);
  }
  slot.validity[row_ / 64] &= ~(uint64_t{1} << (row_ % 64));
  if (info_of(slot.type).list) {
    static_cast<duckdb_list_entry*>(slot.data)[row_] = {slot.list_size, 0};
  }
  return *this;
}

TableWriter& TableWriter::put_bytes(ColumnType type, std::string_view value) {
  handles_->api.vector_assign_string_element_len(next(type).vector, row_, value.data(),
                                                 value.size());
  chunk_bytes_ += value.size();
  return *this;
}

// Makes room for `count` more elements and returns the child vector.
_duckdb_vector* TableWriter::begin_list(Slot& slot, uint64_t count) {
  const DuckDbApi& api = handles_->api;
  static_cast<duckdb_list_entry*>(slot.data)[row_] = {slot.list_size, count};
  if (slot.list_size + count > slot.list_capacity) {
    slot.list_capacity = std::max<uint64_t>({2048, slot.list_size + count, slot.list_capacity * 2});
    check(api.list_vector_reserve(slot.vector, slot.list_capacity) == DuckDBSuccess);
  }
  slot.list_size += count;
  // The size must follow at once: reserve() keeps only what is within it.
  check(api.list_vector_set_size(slot.vector, slot.list_size) == DuckDBSuccess);
  return api.list_vector_get_child(slot.vector);
}

template <typename T>
TableWriter& TableWriter::put_list(ColumnType type, std::span<const T> values) {
  Slot& slot = next(type);
  const uint64_t first = slot.list_size;
  duckdb_vector child = begin_list(slot, values.size());
  if (values.empty()) return *this;
  std::memcpy(static_cast<T*>(handles_->api.vector_get_data(child)) + first, values.data(),
              values.size_bytes());
  chunk_bytes_ += values.size_bytes();
  return *this;
}
template TableWriter& TableWriter::put_list(ColumnType, std::span<const uint32_t>);
template TableWriter& TableWriter::put_list(ColumnType, std::span<const int64_t>);
template TableWriter& TableWriter::put_list(ColumnType, std::span<const uint64_t>);
template TableWriter& TableWriter::put_list(ColumnType, std::span<const double>);

template <typename T>
TableWriter& TableWriter::put_texts(std::span<const T> values) {
  Slot& slot = next(ColumnType::text_list);
  uint64_t index = slot.list_size;
  duckdb_vector child = begin_list(slot, values.size());
  for (const T& value : values) {
    handles_->api.vector_assign_string_element_len(child, index++, value.data(), value.size());
    chunk_bytes_ += value.size();
  }
  return *this;
}

TableWriter& TableWriter::text_list(std::span<const std::string> v) { return put_texts(v); }
TableWriter& TableWriter::text_list(std::span<const std::string_view> v) { return put_texts(v); }

void TableWriter::check(bool success) {
  if (success || handles_->error) return;
  const char* message = handles_->api.appender_error(handles_->appender);
  handles_->error =
      Error{ErrorKind::io, "table " + handles_->table + ": " + short_message(message)};
}

void TableWriter::send_chunk() {
  const DuckDbApi& api = handles_->api;
  if (row_ != 0 && !handles_->error) {
    api.data_chunk_set_size(handles_->chunk, row_);
    check(api.append_data_chunk(handles_->appender, handles_->chunk) == DuckDBSuccess);
    pending_bytes_ += chunk_bytes_;
    if (pending_bytes_ >= kFlushBytes) {
      check(api.appender_flush(handles_->appender) == DuckDBSuccess);
      pending_bytes_ = 0;
    }
  }
  api.data_chunk_reset(handles_->chunk);
  bind_slots();
  sent_rows_ += row_;
  row_ = 0;
  chunk_bytes_ = 0;
}

void TableWriter::pad_row_group(uint64_t row_group_size) {
  assert(column_ == 0);
  while (rows() % row_group_size != 0) {
    for (size_t c = 0; c < slots_.size(); ++c) null();
    end_row();
  }
}

Result<> TableWriter::close() {
  assert(column_ == 0 && "close() in the middle of a row");
  send_chunk();
  if (!handles_->error) check(handles_->api.appender_close(handles_->appender) == DuckDBSuccess);
  if (handles_->error) return tl::make_unexpected(*handles_->error);
  return {};
}

}  // namespace ks::store
