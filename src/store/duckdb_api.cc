#include "store/duckdb_api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string>
#include <vector>

namespace ks::store {
namespace {

constexpr const char* kLibraryName = "libduckdb.so";

std::string executable_folder() {
  std::array<char, PATH_MAX> buffer;
  const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (length <= 0) return ".";
  const std::string path(buffer.data(), static_cast<size_t>(length));
  return path.substr(0, path.rfind('/'));
}

std::vector<std::string> candidate_paths() {
  const std::string folder = executable_folder();
  std::vector<std::string> paths = {folder + "/" + kLibraryName,
                                    folder + "/../lib/" + kLibraryName};
#ifdef KS_DUCKDB_LIBRARY
  paths.emplace_back(KS_DUCKDB_LIBRARY);
#endif
  return paths;
}

// The first candidate that exists is the one: falling through from a broken library to another
// version would hide what is wrong.
Result<void*> load_library() {
  const std::vector<std::string> paths = candidate_paths();
  for (const std::string& path : paths) {
    if (access(path.c_str(), F_OK) != 0) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) return handle;
    const char* why = dlerror();
    return fail(ErrorKind::unsupported,
                fmt::format("cannot load the database library {}: {}", path, why ? why : ""));
  }
  return fail(ErrorKind::unsupported,
              fmt::format("the database library {} is missing; it should be beside the program. "
                          "Looked for {}. ./run build puts it there",
                          kLibraryName, fmt::join(paths, ", ")));
}

template <typename F>
bool load_symbol(void* handle, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(handle, name));
  return function != nullptr;
}

Result<DuckDbApi> load_api() {
  const Result<void*> handle = load_library();
  if (!handle) return tl::make_unexpected(handle.error());
  DuckDbApi api;
#define X(name)                                                      \
  if (!load_symbol(*handle, "duckdb_" #name, api.name))              \
    return fail(ErrorKind::unsupported,                              \
                "the database library has no function duckdb_" #name \
                "; it is older than the one this program was built for (DuckDB 1.4)");
  KS_DUCKDB_FUNCTIONS(X)
#undef X
  return api;
}

}  // namespace

Result<const DuckDbApi*> duckdb_api() {
  static const Result<DuckDbApi> api = load_api();
  if (!api) return tl::make_unexpected(api.error());
  return &*api;
}

}  // namespace ks::store
