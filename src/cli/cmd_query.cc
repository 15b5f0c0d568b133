#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "base/text.h"
#include "cli/checks.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "report/rows_out.h"
#include "report/views_text.h"
#include "report/words.h"
#include "store/query.h"

namespace ks::cli {
namespace {

struct Options {
  std::string run, sql, file;
  bool json = false, csv = false, table = false;
  uint64_t limit = 0;  // 0: as many as the format bears
  double timeout_s = 30;
  uint64_t memory_mb = 1024;
};

constexpr uint64_t kTableRows = 1000;  // a table is held in memory, and read by a person

Result<std::string> read_all(const std::string& path) {
  std::ifstream file(path == "-" ? "/dev/stdin" : path, std::ios::binary);
  if (!file) return fail(ErrorKind::input, path + ": cannot be read");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::string> sql_of(const Options& options) {
  if (!options.file.empty()) return read_all(options.file);
  if (options.sql == "-") return read_all("-");
  return options.sql;
}

report::RowFormat format_of(const Options& options, const Terminal& terminal) {
  if (options.json) return report::RowFormat::json;
  if (options.table) return report::RowFormat::table;
  if (options.csv || !terminal.out_is_terminal()) return report::RowFormat::csv;
  return report::RowFormat::table;
}

store::QueryLimits limits_of(const Options& options, report::RowFormat format) {
  store::QueryLimits limits;
  limits.time = std::chrono::milliseconds(static_cast<int64_t>(options.timeout_s * 1000));
  limits.read.memory_limit_bytes = options.memory_mb << 20;
  limits.address_space_bytes = (options.memory_mb << 20) * 4;
  if (options.limit > 0) {
    limits.rows = options.limit;
  } else if (format == report::RowFormat::table) {
    limits.rows = kTableRows;
  }
  return limits;
}

Result<int> show_views(const Options& options, Context& context) {
  Result<OpenRun> open = open_run(options.run, context);
  if (!open) return tl::make_unexpected(open.error());
  const auto views = store::views(open->connection);
  if (!views) return tl::make_unexpected(views.error());
  context.terminal.print(
      options.json ? report::views_json(*views)
                   : report::views_text(*views, options.run, context.terminal.out_style()));
  return 0;
}

Result<int> run(const Options& options, Context& context) {
  const Result<std::string> sql = sql_of(options);
  if (!sql) return tl::make_unexpected(sql.error());
  if (trim(*sql).empty()) return show_views(options, context);
  const Result<std::string> path = find_run_file(options.run, context);
  if (!path) return tl::make_unexpected(path.error());
  Terminal& terminal = context.terminal;
  const report::RowFormat format = format_of(options, terminal);
  report::AnswerPrinter printer(
      format, [&](std::string_view text) { return terminal.print(text); }, terminal.out_style());
  const store::QueryLimits limits = limits_of(options, format);
  const auto outcome = store::run_query(
      *path, *sql, limits, [&](size_t index, size_t count) { return printer.next(index, count); });
  if (!outcome) return tl::make_unexpected(outcome.error());
  printer.end();
  if (!outcome->note.empty()) terminal.say(outcome->note + '\n');
  if (outcome->truncated) {
    terminal.say(fmt::format("only the first {}: --limit N gives more\n",
                             report::plural(limits.rows, "row")));
  }
  return 0;
}

}  // namespace

void add_query(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command<Options>(
      app, context, "query", "Run SQL on a run; without SQL, say what can be asked",
      "  kernelscope query my.kscope\n"
      "  kernelscope query my.kscope \"SELECT name, registers FROM kernels ORDER BY 2 DESC\"\n"
      "  kernelscope query my.kscope -f report.sql --csv > report.csv\n"
      "  echo 'SELECT count(*) FROM launches' | kernelscope query my.kscope -",
      options, run);
  command->add_option("RUN", options->run, "Folder made by parse, or a raw trace")->required();
  auto* sql = command->add_option(
      "SQL", options->sql, "SQL, or - for standard input; several statements: an answer each");
  command->add_option("-f,--file", options->file, "File with the SQL, or -")->excludes(sql);
  auto* json = command->add_flag(
      "--json", options->json, "JSON, an object per row; several statements: a list of such lists");
  auto* csv =
      command->add_flag("--csv", options->csv, "CSV; the default where stdout is no terminal")
          ->excludes(json);
  command->add_flag("--table", options->table, "A table; the default on a terminal")
      ->excludes(json)
      ->excludes(csv);
  command
      ->add_option("--limit", options->limit,
                   "At most so many rows of each answer; 0: 1,000 in a table, else 1,000,000")
      ->check(whole_number(0))
      ->type_name("N");
  command->add_option("--timeout", options->timeout_s, "Seconds")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  command->add_option("--memory", options->memory_mb, "MB")
      ->check(CLI::Range(16, 1 << 20))
      ->capture_default_str();
}

}  // namespace ks::cli
