#include <fmt/format.h>

#include "cli/command.h"
#include "inductor/metadata_table.h"
#include "profile/diff.h"
#include "profile/file_text.h"

namespace ks::cli {
namespace {

constexpr size_t kCsvLimit = 1ull << 30;

struct Options {
  std::string before, after;
  profile::NoiseGate noise;
  double noise_percent = 100 * profile::NoiseGate().share;
  size_t limit = 20;
  bool json = false, csv = false;
};

Result<inductor::MetadataTable> read(const std::string& path) {
  const Result<std::string> text = profile::read_text_file(path, kCsvLimit);
  if (!text) return tl::make_unexpected(text.error());
  auto table = inductor::read_metadata(*text);
  return table ? std::move(table) : with_context(table.error(), path);
}

Result<int> run(const Options& options, Context& context) {
  const auto before = read(options.before);
  if (!before) return tl::make_unexpected(before.error());
  const auto after = read(options.after);
  if (!after) return tl::make_unexpected(after.error());
  profile::NoiseGate noise = options.noise;
  noise.share = options.noise_percent / 100;
  const profile::TableDiff diff = diff_tables(*before, *after, noise);
  context.terminal.print(options.json ? diff_json(diff)
                         : options.csv
                             ? diff_csv(diff)
                             : diff_text(diff, options.limit, context.terminal.out_style().width));
  return diff.slower > 0 ? 1 : 0;
}

}  // namespace

void add_diff(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command<Options>(
      app, context, "diff", "Two tables of profile compared: what became slower or faster",
      "  kernelscope diff before.csv after.csv\n"
      "  kernelscope diff before.csv after.csv --noise 3 --csv\n"
      "Exit code 1: something became slower.",
      options, run);
  command->add_option("BEFORE", options->before, "CSV of profile, or of the older script")
      ->required();
  command->add_option("AFTER", options->after, "CSV of profile, or of the older script")
      ->required();
  command->add_option("--noise", options->noise_percent, "Per cent that count as the same")
      ->check(CLI::Range(0.0, 1000.0).description(""))
      ->capture_default_str();
  command->add_option("--noise-us", options->noise.least_us, "Microseconds that count as the same")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->capture_default_str();
  command->add_option("--limit", options->limit, "At most so many lines; 0: all")
      ->capture_default_str();
  auto* json = command->add_flag("--json", options->json, "All rows as JSON");
  command->add_flag("--csv", options->csv, "All rows as CSV")->excludes(json);
}

}  // namespace ks::cli
