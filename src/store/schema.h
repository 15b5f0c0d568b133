#pragma once
// The tables and views of a run file: schema.sql, which is built in.

#include <cstdint>
#include <string_view>

namespace ks::store {

// Raised by every change after which an older reader could go wrong; readers refuse other versions.
inline constexpr uint32_t kSchemaVersion = 1;

std::string_view schema_sql();

}  // namespace ks::store
