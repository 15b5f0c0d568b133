#include "cli/measurement_cache.h"

#include <cstdlib>

namespace ks::cli {

Result<std::string> measurement_folder(const Context& context) {
  if (!context.cache.empty()) return context.cache + "/measurements";
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/') {
    return std::string(xdg) + "/kernelscope/measurements";
  }
  if (const char* home = std::getenv("HOME"); home && *home == '/') {
    return std::string(home) + "/.cache/kernelscope/measurements";
  }
  return fail(
      ErrorKind::input,
      "measurements are kept in the cache, but neither XDG_CACHE_HOME nor HOME is set: give "
      "--cache DIR");
}

Result<profile::Cache> open_measurements(const Context& context) {
  const Result<std::string> folder = measurement_folder(context);
  if (!folder) return tl::make_unexpected(folder.error());
  return profile::Cache::open(*folder);
}

}  // namespace ks::cli
