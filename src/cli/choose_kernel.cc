#include "cli/choose_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/kernel_names.h"
#include "report/kernel_table.h"
#include "report/words.h"

namespace ks::cli {
namespace {

using store::KernelRow;

constexpr size_t kListed = 12;

std::string labels(const std::vector<const KernelRow*>& kernels) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(kListed, kernels.size()); ++i) {
    names.push_back(fmt::format("{} ({})", report::printable(report::kernel_label(*kernels[i])),
                                kernels[i]->hash.substr(0, 12)));
  }
  if (kernels.size() > kListed) names.push_back(fmt::format("… {} more", kernels.size() - kListed));
  return report::join(names, ", ");
}

tl::unexpected<Error> no_match(const std::string& typed, const report::KernelMatch& match) {
  std::vector<std::string> near;
  for (const std::string& name : match.nearest) near.push_back(report::printable(name));
  return fail(ErrorKind::input,
              fmt::format("no kernel {}{}", report::printable(typed),
                          near.empty() ? "; kernelscope ls shows what there is"
                                       : "; did you mean " + report::join(near, ", ") + "?"));
}

void say_choice(const std::string& typed, const report::KernelMatch& match, const KernelRow& taken,
                Terminal& terminal) {
  std::vector<const KernelRow*> shown = match.kernels;
  std::stable_sort(shown.begin(), shown.end(), [](const KernelRow* a, const KernelRow* b) {
    return a->user_launches > b->user_launches;
  });
  const size_t count = shown.size();
  if (count > kListed) shown.resize(kListed);
  terminal.say(fmt::format("{} fits {} kernels; shown is {}, the one with most user launches:\n",
                           report::printable(typed), count,
                           report::printable(report::kernel_label(taken))));
  terminal.say(report::variant_table(shown, terminal.err_style()));
  if (count > kListed) terminal.say(fmt::format("  … {} more\n", count - kListed));
  terminal.say("\n");
}

}  // namespace

Result<const KernelRow*> choose_kernel(const std::vector<KernelRow>& kernels,
                                       const std::string& typed, Terminal& terminal) {
  if (kernels.empty()) return fail(ErrorKind::input, "the run has no kernels");
  if (typed.empty()) {
    if (kernels.size() == 1) return &kernels.front();
    std::vector<const KernelRow*> all;
    for (const KernelRow& kernel : kernels) all.push_back(&kernel);
    return fail(ErrorKind::input, "which KERNEL? The run has " + labels(all));
  }
  const report::KernelMatch match = report::find_kernels(kernels, typed);
  if (match.kernels.empty()) return no_match(typed, match);
  if (match.by_hash && match.kernels.size() > 1) {
    return fail(ErrorKind::input,
                fmt::format("{} is the start of several hashes: {}", typed, labels(match.kernels)));
  }
  const KernelRow* taken = report::most_launched(match.kernels);
  if (match.kernels.size() > 1) say_choice(typed, match, *taken, terminal);
  return taken;
}

}  // namespace ks::cli
