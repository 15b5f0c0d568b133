#pragma once
// counters.duckdb, which `profile --into RUN` puts beside run.duckdb, and the views that join it
// with the trace. The views are temporary: the run file itself is never written.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/connection.h"

namespace ks::store {

inline constexpr const char* kCountersFileName = "counters.duckdb";
inline constexpr const char* kCountersTable = "counters";
inline constexpr const char* kCountersCatalog = "_counters";  // the attached file's name in SQL

// The counters that belong to a run file; none for a file that is not in a run's folder.
std::optional<std::string> find_counters(const std::string& run_file);

// The statements that make the views `counters` and `kernel_counters` on a connection where the
// file is attached. The table holds a user's columns beside ours, and any of ours may be missing.
Result<std::string> counters_views_sql(Connection& connection);

struct CountersJoin {
  uint64_t measured = 0, joined = 0;  // rows of the two views
};
Result<CountersJoin> count_joined(const std::string& run_file);

}  // namespace ks::store
