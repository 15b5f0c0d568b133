#pragma once
// Questions of ours with values bound to their parameters: what comes from a trace or a user never
// becomes part of the SQL text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "store/connection.h"

namespace ks::store {

using Parameter = std::variant<uint64_t, std::string>;

// A small result, held as text. Lists are JSON texts.
class Rows {
 public:
  explicit Rows(std::vector<std::vector<std::optional<std::string>>> rows)
      : rows_(std::move(rows)) {}

  size_t size() const { return rows_.size(); }
  bool is_null(size_t row, size_t column) const { return !rows_[row][column]; }
  std::string text(size_t row, size_t column) const;               // NULL: empty
  std::optional<int64_t> number(size_t row, size_t column) const;  // NULL or no number: none
  uint64_t count(size_t row, size_t column) const;                 // NULL: 0
  bool flag(size_t row, size_t column) const;                      // NULL: false
  std::vector<int64_t> numbers(size_t row, size_t column) const;   // of a list
 private:
  std::vector<std::vector<std::optional<std::string>>> rows_;
};

// One SELECT; `parameters` are ?, in order.
Result<Rows> select(Connection& connection, std::string_view sql,
                    const std::vector<Parameter>& parameters = {});

}  // namespace ks::store
