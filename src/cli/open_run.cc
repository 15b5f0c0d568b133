#include "cli/open_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/hash.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/parse_job.h"
#include "store/query.h"
#include "store/run_file.h"

namespace ks::cli {
namespace {

namespace fs = std::filesystem;

// DuckDB files have these letters at byte 8.
bool is_database(const std::string& path) {
  char head[12] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(head, sizeof head) && std::string_view(head + 8, 4) == "DUCK";
}

Result<std::string> cache_folder(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/') {
    return std::string(xdg) + "/kernelscope";
  }
  if (const char* home = std::getenv("HOME"); home && *home == '/') {
    return std::string(home) + "/.cache/kernelscope";
  }
  return fail(ErrorKind::input,
              "a raw trace is parsed into the cache, but neither XDG_CACHE_HOME nor HOME is set: "
              "give --cache DIR, or parse it first");
}

// Changes with what the run file would hold: our version, and path, size and time of each input.
std::string cache_key(const std::vector<io::InputFile>& files) {
  Sha256 sha;
  sha.update(kVersion);
  for (const io::InputFile& file : files) {
    std::error_code error;
    struct stat about{};
    stat(file.path.c_str(), &about);
    sha.update(fmt::format("\n{}\n{} {}.{}",
                           fs::absolute(file.path, error).lexically_normal().string(),
                           about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec));
  }
  return hex(sha.finish().data(), 16);
}

Result<std::string> parse_into_cache(const std::string& run, Context& context) {
  Diagnostics diagnostics;
  const auto files = io::find_inputs({run}, diagnostics);
  if (!files) return tl::make_unexpected(files.error());
  const Result<std::string> cache = cache_folder(context.cache);
  if (!cache) return cache;
  const std::string folder = fmt::format("{}/runs/{}", *cache, cache_key(*files));
  const std::string path = folder + "/" + store::kRunFileName;
  if (fs::exists(path)) {
    context.terminal.say(fmt::format("{} is a raw trace, parsed before: {}\n", run, folder));
    return path;
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorKind::io, fmt::format("{}: {}", folder, error.message()));
  ParseJob job;
  job.inputs = {run};
  job.folder = folder;
  job.overwrite = true;
  job.read.threads = default_threads();
  const Result<ParseDone> done = run_parse(job, context.terminal);
  if (!done) {
    fs::remove(folder, error);  // only if it is empty
    return with_context(done.error(), run);
  }
  context.terminal.say(fmt::format("{} is a raw trace, parsed into {}\n", run, folder));
  if (!done->run.diagnostics.lossless()) {
    context.terminal.say(
        report::diagnostics_text(done->run.diagnostics, context.terminal.err_style()));
  }
  return path;
}

// What the user may have meant: the runs in this folder.
std::string run_suggestions(const std::string& run) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(".", error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".kscope")) names.push_back(name);
  }
  if (fs::exists(run + ".kscope", error)) return "; did you mean " + run + ".kscope?";
  const std::vector<std::string> near = nearest(run, names, 1);
  return near.empty() ? "" : "; did you mean " + near[0] + "?";
}

}  // namespace

Result<std::string> find_run_file(const std::string& run, Context& context) {
  std::error_code error;
  if (run == "-") {
    return fail(ErrorKind::input, "standard input is no run: kernelscope parse - -o DIR first");
  }
  const std::string inside = run + "/" + store::kRunFileName;
  if (fs::is_regular_file(inside, error)) return inside;
  if (fs::is_regular_file(run, error) && is_database(run)) return run;
  if (!fs::exists(run, error) && !is_glob(run)) {
    return fail(ErrorKind::input,
                fmt::format("{}: no such run or trace{}", run, run_suggestions(run)));
  }
  return parse_into_cache(run, context);
}

Result<OpenRun> open_run(const std::string& run, Context& context) {
  const Result<std::string> path = find_run_file(run, context);
  if (!path) return tl::make_unexpected(path.error());
  Result<store::Database> database = store::open_run(*path, {});
  if (!database) return tl::make_unexpected(database.error());
  Result<store::Connection> connection = database->connect();
  if (!connection) return tl::make_unexpected(connection.error());
  if (!database->note().empty()) context.terminal.say(database->note() + '\n');
  auto kernels = store::kernels(*connection);
  if (!kernels) return with_context(kernels.error(), *path);
  return OpenRun{std::move(*database), std::move(*connection), std::move(*kernels)};
}

}  // namespace ks::cli
