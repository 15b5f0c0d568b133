#pragma once
// Bulk append to one table, column by column in blocks of 2048 rows: the values are written
// straight into DuckDB's vectors. Calls must follow the columns from left to right; a call of
// another type than the column's is a bug of ours and asserts. Errors of the database are kept and
// returned by close(), so that loops need no checks.
//
//   writer.u32(id).text(name).u64_list(pointers).null().end_row();

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct _duckdb_vector;

namespace ks::store {

class Connection;

enum class ColumnType : uint8_t {
  boolean,
  u8,
  u16,
  i32,
  u32,
  i64,
  u64,
  f64,
  text,
  blob,       // text is VARCHAR: valid UTF-8 only
  timestamp,  // microseconds since 1970, no time zone
  text_list,
  u32_list,
  i64_list,
  u64_list,
  f64_list,
};

std::string_view sql_name(ColumnType type);  // "UINTEGER", "VARCHAR[]"

class TableWriter {
 public:
  // The table must exist with exactly these columns, in this order. Between open and close the
  // connection is the writer's, except for writers of other tables.
  static Result<TableWriter> open(Connection& connection, std::string_view table,
                                  std::vector<ColumnType> columns);
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  ~TableWriter();  // without close(): what is not flushed yet is dropped

  TableWriter& boolean(bool v) { return put<uint8_t>(ColumnType::boolean, v); }
  TableWriter& u8(uint8_t v) { return put(ColumnType::u8, v); }
  TableWriter& u16(uint16_t v) { return put(ColumnType::u16, v); }
  TableWriter& i32(int32_t v) { return put(ColumnType::i32, v); }
  TableWriter& u32(uint32_t v) { return put(ColumnType::u32, v); }
  TableWriter& i64(int64_t v) { return put(ColumnType::i64, v); }
  TableWriter& u64(uint64_t v) { return put(ColumnType::u64, v); }
  TableWriter& f64(double v) { return put(ColumnType::f64, v); }
  TableWriter& timestamp(int64_t us) { return put(ColumnType::timestamp, us); }
  TableWriter& text(std::string_view v) { return put_bytes(ColumnType::text, v); }
  TableWriter& blob(std::string_view v) { return put_bytes(ColumnType::blob, v); }
  TableWriter& text_list(std::span<const std::string> v);
  TableWriter& text_list(std::span<const std::string_view> v);
  TableWriter& u32_list(std::span<const uint32_t> v) { return put_list(ColumnType::u32_list, v); }
  TableWriter& i64_list(std::span<const int64_t> v) { return put_list(ColumnType::i64_list, v); }
  TableWriter& u64_list(std::span<const uint64_t> v) { return put_list(ColumnType::u64_list, v); }
  TableWriter& f64_list(std::span<const double> v) { return put_list(ColumnType::f64_list, v); }
  TableWriter& null();

  // The value, or NULL where there is none: opt(size, &TableWriter::u32).
  template <typename T, typename V>
  TableWriter& opt(const std::optional<T>& value, TableWriter& (TableWriter::*put_value)(V)) {
    return value ? (this->*put_value)(static_cast<V>(*value)) : null();
  }
  TableWriter& text_or_null(std::string_view v) { return v.empty() ? null() : text(v); }

  void end_row() {
    assert(column_ == slots_.size() && "a row has a value for every column");
    column_ = 0;
    if (++row_ == kChunkRows || chunk_bytes_ >= kChunkBytes) send_chunk();
  }
  uint64_t rows() const { return sent_rows_ + row_; }

  // Adds rows of NULL up to the next multiple of `row_group_size`. DuckDB compresses and writes a
  // row group when it is full and holds it in memory until then: a table of long texts pads after
  // so many bytes to bound both that and what a reader has to decompress for one row.
  void pad_row_group(uint64_t row_group_size);

  Result<> close();

 private:
  static constexpr uint32_t kChunkRows = 2048;     // DuckDB's vector size
  static constexpr size_t kChunkBytes = 1u << 20;  // long texts are passed on earlier

  struct Slot {
    ColumnType type;
    void* data = nullptr;
    uint64_t* validity = nullptr;  // null until the first NULL of a chunk
    _duckdb_vector* vector = nullptr;
    uint64_t list_size = 0;  // elements in the child vector so far
    uint64_t list_capacity = 0;
  };
  struct Handles;

  explicit TableWriter(std::unique_ptr<Handles> handles, std::vector<Slot> slots);

  Slot& next(ColumnType type) {
    assert(column_ < slots_.size() && slots_[column_].type == type && "column of another type");
    static_cast<void>(type);
    return slots_[column_++];
  }
  template <typename T>
  TableWriter& put(ColumnType type, T value) {
    static_cast<T*>(next(type).data)[row_] = value;
    return *this;
  }
  TableWriter& put_bytes(ColumnType type, std::string_view value);
  template <typename T>
  TableWriter& put_list(ColumnType type, std::span<const T> values);
  template <typename T>
  TableWriter& put_texts(std::span<const T> values);
  _duckdb_vector* begin_list(Slot& slot, uint64_t count);
  void bind_slots();
  void send_chunk();
  void check(bool success);

  std::unique_ptr<Handles> handles_;
  std::vector<Slot> slots_;
  size_t column_ = 0;
  uint32_t row_ = 0;
  size_t chunk_bytes_ = 0;    // of texts, blobs and lists in this chunk
  size_t pending_bytes_ = 0;  // handed to DuckDB since the last flush
  uint64_t sent_rows_ = 0;
};

}  // namespace ks::store
