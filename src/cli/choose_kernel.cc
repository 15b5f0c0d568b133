#include "cli/choose_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

bool is_short_hash(const std::vector<KernelRow>& kernels, const std::string& typed) {
  return typed.size() < 4 && std::any_of(
                                 kernels.begin(), kernels.end(),
                                 [&](const KernelRow& k) { return k.hash.starts_with(typed); });
}

std::string advice(const std::vector<KernelRow>& kernels, const std::string& typed,
                   const report::KernelMatch& match) {
  if (match.variants == 1) return "; there is one variant only: " + match.nearest[0];
  if (match.variants > 1) {
    return fmt::format("; {} has the variants #1 to #{}", report::printable(match.nearest[0]),
                       match.variants);
  }
  if (match.nearest.empty()) {
    return is_short_hash(kernels, typed) ? "; of a hash give at least 4 digits"
                                         : "; kernelscope ls shows what there is";
  }
  std::vector<std::string> near;
  for (const std::string& name : match.nearest) near.push_back(report::printable(name));
  constexpr size_t kLine = 100;  // columns that are still pleasant to read
  const std::string in_line = report::join(near, ", ");
  if (match.more == 0 && in_line.size() <= kLine) return "; did you mean " + in_line + "?";
  std::string text = "; did you mean one of these?\n  " + report::join(near, "\n  ");
  if (match.more == 0) return text;
  return text + fmt::format("\n  … {} more: kernelscope ls RUN --all --filter '*{}*'", match.more,
                            report::printable(typed.substr(0, typed.rfind('#'))));
}

void by_launches(std::vector<const KernelRow*>& kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelRow* a, const KernelRow* b) {
    return a->user_launches > b->user_launches;
  });
}

report::KernelConstants constants_of(const std::vector<const KernelRow*>& kernels,
                                     store::Connection* connection) {
  report::KernelConstants found;
  std::set<std::string> names;
  for (const KernelRow* kernel : kernels) names.insert(kernel->name);
  if (!connection || names.size() > 1) return found;  // of several names they mean different things
  const auto texts = store::kernel_texts(*connection, *names.begin());
  return texts ? report::constants_of(*texts) : found;
}

// The first rows of `kernels`, those with most launches.
std::string listing(std::vector<const KernelRow*> kernels, const std::string& filter,
                    const report::Style& style, store::Connection* connection) {
  by_launches(kernels);
  const size_t count = kernels.size();
  if (count > kListed) kernels.resize(kListed);
  std::string out = report::variant_table(kernels, constants_of(kernels, connection), style);
  if (count > kListed) {
    out += fmt::format("  … {} more: kernelscope ls RUN --all{}\n", count - kListed, filter);
  }
  return out;
}

tl::unexpected<Error> no_kernel_named(const std::vector<KernelRow>& kernels,
                                      const Terminal& terminal) {
  std::vector<const KernelRow*> all;
  for (const KernelRow& kernel : kernels) all.push_back(&kernel);
  return fail(ErrorKind::input,
              fmt::format("which KERNEL? Give one of the {} in this run:\n{}", kernels.size(),
                          listing(all, "", terminal.err_style(), nullptr)));
}

void say_choice(const std::string& typed, const report::KernelMatch& match, const KernelRow& taken,
                Terminal& terminal, store::Connection* connection) {
  terminal.say(fmt::format(
      "{} fits {} kernels; shown is {}, the {}:\n", report::printable(typed), match.kernels.size(),
      report::printable(report::kernel_label(taken)),
      taken.user_launches ? "one with most user launches" : "first, as none has user launches"));
  terminal.say(listing(match.kernels, fmt::format(" --filter '{}'", report::printable(typed)),
                       terminal.err_style(), connection) +
               '\n');
}

}  // namespace

Result<const KernelRow*> choose_kernel(const std::vector<KernelRow>& kernels,
                                       const std::string& typed, Terminal& terminal,
                                       store::Connection* connection) {
  if (kernels.empty()) return fail(ErrorKind::input, "the run has no kernels");
  if (typed.empty()) {
    if (kernels.size() == 1) return &kernels.front();
    return no_kernel_named(kernels, terminal);
  }
  const report::KernelMatch match = report::find_kernels(kernels, typed);
  if (match.kernels.empty()) {
    return fail(ErrorKind::input, fmt::format("no kernel {}{}", report::printable(typed),
                                              advice(kernels, typed, match)));
  }
  if (match.by_hash && match.kernels.size() > 1) {
    return fail(ErrorKind::input,
                fmt::format("{} is the start of several hashes: {}", typed, labels(match.kernels)));
  }
  const KernelRow* taken = report::most_launched(match.kernels);
  if (match.kernels.size() > 1) say_choice(typed, match, *taken, terminal, connection);
  return taken;
}

}  // namespace ks::cli
