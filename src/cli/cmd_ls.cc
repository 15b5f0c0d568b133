#include "cli/checks.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "report/kernel_table.h"

namespace ks::cli {
namespace {

struct Options {
  std::string run;
  report::KernelChoice choice;
  bool json = false, csv = false;
};

Result<int> run(const Options& options, Context& context) {
  const Result<OpenRun> open = open_run(options.run, context);
  if (!open) return tl::make_unexpected(open.error());
  const auto list = report::choose_kernels(open->kernels, options.choice);
  if (!list) return tl::make_unexpected(list.error());
  context.terminal.print(options.json  ? report::kernel_json(*list)
                         : options.csv ? report::kernel_csv(*list)
                                       : report::kernel_table(*list, context.terminal.out_style()));
  return 0;
}

}  // namespace

void add_ls(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command<Options>(app, context, "ls", "The kernels of a run",
                           "  kernelscope ls my.kscope\n"
                           "  kernelscope ls my.kscope --sort compile-time --limit 10\n"
                           "  kernelscope ls my.kscope --filter 'triton_per_*' --all --csv",
                           options, run);
  std::set<std::string> keys;
  std::string help = "Sort by:";
  for (const auto& [key, meaning] : report::kernel_sort_keys()) {
    help += (keys.empty() ? " " : ", ") + key;
    keys.insert(key);
  }
  command->add_option("RUN", options->run, "Folder made by parse, or a raw trace")->required();
  command->add_option("--sort", options->choice.sort, help)
      ->check(CLI::IsMember(keys))
      ->type_name("KEY");
  command->add_option("--filter", options->choice.filter, "Only names that fit the glob")
      ->type_name("GLOB");
  command->add_option("--limit", options->choice.limit, "At most so many; 0: all")
      ->check(whole_number(0))
      ->type_name("N");
  command->add_flag("--all", options->choice.all, "Also autotune candidates that were not chosen");
  auto* json = command->add_flag("--json", options->json, "All columns as JSON");
  command->add_flag("--csv", options->csv, "All columns as CSV")->excludes(json);
}

}  // namespace ks::cli
