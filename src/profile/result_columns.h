#pragma once
// The columns that we add, in order. Formulas and units: docs/profile.md.

#include <string_view>
#include <vector>

#include "profile/result_table.h"

namespace ks::profile {

struct ResultColumnSpec {
  std::string_view name;
  CellType type;
  Cell (*value)(const RowResult& row);
};

const std::vector<ResultColumnSpec>& result_columns();

}  // namespace ks::profile
