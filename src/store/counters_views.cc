#include "store/counters_views.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "store/query.h"
#include "store/run_file.h"
#include "store/statement.h"

namespace ks::store {
namespace {

namespace fs = std::filesystem;

// Rows of one kernel (equal source, or equal file and name) have one measurement. {}: columns of
// the table that we need, by our names.
constexpr const char* kMeasured = R"sql(
WITH all_rows AS (SELECT row_number() OVER () AS _row, * FROM _counters.main.counters),
keys AS (SELECT row_number() OVER () AS _row, {} FROM _counters.main.counters),
measured AS (
  SELECT *, count(*) OVER (PARTITION BY name) = 1 AS only_of_name
  FROM (SELECT *, split_part(regexp_extract(path, '[^/]*$'), '.', 1) AS stem FROM keys
    WHERE status IS DISTINCT FROM 'not_run'
    QUALIFY row_number() OVER (
      PARTITION BY coalesce(nullif(source_hash, ''), nullif(concat_ws(' ', stem, name), ''), _row::VARCHAR)
      ORDER BY status = 'ok' DESC NULLS LAST, _row) = 1))
)sql";

constexpr const char* kCounters =
    "SELECT r.* EXCLUDE (_row) FROM all_rows r JOIN measured m ON m._row = r._row";

// Inductor names a kernel file by the hash of its code, so equal stems are equal code. A name alone
// counts only where it means one kernel on both sides.
constexpr const char* kPairs = R"sql(,
traced AS (
  SELECT k.*, split_part(regexp_extract(source_file, '[^/]*$'), '.', 1) AS stem,
    coalesce(min(source_file) OVER (PARTITION BY name) = max(source_file) OVER (PARTITION BY name), true) AS one_source
  FROM kernels k),
by_file AS (
  SELECT m._row, k.kernel_id FROM measured m JOIN traced k ON k.stem = m.stem
  WHERE m.stem <> '' AND (k.name = m.name OR regexp_full_match(m.stem, 'c[a-z2-7]{51}'))),
pairs AS (
  SELECT _row, kernel_id, 'source file' AS joined_by FROM by_file
  UNION ALL
  SELECT m._row, k.kernel_id, 'name' FROM measured m JOIN traced k ON k.name = m.name
  WHERE m.only_of_name AND k.one_source AND NOT EXISTS (SELECT 1 FROM by_file f WHERE f._row = m._row))
)sql";

// Whether a variant is what was measured. The config is "XBLOCK: 1024, num_warps: 4"; a trace has
// its constants by position of the parameter, {"(3,)":1024}, and their names in the Python text.
// Without a config (logs) the threads of the block tell the warps. NULL: nothing known to compare.
// Shared memory: texts of ncu are rounded to two decimals of a Kbyte.
constexpr const char* kFit = R"sql(,
constants AS (
  SELECT s.kernel_id,
    [trim(split_part(x, ':', 1)) FOR x IN string_split(regexp_extract(s.text, '(?:^|\n)def\s+\w+\s*\(([^)]*)\)', 1), ',')] AS parameters,
    ',' || nullif(regexp_extract(regexp_replace(o.metadata, '\s+', '', 'g'), '"src_constants":\{([^}]*)\}', 1), '') || ',' AS given
  FROM python_sources s JOIN kernels o USING (kernel_id)),
grids AS (
  SELECT u.kernel_id, list(DISTINCT l.grid) AS grids FROM _classes l JOIN _groups u USING (group_id) GROUP BY u.kernel_id),
fit AS (
  SELECT p._row, p.kernel_id, p.joined_by, m.config <> '' AS has_config, k.user_launches > 0 AS launched,
    CASE WHEN m.config <> '' THEN list_bool_and([
        CASE trim(split_part(x, ':', 1))
          WHEN 'num_warps' THEN trim(split_part(x, ':', 2)) = k.num_warps::VARCHAR
          WHEN 'num_stages' THEN trim(split_part(x, ':', 2)) = k.num_stages::VARCHAR
          ELSE contains(c.given, ',"(' || (nullif(list_position(c.parameters, trim(split_part(x, ':', 1))), 0) - 1)
            || ',)":' || lower(trim(split_part(x, ':', 2))) || ',')
        END FOR x IN string_split(m.config, ',')])
      ELSE list_product(m.block) = k.num_warps * coalesce(k.warp_size, 32) END AS config_fits,
    coalesce(list_contains(g.grids, m.grid)::INTEGER, 0)
      + coalesce((abs(m.shared - k.shared_bytes) <= k.shared_bytes * 0.01)::INTEGER, 0) AS likeness
  FROM pairs p JOIN measured m ON m._row = p._row JOIN traced k ON k.kernel_id = p.kernel_id
  LEFT JOIN constants c ON c.kernel_id = p.kernel_id LEFT JOIN grids g ON g.kernel_id = p.kernel_id),
