#include <fmt/format.h>

#include <map>

#include "base/csv.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/measurement_cache.h"
#include "report/table.h"

namespace ks::cli {
namespace {

using profile::Cache;

struct CacheOptions {
  bool json = false, csv = false;
  std::string older_than = "90d";
};

std::string age_text(int64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", std::max<int64_t>(seconds, 0));
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

// "90d", "12h", "30min", "45s"; a bare number is days.
Result<int64_t> read_age(const std::string& text) {
  static const std::map<std::string, int64_t> kUnits = {
      {"", 86400}, {"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto unit = kUnits.find(text.substr(digits));
  if (digits == 0 || digits > 9 || unit == kUnits.end()) {
    return fail(
        ErrorKind::input,
        fmt::format("--older-than {}: expected a number of days, or such as 90d, 12h, 30min",
                    text));
  }
  return std::stoll(text.substr(0, digits)) * unit->second;
}

std::vector<std::string> columns() {
  return {"kernel", "status", "source", "device", "duration_us", "age", "source_hash", "file"};
}

std::vector<std::string> row_of(const Cache::Entry& entry, bool exact) {
  const auto ns = entry.measurement.metric("gpu__time_duration.sum");
  return {entry.key.kernel,
          std::string(status_name(entry.measurement.status)),
          entry.key.source,
          entry.key.device,
          ns ? fmt::format("{:.2f}", *ns / 1e3) : "",
          exact ? std::to_string(entry.age_s) : age_text(entry.age_s),
          exact ? entry.key.source_hash : entry.key.source_hash.substr(0, 10),
          entry.file};
}

std::string list_json(const std::vector<Cache::Entry>& entries) {
  std::string out = "[";
  for (const Cache::Entry& entry : entries) {
    out += out.size() > 1 ? ",\n" : "\n";
    JsonWriter json(out);
    json.begin_object();
    const auto names = columns();
    const auto cells = row_of(entry, true);
    for (size_t c = 0; c < names.size(); ++c) json.field(names[c], cells[c]);
    json.field("bytes", entry.bytes).end_object();
  }
  return out + "\n]\n";
}

std::string list_csv(const std::vector<Cache::Entry>& entries) {
  std::string out;
  append_csv_row(out, columns());
  for (const Cache::Entry& entry : entries) append_csv_row(out, row_of(entry, true));
  return out;
}

std::string list_table(const std::vector<Cache::Entry>& entries, const report::Style& style) {
  using report::Align;
  report::Table table;
  table.columns = {{"kernel", Align::left, 0, 24}, {"status"},           {"source"},
                   {"device", Align::left, 2, 12}, {"us", Align::right}, {"age", Align::right},
                   {"source hash", Align::left, 3}};
  for (const Cache::Entry& entry : entries) {
    std::vector<std::string> row = row_of(entry, false);
    row.pop_back();
    table.add(std::move(row));
  }
  return render(table, style);
}

void say_damaged(const Cache& cache, Terminal& terminal) {
  if (cache.damaged() == 0) return;
  terminal.say(fmt::format("{} damaged entries; they are measured anew when they are needed\n",
                           human_count(cache.damaged())));
}

Result<int> run_ls(const CacheOptions& options, Context& context) {
  const auto cache = open_measurements(context);
  if (!cache) return tl::make_unexpected(cache.error());
  const auto entries = cache->list();
  if (!entries) return tl::make_unexpected(entries.error());
  context.terminal.print(options.json  ? list_json(*entries)
                         : options.csv ? list_csv(*entries)
                                       : list_table(*entries, context.terminal.out_style()));
  say_damaged(*cache, context.terminal);
  return 0;
}

Result<int> run_stats(const CacheOptions& options, Context& context) {
  const auto cache = open_measurements(context);
  if (!cache) return tl::make_unexpected(cache.error());
  const auto entries = cache->list();
  if (!entries) return tl::make_unexpected(entries.error());
  std::map<std::string, uint64_t> by_status, by_device;
  uint64_t bytes = 0;
  for (const Cache::Entry& entry : *entries) {
    ++by_status[std::string(status_name(entry.measurement.status))];
    ++by_device[entry.key.device];
    bytes += entry.bytes;
  }
  std::string out;
  if (options.json) {
    JsonWriter json(out);
    json.begin_object().field("folder", cache->folder()).field("entries", entries->size());
    json.field("bytes", bytes).field("damaged", cache->damaged());
    json.key("status").begin_object();
    for (const auto& [name, n] : by_status) json.field(name, n);
    json.end_object().key("device").begin_object();
    for (const auto& [name, n] : by_device) json.field(name, n);
    json.end_object().end_object();
    out += '\n';
  } else {
    out = fmt::format("{}\n{} entries, {}, {} damaged\n", cache->folder(),
                      human_count(entries->size()), human_bytes(bytes),
                      human_count(cache->damaged()));
    for (const auto& [name, n] : by_status)
      out += fmt::format("  {:>9}  {}\n", human_count(n), name);
    for (const auto& [name, n] : by_device) {
      out += fmt::format("  {:>9}  on {}\n", human_count(n),
                         name.empty() ? "an unknown device" : name);
    }
  }
  context.terminal.print(out);
  return 0;
}

Result<int> run_gc(const CacheOptions& options, Context& context) {
  const Result<int64_t> age = read_age(options.older_than);
  if (!age) return tl::make_unexpected(age.error());
  const auto cache = open_measurements(context);
  if (!cache) return tl::make_unexpected(cache.error());
  const auto freed = cache->collect(*age);
  if (!freed) return tl::make_unexpected(freed.error());
  context.terminal.say(fmt::format("{} freed\n", human_bytes(*freed)));
  return 0;
}

}  // namespace

void add_cache(CLI::App& app, Context& context) {
  CLI::App* cache = app.add_subcommand("cache", "The measurements that are kept between runs")
                        ->fallthrough()
                        ->require_subcommand(1);
  auto options = std::make_shared<CacheOptions>();
  CLI::App* ls = add_command<CacheOptions>(*cache, context, "ls", "One line for each measurement",
                                           "  kernelscope cache ls --csv", options, run_ls);
  auto* json = ls->add_flag("--json", options->json, "All of it as JSON");
  ls->add_flag("--csv", options->csv, "All of it as CSV")->excludes(json);
  CLI::App* stats =
      add_command<CacheOptions>(*cache, context, "stats", "How many, of what, how large",
                                "  kernelscope cache stats", options, run_stats);
  stats->add_flag("--json", options->json, "As JSON");
  CLI::App* gc = add_command<CacheOptions>(
      *cache, context, "gc", "Remove what is old, and what killed processes left behind",
      "  kernelscope cache gc --older-than 30d", options, run_gc);
  gc->add_option("--older-than", options->older_than, "Age: 90d, 12h, 30min; default 90d");
}

}  // namespace ks::cli
