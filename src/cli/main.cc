#include <fmt/format.h>
#include <malloc.h>

#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"

namespace ks::cli {
namespace {

constexpr int kUsage = 2, kInterrupted = 130;

// The first word that is no option and no sub-command, if the command line starts with one.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--color" || word == "--cache") ++i;
    if (word.starts_with("-")) continue;
    std::vector<std::string> names;
    for (const CLI::App* command : commands) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    const std::vector<std::string> near = nearest(word, names, 1);
    return fmt::format("no command {}; {}", word,
                       near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                    : "did you mean " + near[0] + "?");
  }
  return "";
}

// The first word of the rest that looks like an option, with what it may have been meant to be.
std::string unknown_option(const CLI::App& app) {
  std::vector<std::string> names;
  const auto add = [&](const CLI::App* of) {
    for (const CLI::Option* option : of->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  };
  add(&app);
  for (const CLI::App* command : app.get_subcommands()) add(command);
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with('-') || word == "-" || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> near = nearest(name, names, 1);
    for (const std::string& known : names) {
      if (near.empty() && name.size() > 3 && known.starts_with(name)) near.push_back(known);
    }
    return fmt::format("no option {}{}", name,
                       near.empty() ? "" : "; did you mean " + near[0] + "?");
  }
  return "";
}

int report_usage(const CLI::App& app, const CLI::ParseError& error, Context& context) {
  if (error.get_exit_code() == 0) {  // --help and --version end this way
    std::ostringstream text;
    app.exit(error, text, text);
    context.terminal.print(text.str());
    return context.terminal.finish();
  }
  const auto used = app.get_subcommands();
  const std::string command =
      used.empty() ? "kernelscope" : "kernelscope " + used.front()->get_name();
  const std::string unknown = unknown_option(app);
  context.terminal.say_error(
      fmt::format("{}\nTry {} --help", unknown.empty() ? error.what() : unknown, command));
  return kUsage;
}

int report_error(const Error& error, Context& context) {
  context.terminal.end_progress();
  context.terminal.say_error(error.message);
  return error.kind == ErrorKind::interrupted ? kInterrupted : kUsage;
}

void add_common(CLI::App& app, Context& context) {
  app.name("kernelscope");
  app.set_version_flag("--version", fmt::format("kernelscope {}", kVersion));
  app.add_option_function<std::string>(
         "--color", [&](const std::string& mode) { context.terminal.set_colour(mode); },
         "auto, always or never; NO_COLOR is honoured")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--cache", context.cache,
                 "Folder for what is parsed on the fly; default $XDG_CACHE_HOME/kernelscope");
  app.require_subcommand(1);
  app.footer(
      "First steps:\n"
      "  kernelscope parse ./logs -o my.kscope\n"
      "  kernelscope ls my.kscope\n"
      "  kernelscope show my.kscope KERNEL --diff\n"
      "Exit codes: 0 done, 1 the answer is no, 2 usage or input, 3 no GPU or no permission, 130 "
      "interrupted");
}

int run(int argc, char** argv) {
  Context context;
  CLI::App app("What every Triton kernel of a run compiled to, and how its launches differ");
  add_common(app, context);
  add_parse(app, context);
  add_ls(app, context);
  add_show(app, context);
  add_query(app, context);
  add_inductor(app, context);
  add_profile(app, context);
  add_cache(app, context);
  add_diff(app, context);
  if (argc < 2) {
    context.terminal.say(app.help());
    return kUsage;
  }
  if (const std::string message = unknown_command(app, argc, argv); !message.empty()) {
    context.terminal.say_error(message);
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, context);
  }
  const Result<int> code = context.command();
  if (!code) return report_error(code.error(), context);
  const int output = context.terminal.finish();
  return output ? output : *code;
}

}  // namespace
}  // namespace ks::cli

int main(int argc, char** argv) {
  // Blocks are made on one thread and freed on another: with an arena for each thread, memory that
  // was freed stays with the wrong one. Two took 142 MB instead of 154 on a 200 MB log.
  mallopt(M_ARENA_MAX, 2);
  return ks::cli::run(argc, argv);
}
