#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/parse_job.h"

namespace ks::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  ParseJob job;
  bool strict = false, timings = false, quiet = false, all_ranks = false, verbose = false;
  bool no_pre_init_attribution = false;
};

// The input's name without what all traces have at the end: "run1.ndjson.gz" is "run1".
std::string name_of(const std::string& input) {
  if (input == "-") return "stdin";
  std::error_code error;
  fs::path path = fs::weakly_canonical(input, error);
  if (is_glob(input)) path = path.parent_path();
  std::string name = path.filename().string();
  for (const std::string_view end : {".gz", ".zst", ".bin", ".ndjson", ".jsonl", ".json", ".log"}) {
    if (name.ends_with(end) && name.size() > end.size()) name.resize(name.size() - end.size());
  }
  return name.empty() ? "trace" : name;
}

Result<int> run(const Options& options, Context& context) {
  ParseJob job = options.job;
  const bool named = !job.folder.empty();
  if (!named) job.folder = "./" + name_of(job.inputs.front()) + ".kscope";
  if (job.folder.size() > 1 && job.folder.ends_with('/')) job.folder.pop_back();
  job.pre_init_attribution = !options.no_pre_init_attribution;
  job.ndjson |= job.compat;
  Terminal& terminal = context.terminal;
  const Result<ParseDone> done = run_parse(job, terminal);
  if (!done) return tl::make_unexpected(done.error());

  // tlparse reads this line.
  if (!done->file_list.empty()) {
    terminal.print(fmt::format("tritonparse log file list: {}\n", done->file_list));
  }
  const bool lossless = done->run.diagnostics.lossless();
  const report::Style style = terminal.err_style();
  if (!options.quiet) {
    terminal.say(report::run_summary(done->run, style));
    terminal.say(report::diagnostics_text(done->run.diagnostics, style));
  }
  if (options.timings) terminal.say(report::timings_text(done->timing));
  if (!options.quiet) {
    terminal.say(fmt::format("Wrote {0}. Next: kernelscope ls {0}\n", job.folder));
  }
  if (lossless || !options.strict) return 0;
  terminal.say_error("--strict: not everything could be read, see above");
  return 2;
}

void add_inputs(CLI::App& command, ParseJob& job) {
  command.add_option("IN", job.inputs, "Files, folders, globs or - ; compressed or not")
      ->required();
  command.add_option("-o,--out", job.folder, "Folder to write; default ./NAME.kscope");
  command.add_flag("--overwrite", job.overwrite, "Replace our files in a folder that exists");
  command.add_option("-r,--rank", job.rank, "Only the traces of this rank, or none: those without")
      ->check([](const std::string& text) {
        const bool number = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
        return number || text == "none" ? "" : "a rank is a number or none";
      });
  command
      .add_option("--torch-trace-dir", job.read.torch_traces,
                  "Torch trace logs (frame ids), besides those beside the traces")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_limits(CLI::App& command, run::ReadOptions& read) {
  const std::string group = "Limits";
  command.add_option("--max-line", read.limits.max_line, "Bytes of a line")
      ->transform(CLI::AsSizeValue(true))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-member", read.limits.max_member,
                  "Decoded bytes of a gzip member or zstd frame")
      ->transform(CLI::AsSizeValue(true))
      ->capture_default_str()
      ->group(group);
  command.add_option("--max-depth", read.limits.max_depth, "Nesting of JSON, at most 2000")
      ->check(CLI::Range(1, 2000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--max-expansion", read.limits.max_expansion,
                  "Decoded bytes for each byte of a file")
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void add_parse(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  options->job.read.threads = default_threads();
  CLI::App* command = add_command<Options>(
      app, context, "parse", "Read raw traces into one run file",
      "  kernelscope parse ./logs -o my.kscope          all ranks and processes of a folder\n"
      "  kernelscope parse trace.ndjson.gz              into ./trace.kscope\n"
      "  zcat *.gz | kernelscope parse - -o my.kscope\n"
      "  kernelscope parse ./logs -o my.kscope --rank 0 --strict",
      options, run);
  add_inputs(*command, options->job);
  command->add_option("--threads", options->job.read.threads, "Worker threads")
      ->check(CLI::Range(1, 256));
  command->add_flag("--no-pre-init-attribution", options->no_pre_init_attribution,
                    "Leave traces without a rank where their process has one elsewhere");
  command->add_flag("--ndjson", options->job.ndjson,
                    "Also write the reference's files into the folder");
  command->add_flag("--compat", options->job.compat,
                    "The same, equal to tritonparse, defects and all");
  command->add_flag("--strict", options->strict, "Exit 2 if anything was lost");
  command->add_flag("--timings", options->timings, "Say where the time went");
  command->add_flag("-q,--quiet", options->quiet, "No summary");
  command->add_flag("--all-ranks", options->all_ranks, "The default; taken for tritonparse's sake")
      ->excludes("--rank");
  command->add_flag("-v,--verbose", options->verbose, "Taken for tritonparse's sake");
  add_limits(*command, options->job.read);
}

}  // namespace ks::cli
