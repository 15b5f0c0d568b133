#pragma once
// The rows of an answer, without a trace of DuckDB: what report/ turns into text, CSV or JSON.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ks::store {

enum class CellKind : uint8_t {
  null,
  boolean,
  integer,  // int64_t
  natural,  // uint64_t
  real,     // double
  text,     // UTF-8; also what has no type of its own here: dates, times, decimals, big integers
  blob,     // bytes
  json,     // lists, structs, maps and unions, as JSON text
};

// One value. Views are valid until the sink returns.
struct Cell {
  CellKind kind = CellKind::null;
  union {
    bool boolean;
    int64_t integer = 0;
    uint64_t natural;
    double real;
  };
  std::string_view bytes;  // text, blob, json
};

struct Column {
  std::string name;      // names may repeat
  std::string type;      // as SQL writes it: UINTEGER, VARCHAR[], DECIMAL(18,3)
  bool numeric = false;  // for alignment; also decimals and big integers, whose cells are text
};

// Receives an answer. columns() is called once, before any row, also when there are none.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void columns(std::span<const Column> columns) = 0;
  virtual bool row(std::span<const Cell> cells) = 0;  // false: no more rows are wanted
};

}  // namespace ks::store
