#pragma once
// One column of a DuckDB result, chunk by chunk, as cells. Only src/store may include this file.

#include <memory>
#include <string>
#include <vector>

#include "store/duckdb_api.h"
#include "store/rows.h"

namespace ks::store {

// How to read a vector of one logical type, nested types included.
class TypeReader {
 public:
  TypeReader(const DuckDbApi& api, duckdb_logical_type type);  // does not take the type over
  ~TypeReader();
  TypeReader(const TypeReader&) = delete;
  TypeReader& operator=(const TypeReader&) = delete;

  const std::string& sql_name() const { return sql_name_; }
  bool numeric() const;

  // The value at `row`; text that had to be made lives in `storage`.
  Cell read(duckdb_vector vector, idx_t row, std::string& storage) const;

 private:
  bool is_valid(duckdb_vector vector, idx_t row) const;
  void read_scalar(const void* data, idx_t row, Cell& cell, std::string& storage) const;
  bool read_number(const void* data, idx_t row, Cell& cell) const;
  std::string print_other(const void* data, idx_t row) const;
  uint64_t enum_index(const void* data, idx_t row) const;
  duckdb_hugeint decimal_value(const void* data, idx_t row) const;
  void append_json(duckdb_vector vector, idx_t row, std::string& out) const;
  void append_json_list(duckdb_vector vector, idx_t row, std::string& out) const;
  void append_json_map(duckdb_vector vector, idx_t row, std::string& out) const;
  void append_json_struct(duckdb_vector vector, idx_t row, std::string& out) const;
  void append_json_union(duckdb_vector vector, idx_t row, std::string& out) const;
  void add_child(std::string name, duckdb_logical_type type);
  void load_nested(duckdb_logical_type type);

  const DuckDbApi& api_;
  duckdb_type id_;
  std::string sql_name_;
  std::vector<std::unique_ptr<TypeReader>> children_;
  std::vector<std::string> child_names_;
  idx_t array_size_ = 0;
  uint8_t width_ = 0, scale_ = 0;               // DECIMAL
  duckdb_type internal_ = DUCKDB_TYPE_INVALID;  // of DECIMAL and ENUM
  std::vector<std::string> dictionary_;         // ENUM
};

}  // namespace ks::store
