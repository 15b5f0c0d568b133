#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/checks.h"
#include "cli/choose_kernel.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "report/constants.h"
#include "report/diff_text.h"
#include "report/kernel_page.h"
#include "report/stage_listing.h"
#include "report/words.h"

namespace ks::cli {
namespace {

using store::KernelRow;

constexpr uint64_t kPanelLines = 24;
constexpr uint64_t kLaunches = 100;

struct Options {
  std::string run, kernel;
  std::vector<std::string> stages;
  std::string lines;
  std::optional<uint64_t> limit;
  bool launches = false, diff = false, json = false, raw = false, all = false;
};

// An answer in text or JSON; what the pages below have in common.
struct Page {
  const Options& options;
  OpenRun& open;
  const KernelRow& kernel;
  report::Style style;
};

Result<std::string> diff_page(const Page& page) {
  const auto diff = store::kernel_diff(page.open.connection, page.kernel.id);
  if (!diff) return tl::make_unexpected(diff.error());
  return page.options.json ? report::diff_json(page.kernel, *diff)
                           : report::diff_text(page.kernel, *diff, page.style, page.options.all);
}

Result<std::string> launches_page(const Page& page) {
  const uint64_t limit = page.options.limit.value_or(page.options.json ? 0 : kLaunches);
  const auto list =
      store::kernel_launches(page.open.connection, page.kernel.id, page.options.all, limit);
  if (!list) return tl::make_unexpected(list.error());
  return page.options.json ? report::launches_json(*list)
                           : report::launches_text(*list, page.style);
}

Result<std::string> whole_page(const Page& page) {
  const auto details = store::kernel_details(page.open.connection, page.kernel.id);
  if (!details) return tl::make_unexpected(details.error());
  const auto diff = store::kernel_diff(page.open.connection, page.kernel.id);
  if (!diff) return tl::make_unexpected(diff.error());
  const auto texts = store::kernel_texts(page.open.connection, page.kernel.name);
  if (!texts) return tl::make_unexpected(texts.error());
  const report::KernelConstants constants = report::constants_of(*texts);
  return page.options.json ? report::kernel_page_json(page.kernel, *details, *diff, constants)
                           : report::kernel_page(page.kernel, *details, *diff, page.open.kernels,
                                                 constants, page.style, page.options.all);
}

tl::unexpected<Error> no_such_stage(const Page& page, const std::string& stage,
                                    const std::vector<store::ArtifactRow>& artifacts) {
  if (artifacts.empty()) {
    return fail(ErrorKind::input,
                page.kernel.compilation_seen
                    ? "the trace has no stage texts of this kernel"
                    : "the compilation of this kernel was not seen, so there are no stage texts");
  }
  std::vector<std::string> there;
  for (const store::ArtifactRow& artifact : artifacts) there.push_back(artifact.stage);
  return fail(ErrorKind::input,
              fmt::format("no stage {}; this kernel has {}", stage, report::join(there, ", ")));
}

// The stages asked for, in the order asked; all that are mapped, if only a line was.
Result<std::vector<store::StageText>> read_stages(const Page& page) {
  const auto details = store::kernel_details(page.open.connection, page.kernel.id);
  if (!details) return tl::make_unexpected(details.error());
  std::vector<const store::ArtifactRow*> wanted;
  for (const std::string& stage : page.options.stages) {
    const auto found = std::find_if(details->artifacts.begin(), details->artifacts.end(),
                                    [&](const auto& a) { return a.stage == stage; });
    if (found == details->artifacts.end()) return no_such_stage(page, stage, details->artifacts);
    wanted.push_back(&*found);
  }
  for (const store::ArtifactRow& artifact : details->artifacts) {
    if (page.options.stages.empty() && artifact.mapped > 0) wanted.push_back(&artifact);
  }
  if (wanted.empty()) return no_such_stage(page, "with source lines", details->artifacts);
  std::vector<store::StageText> stages;
  for (const store::ArtifactRow* artifact : wanted) {
    auto stage = store::stage_text(page.open.connection, *artifact);
    if (!stage) return tl::make_unexpected(stage.error());
    stages.push_back(std::move(*stage));
  }
  return stages;
}

tl::unexpected<Error> no_code_at(const std::string& typed, const std::vector<int64_t>& lines) {
  if (lines.empty()) return fail(ErrorKind::input, "no stage of this kernel has source lines");
  store::Ranges ranges;
  for (const int64_t known : lines) {
    if (!ranges.empty() && ranges.back().second == known - 1) {
      ranges.back().second = known;
    } else {
      ranges.emplace_back(known, known);
    }
  }
  return fail(ErrorKind::input,
              fmt::format("no code comes from line {}; there is code for lines {}", typed,
                          report::ranges_text(ranges, 20)));
}

// Of the lines that have code, those asked for.
std::vector<int64_t> chosen(const std::vector<int64_t>& lines, const store::Ranges& ranges) {
  std::vector<int64_t> found;
  for (const int64_t line : lines) {
    const bool wanted =
        ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
          return range.first <= line && line <= range.second;
        });
    if (wanted) found.push_back(line);
  }
  return found;
}

