#pragma once
// The table that comes out: one row per input row, in its order, never fewer.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inductor/metadata_table.h"
#include "profile/derive.h"
#include "profile/measurement.h"
#include "profile/row_kernels.h"

namespace ks::profile {

using Cell = std::variant<std::monostate, std::string, int64_t, double>;

enum class CellType { text, integer, real };

struct ResultColumn {
  std::string name;
  CellType type = CellType::text;  // of all cells that are not empty
  bool from_input = false;
  std::vector<Cell> cells;
};

struct ResultTable {
  std::vector<ResultColumn> columns;
  std::vector<std::string> notes;  // input columns that ours replace
  size_t rows() const { return columns.empty() ? 0 : columns.front().cells.size(); }
  const ResultColumn* find(std::string_view name) const;
};

// One row's result. `measurement` may serve several rows.
struct RowResult {
  const RowKernel* kernel = nullptr;
  const Measurement* measurement = nullptr;
  Derived derived;
};

// The input's columns as they came (text), then the four of the script, then ours
// (docs/profile.md). An input column with the name of one of ours, as in a table that was profiled
// before, makes way.
ResultTable make_result_table(const inductor::MetadataTable& input,
                              const std::vector<RowResult>& results);

// Cells of the input verbatim; reals with the shortest digits that read back; '\n' line ends.
std::string table_csv(const ResultTable& table);
// An array of objects, one a line. Text columns of the input that hold nothing but numbers are
// numbers.
std::string table_json(const ResultTable& table);

// Columns of the input whose cells are all numbers (or empty) become numbers, for typed outputs.
ResultTable with_types(ResultTable table);

}  // namespace ks::profile
