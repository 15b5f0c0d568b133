#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "cli/command.h"
#include "inductor/kernel_json.h"
#include "inductor/metadata_table.h"
#include "inductor/scan.h"
#include "report/style.h"

namespace ks::cli {
namespace {

using inductor::ScanResult;

struct Options {
  std::vector<std::string> inputs;
  std::string out, model;
  bool json = false, overwrite = false;
};

// "3 pointwise, 1 reduction", the most frequent first.
std::string categories(const std::vector<inductor::Kernel>& kernels) {
  std::map<std::string, size_t> counts;
  for (const auto& kernel : kernels) ++counts[kernel.category];
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text.empty() ? text : " (" + text + ")";
}

std::string summary(const ScanResult& found) {
  constexpr size_t kShown = 5;
  std::string text = fmt::format(
      "{} kernels{} in {} files; {} found again, {} files without kernels, {} problems\n",
      found.kernels.size(), categories(found.kernels), found.files, found.duplicates,
      found.without_kernels, found.problems.size());
  for (size_t i = 0; i < std::min(kShown, found.problems.size()); ++i) {
    text += "  " + report::printable(found.problems[i]) + "\n";
  }
  if (found.problems.size() > kShown) {
    text += fmt::format("  and {} more\n", found.problems.size() - kShown);
  }
  return text;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Aside, then put in place in one step: a reader sees the whole file or none. A link fails where
// the name is taken, also if it was taken just now.
Result<> write_file(const std::string& path, std::string_view text, bool overwrite) {
  const std::string aside = fmt::format("{}.tmp-{}", path, getpid());
  const auto failed = [&](const std::string& what) {
    auto error = fail(ErrorKind::io, fmt::format("{}: {}", what, std::strerror(errno)));
    ::unlink(aside.c_str());
    return error;
  };
  const int file = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return fail(ErrorKind::io, fmt::format("{}: {}", path, std::strerror(errno)));
  const bool written = write_all(file, text);
  if (!written || ::close(file) != 0) return failed(path);
  if (overwrite) return std::rename(aside.c_str(), path.c_str()) == 0 ? Result<>() : failed(path);
  if (::link(aside.c_str(), path.c_str()) != 0) {
    // Some file systems know no links.
    if (errno == EEXIST || ::access(path.c_str(), F_OK) == 0) return failed(path);
    return std::rename(aside.c_str(), path.c_str()) == 0 ? Result<>() : failed(path);
  }
  ::unlink(aside.c_str());
  return {};
}

Result<> check_target(const Options& options) {
  if (options.out.empty() || options.overwrite || ::access(options.out.c_str(), F_OK) != 0) {
    return {};
  }
  return fail(ErrorKind::input, options.out + ": is there already; --overwrite replaces it");
}

Result<int> run(const Options& options, Context& context) {
  if (auto free = check_target(options); !free) return tl::make_unexpected(free.error());
  const Result<ScanResult> found = inductor::scan(options.inputs);
  if (!found) return tl::make_unexpected(found.error());
  const std::string text =
      options.json ? inductor::kernels_json(found->kernels, options.model)
                   : inductor::metadata_csv(inductor::make_metadata(found->kernels, options.model));
  if (options.out.empty()) {
    context.terminal.print(text);
  } else if (auto done = write_file(options.out, text, options.overwrite); !done) {
    return tl::make_unexpected(done.error());
  }
  context.terminal.say(summary(*found));
  return 0;
}

}  // namespace

void add_inductor(CLI::App& app, Context& context) {
  CLI::App* inductor =
      app.add_subcommand("inductor", "Kernels that TorchInductor generated")->fallthrough();
  inductor->require_subcommand(1);
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command<Options>(
      *inductor, context, "scan", "The kernel_metadata table from kernel files, without torch",
      "  kernelscope inductor scan /tmp/torchinductor_$USER -o metadata.csv\n"
      "  kernelscope inductor scan output_code.py --model gpt2\n"
      "  kernelscope inductor scan cache kernel.py --json",
      options, run);
  command
      ->add_option("IN", options->inputs,
                   "Inductor cache folders, wrappers (output_code) or kernel files")
      ->required();
  command->add_option("-o,--out", options->out, "File to write; default: stdout")
      ->type_name("FILE");
  command->add_option("--model", options->model, "What to write into model_name")
      ->type_name("NAME");
  command->add_flag("--json", options->json, "The same as JSON, typed");
  command->add_flag("--overwrite", options->overwrite, "Replace FILE if it is there");
}

}  // namespace ks::cli