std::string first_lines(std::string text, uint64_t limit) {
  size_t end = 0;
  for (uint64_t line = 0; line < limit; ++line) {
    const size_t next = text.find('\n', end);
    if (next == text.npos) return text;
    end = next + 1;
  }
  const auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
  if (limit == 0 || more == 0) return text;
  text.resize(end);
  return text + fmt::format("… {} more lines; --limit 0 shows all\n", more);
}

Result<std::string> stages_page(const Page& page) {
  const auto stages = read_stages(page);
  if (!stages) return tl::make_unexpected(stages.error());
  const auto source = store::kernel_source(page.open.connection, page.kernel.id);
  if (!source) return tl::make_unexpected(source.error());
  const Options& options = page.options;
  if (options.raw) {
    if (stages->size() == 1) return stages->front().text;
    return fail(ErrorKind::input, "--raw gives the text of one --stage");
  }
  const bool whole = options.lines.empty();
  const auto ranges = whole ? store::Ranges() : parse_lines(options.lines);
  if (!ranges) return tl::make_unexpected(ranges.error());
  const std::vector<int64_t> all_lines = report::source_lines(*stages, *source);
  const std::vector<int64_t> lines = chosen(all_lines, *ranges);
  if (!whole && lines.empty()) return no_code_at(options.lines, all_lines);
  if (options.json) {
    return report::stages_json(page.kernel, *stages, *source,
                               whole ? std::vector<int64_t>() : lines);
  }
  if (stages->size() == 1 && whole) {
    return first_lines(report::stage_listing(stages->front(), *source, page.style),
                       options.limit.value_or(0));
  }
  const uint64_t limit =
      options.limit.value_or(stages->size() == 1 || options.all ? 0 : kPanelLines);
  return report::side_by_side(*stages, *source, lines, limit, page.style);
}

Result<std::string> make_page(const Page& page) {
  if (!page.options.stages.empty() || !page.options.lines.empty()) return stages_page(page);
  if (page.options.diff) return diff_page(page);
  return page.options.launches ? launches_page(page) : whole_page(page);
}

Result<int> run(const Options& options, Context& context) {
  Result<OpenRun> open = open_run(options.run, context);
  if (!open) return tl::make_unexpected(open.error());
  const auto kernel =
      choose_kernel(open->kernels, options.kernel, context.terminal, &open->connection);
  if (!kernel) return tl::make_unexpected(kernel.error());
  const auto text = make_page({options, *open, **kernel, context.terminal.out_style()});
  if (!text)
    return with_context(text.error(), report::printable(shorten_middle((*kernel)->name, 60)));
  context.terminal.print(*text);
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command<Options>(
      app, context, "show", "Everything about one kernel",
      "  kernelscope show my.kscope matmul_kernel\n"
      "  kernelscope show my.kscope matmul_kernel#2 --diff\n"
      "  kernelscope show my.kscope 3fa1b2 --stage ttgir --stage ptx\n"
      "  kernelscope show my.kscope 'matmul*' --line 42\n"
      "  kernelscope show my.kscope matmul_kernel --stage ptx --raw > matmul.ptx",
      options, run);
  command->add_option("RUN", options->run, "Folder made by parse, or a raw trace")->required();
  command->add_option("KERNEL", options->kernel,
                      "Name, name#2 as ls shows it, glob, or 4 digits of the hash");
  auto* stages = command->add_option(
      "--stage", options->stages, "Text of a stage, with its source lines; several: side by side");
  stages->allow_extra_args(false)->delimiter(',')->type_name("STAGE");
  command
      ->add_option("--line", options->lines,
                   "What each stage has for these lines of the source: 12, 12-20 or 12,15-18")
      ->check(line_ranges())
      ->type_name("LINES");
  command->add_flag("--raw", options->raw, "The text of one --stage as it is")->needs(stages);
  command->add_flag("--launches", options->launches, "List the launches");
  command->add_flag("--diff", options->diff,
                    "What is the same and what differs between the launches");
  command
      ->add_option("--limit", options->limit,
                   "At most so many launches, or lines of a stage; 0: all")
      ->check(whole_number(0))
      ->type_name("N");
  command->add_flag("--all", options->all,
                    "Nothing left out: lists in full, call sites, launches of all kinds");
  command->add_flag("--json", options->json, "As JSON");
}

}  // namespace ks::cli