best AS (
  SELECT _row, kernel_id, joined_by, config_fits,
    CASE WHEN count(*) OVER (PARTITION BY _row) = 1 THEN 'only one'
         WHEN config_fits AND has_config THEN 'config'
         WHEN config_fits IS NOT FALSE AND count(*) OVER (PARTITION BY _row, config_fits, likeness) = 1 THEN 'launch'
         WHEN launched THEN 'launched' ELSE 'first' END AS variant_by
  FROM fit
  QUALIFY row_number() OVER (PARTITION BY _row
    ORDER BY config_fits DESC NULLS LAST, likeness DESC, launched DESC, kernel_id) = 1)
)sql";

// {}: what to leave out of the table's columns, because the view has a column of that name.
constexpr const char* kJoined = R"sql(
SELECT k.kernel_id, k.name, k.variant, k.hash, k.user_launches, b.joined_by, b.variant_by, b.config_fits,
  r.* EXCLUDE ({})
FROM best b JOIN kernels k ON k.kernel_id = b.kernel_id JOIN all_rows r ON r._row = b._row
)sql";

constexpr const char* kComments = R"sql(
COMMENT ON VIEW counters IS 'Measured kernels, one row each, with the columns of the profile table; status says what went wrong';
COMMENT ON VIEW kernel_counters IS 'Measured kernels that the trace has, one row each, with the variant that was measured. joined_by: source file or name; variant_by: how the variant was chosen; config_fits: whether it has the measured config, NULL where that is not known';
)sql";

constexpr const char* kOwnColumns[] = {"kernel_id", "name",       "variant",     "hash",
                                       "joined_by", "variant_by", "config_fits", "user_launches"};

Result<std::set<std::string>> column_names(Connection& connection) {
  // A table, no view: nothing of the file's own is run by these statements.
  const Result<TextRows> rows = connection.query_text(R"sql(
SELECT lower(column_name)
FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
WHERE database_name = '_counters' AND schema_name = 'main' AND table_name = 'counters')sql");
  if (!rows) return tl::make_unexpected(rows.error());
  std::set<std::string> names;
  for (const std::vector<std::string>& row : *rows) names.insert(row[0]);
  if (names.empty()) return fail(ErrorKind::input, "it has no table counters");
  return names;
}

}  // namespace

std::optional<std::string> find_counters(const std::string& run_file) {
  const fs::path path(run_file);
  const fs::path counters = path.parent_path() / kCountersFileName;
  std::error_code error;
  if (path.filename() != kRunFileName || !fs::is_regular_file(counters, error)) return std::nullopt;
  return counters.string();
}

Result<std::string> counters_views_sql(Connection& connection) {
  const auto there = column_names(connection);
  if (!there) return tl::make_unexpected(there.error());
  const auto text = [&](const char* column, const char* as) {
    return there->contains(column) ? fmt::format("{}::VARCHAR AS {}", column, as)
                                   : fmt::format("NULL::VARCHAR AS {}", as);
  };
  // "256x1x1", "(256, 1, 1)" or "[256,1,1]"
  const auto size = [&](const char* column) {
    return there->contains(column)
               ? fmt::format(
                     "TRY_CAST(regexp_extract_all({0}::VARCHAR, '[0-9]+') AS BIGINT[]) AS {0}",
                     column)
               : fmt::format("NULL::BIGINT[] AS {}", column);
  };
  const std::string shared = there->contains("dynamic_shared_bytes")
                                 ? "TRY_CAST(dynamic_shared_bytes AS DOUBLE) AS shared"
                                 : "NULL::DOUBLE AS shared";
  const std::string keys = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}, {}", text("kernel_name", "name"), text("kernel_path", "path"),
      text("status", "status"), text("source_hash", "source_hash"), text("config", "config"),
      size("grid"), size("block"), shared);
  std::string hidden = "_row";
  for (const char* column : kOwnColumns) {
    if (there->contains(column)) hidden += fmt::format(", {}", column);
  }
  const std::string measured = fmt::format(kMeasured, keys);
  return "CREATE TEMP VIEW counters AS " + measured + kCounters +
         "; CREATE TEMP VIEW kernel_counters AS " + measured + kPairs + kFit +
         fmt::format(kJoined, hidden) + ";" + kComments;
}

Result<CountersJoin> count_joined(const std::string& run_file) {
  Result<Database> database = open_run(run_file, {});
  if (!database) return tl::make_unexpected(database.error());
  Result<Connection> connection = database->connect();
  if (!connection) return tl::make_unexpected(connection.error());
  const Result<Rows> rows = select(*connection,
                                   "SELECT (SELECT count(*) FROM counters), "
                                   "(SELECT count(*) FROM kernel_counters)");
  if (!rows) return tl::make_unexpected(rows.error());
  return CountersJoin{rows->count(0, 0), rows->count(0, 1)};
}

}  // namespace ks::store
