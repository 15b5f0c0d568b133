#pragma once
// What main.cc knows of a command. One file per command: cmd_NAME.cc.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "base/result.h"
#include "cli/terminal.h"

namespace ks::cli {

struct Context {
  Terminal terminal;
  std::string cache;                     // --cache, or empty: the usual place
  std::function<Result<int>()> command;  // set by the command line: what to do; gives an exit code
};

// Each adds its sub-command, with options, help and examples.
void add_parse(CLI::App& app, Context& context);
void add_ls(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_query(CLI::App& app, Context& context);
void add_inductor(CLI::App& app, Context& context);
void add_profile(CLI::App& app, Context& context);
void add_cache(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);

// A sub-command whose options are an `Options` that lives as long as the command line.
template <typename Options>
CLI::App* add_command(CLI::App& app, Context& context, const std::string& name,
                      const std::string& description, const std::string& examples,
                      std::shared_ptr<Options> options,
                      Result<int> (*run)(const Options&, Context&)) {
  CLI::App* command = app.add_subcommand(name, description)->fallthrough();
  command->footer("Examples:\n" + examples);
  command->final_callback([options, run, &context] {
    context.command = [options, run, &context] { return run(*options, context); };
  });
  return command;
}

}  // namespace ks::cli
