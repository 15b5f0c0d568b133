#include "cli/profile_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "profile/file_text.h"
#include "store/counters_views.h"
#include "store/run_file.h"
#include "store/table_file.h"

namespace ks::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEndings[] = {".csv", ".json", ".parquet", ".duckdb"};

std::vector<store::PlainColumn> plain_columns(const profile::ResultTable& table) {
  std::vector<store::PlainColumn> columns;
  for (profile::ResultColumn& column : profile::with_types(table).columns) {
    const auto type = column.type == profile::CellType::text ? store::PlainColumn::Type::text
                      : column.type == profile::CellType::integer
                          ? store::PlainColumn::Type::integer
                          : store::PlainColumn::Type::real;
    columns.push_back({std::move(column.name), type, std::move(column.cells)});
  }
  return columns;
}

Result<> write_one(const std::string& path, const profile::ResultTable& table) {
  if (path.ends_with(".csv")) return profile::write_text_file(path, profile::table_csv(table));
  if (path.ends_with(".json")) return profile::write_text_file(path, profile::table_json(table));
  if (path.ends_with(".parquet")) return store::write_parquet(path, plain_columns(table));
  return store::write_database(path, store::kCountersTable, plain_columns(table));
}

// Also says how much of it the trace knows: a run of something else would go unnoticed.
Result<> write_into(const std::string& run, const profile::ResultTable& table, Terminal& terminal) {
  const std::string path = run + "/" + store::kCountersFileName;
  Result<> written = store::write_database(path, store::kCountersTable, plain_columns(table));
  if (!written) return written;
  const auto join = store::count_joined(run + "/" + store::kRunFileName);
  terminal.say(join ? fmt::format("Wrote {}; the trace has {} of {} kernels\n", path, join->joined,
                                  join->measured)
                    : fmt::format("Wrote {}; {}\n", path, join.error().message));
  return {};
}

Result<> check_one(const std::string& path, bool overwrite) {
  const bool known = std::any_of(std::begin(kEndings), std::end(kEndings),
                                 [&](std::string_view ending) { return path.ends_with(ending); });
  if (!known) {
    return fail(ErrorKind::input,
                fmt::format("-o {}: the ending decides what is written: .csv, .json, .parquet or "
                            ".duckdb",
                            path));
  }
  std::error_code error;
  if (!overwrite && fs::exists(path, error)) {
    return fail(ErrorKind::input, fmt::format("{} exists; --overwrite replaces it", path));
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    return fail(ErrorKind::input, fmt::format("-o {}: no such folder", path));
  }
  return {};
}

}  // namespace

Result<> check_outputs(const ProfileOptions& options) {
  for (const std::string& path : options.outputs) {
    if (Result<> checked = check_one(path, options.overwrite); !checked) return checked;
  }
  std::error_code error;
  if (!options.into.empty() &&
      !fs::is_regular_file(options.into + "/" + store::kRunFileName, error)) {
    return fail(ErrorKind::input,
                fmt::format("--into {}: no folder made by kernelscope parse", options.into));
  }
  return {};
}

Result<> write_outputs(const ProfileOptions& options, const profile::ResultTable& table,
                       Terminal& terminal) {
  for (const std::string& path : options.outputs) {
    if (Result<> written = write_one(path, table); !written) return written;
    terminal.say(fmt::format("Wrote {}\n", path));
  }
  if (!options.into.empty()) {
    if (Result<> written = write_into(options.into, table, terminal); !written) return written;
  }
  const bool elsewhere = !options.outputs.empty() || !options.into.empty();
  if (options.json) {
    terminal.print(profile::table_json(table));
  } else if (!elsewhere && !terminal.out_is_terminal()) {
    terminal.print(profile::table_csv(table));
  }
  return {};
}

}  // namespace ks::cli
