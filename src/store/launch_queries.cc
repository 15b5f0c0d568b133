// Launches, texts and the list of views: the other half of kernel_queries.h.
#include <map>

#include "store/kernel_queries.h"
#include "store/statement.h"

namespace ks::store {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The varying fields of each launch class of a kernel.
Result<std::map<int64_t, Fields>> class_fields(Connection& connection, uint64_t kernel) {
  const Result<Rows> rows = select(connection, R"(
SELECT l.class, p.name, v.json FROM
  (SELECT c.class, unnest(x.leaf_paths) AS path, unnest(x.leaf_values) AS value
   FROM (SELECT class, unnest(contents) AS content FROM _classes
         WHERE group_id IN (SELECT group_id FROM _groups WHERE kernel_id = ?1)) c
   JOIN _contents x USING (content)) l
JOIN _diff_fields d ON d.kernel_id = ?1 AND d.path = l.path AND d.varies
JOIN _paths p ON p.path = l.path AND NOT p.is_volatile AND NOT p.is_measured
JOIN _values v USING (value)
WHERE p.name <> 'grid' AND p.parts[1] <> 'stack'
ORDER BY l.class, d.rowid)",
                                   {kernel});
  if (!rows) return tl::make_unexpected(rows.error());
  std::map<int64_t, Fields> found;
  for (size_t i = 0; i < rows->size(); ++i) {
    found[*rows->number(i, 0)].emplace_back(rows->text(i, 1), rows->text(i, 2));
  }
  return found;
}

constexpr uint64_t kNoLimit = 1ull << 62;

}  // namespace

Result<LaunchList> kernel_launches(Connection& connection, uint64_t kernel, bool all_kinds,
                                   uint64_t limit) {
  const Result<std::map<int64_t, Fields>> fields = class_fields(connection, kernel);
  if (!fields) return tl::make_unexpected(fields.error());
  const Result<Rows> rows = select(connection, R"(
SELECT launch_id, kind, position, rank, grid, call_site_file || ':' || call_site_line,
  launch_class, count(*) OVER ()
FROM launches WHERE kernel_id = ?1 AND (?2 = 1 OR kind IN ('user', 'winner'))
ORDER BY launch_id LIMIT ?3)",
                                   {kernel, uint64_t{all_kinds}, limit ? limit : kNoLimit});
  if (!rows) return tl::make_unexpected(rows.error());
  LaunchList list;
  for (size_t i = 0; i < rows->size(); ++i) {
    LaunchItem& item = list.launches.emplace_back();
    item.id = rows->count(i, 0), item.kind = rows->text(i, 1);
    item.position = rows->number(i, 2), item.rank = rows->number(i, 3);
    item.grid = rows->text(i, 4), item.call_site = rows->text(i, 5);
    if (const auto found = fields->find(*rows->number(i, 6)); found != fields->end()) {
      item.varying = found->second;
    }
    list.total = rows->count(i, 7);
  }
  return list;
}

Result<StageText> stage_text(Connection& connection, const ArtifactRow& artifact) {
  StageText stage{artifact, {}, {}};
  const Result<Rows> text =
      select(connection, "SELECT text FROM _texts WHERE artifact_id = ?", {artifact.id});
  if (!text) return tl::make_unexpected(text.error());
  if (text->size() > 0) stage.text = text->text(0, 0);
  const Result<Rows> rows = select(connection, R"(
SELECT line, source_file, source_line, kernel_file, kernel_line, inferred
FROM source_map WHERE artifact_id = ? ORDER BY line, chain_id)",
                                   {artifact.id});
  if (!rows) return tl::make_unexpected(rows.error());
  for (size_t i = 0; i < rows->size(); ++i) {
    stage.map.push_back({rows->count(i, 0), rows->text(i, 1), rows->text(i, 3), rows->number(i, 2),
                         rows->number(i, 4), rows->flag(i, 5)});
  }
  return stage;
}

Result<KernelSource> kernel_source(Connection& connection, uint64_t kernel) {
  const Result<Rows> rows = select(connection, R"(
SELECT source_file, source_start_line, text FROM python_sources WHERE kernel_id = ?)",
                                   {kernel});
  if (!rows) return tl::make_unexpected(rows.error());
  if (rows->size() == 0) return KernelSource{};
  return KernelSource{rows->text(0, 0), rows->number(0, 1).value_or(1), rows->text(0, 2)};
}

Result<std::vector<KernelText>> kernel_texts(Connection& connection, const std::string& name) {
  const Result<Rows> rows = select(connection, R"(
SELECT k.kernel_id, k.metadata, p.text FROM kernels k LEFT JOIN python_sources p USING (kernel_id)
WHERE k.name = ? ORDER BY k.kernel_id)",
                                   {name});
  if (!rows) return tl::make_unexpected(rows.error());
  std::vector<KernelText> found;
  for (size_t i = 0; i < rows->size(); ++i) {
    found.push_back({rows->count(i, 0), name, rows->text(i, 1), rows->text(i, 2)});
  }
  return found;
}

Result<std::vector<ViewRow>> views(Connection& connection) {
  const Result<Rows> rows = select(connection, R"(
SELECT v.name, v.comment, c.column_name, c.data_type FROM
  (SELECT database_name AS file, view_name AS name, comment FROM duckdb_views() WHERE NOT internal
   UNION ALL SELECT database_name, table_name, comment FROM duckdb_tables() WHERE NOT internal) v
JOIN duckdb_columns() c ON c.database_name = v.file AND c.table_name = v.name AND NOT c.internal
WHERE NOT starts_with(v.name, '_') AND NOT starts_with(v.file, '_')
ORDER BY v.name, c.column_index)");
  if (!rows) return tl::make_unexpected(rows.error());
  std::vector<ViewRow> found;
  for (size_t i = 0; i < rows->size(); ++i) {
    if (found.empty() || found.back().name != rows->text(i, 0)) {
      found.push_back({rows->text(i, 0), rows->text(i, 1), {}});
    }
    found.back().columns.emplace_back(rows->text(i, 2), rows->text(i, 3));
  }
  return found;
}

}  // namespace ks::store
