#pragma once
// A plain table as a file of its own: Parquet, or a database with one table. Written aside and
// renamed: what stood under the name before is replaced when the new file is whole.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ks::store {

using PlainCell = std::variant<std::monostate, std::string, int64_t, double>;

struct PlainColumn {
  enum class Type : uint8_t { text, integer, real };
  std::string name;  // one that comes again, whatever its case, gets _2
  Type type = Type::text;
  std::vector<PlainCell> cells;  // of this type, or monostate: NULL; all columns equally many
};

Result<> write_parquet(const std::string& path, const std::vector<PlainColumn>& columns);
// `table`: a plain name of ours.
Result<> write_database(const std::string& path, std::string_view table,
                        const std::vector<PlainColumn>& columns);

}  // namespace ks::store
