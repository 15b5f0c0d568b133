#include "profile/collector/api.h"

#include <dlfcn.h>
#include <link.h>

namespace ks::collector {
namespace {

void* find(void* library, const char* name, std::string& missing) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
  return symbol;
}

std::string path_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : "";
}

// torch and Triton link or open their own copy; whichever is in the process is the one to use.
void* open_cupti(const std::string& path) {
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
    if (void* loaded = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  if (!path.empty()) return dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so",
                           "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
  return nullptr;
}

// CUPTI opens these two by bare name, which fails for a copy that lies off the library path; once
// they are in the process, the name finds them.
void open_neighbours(const std::string& cupti) {
  const std::string folder = cupti.substr(0, cupti.rfind('/') + 1);
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"})
    if (!folder.empty()) dlopen((folder + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

Api& api() {
  static Api instance;
  return instance;
}

std::string Api::load_cupti(const std::string& path) {
  void* library = open_cupti(path);
  if (library == nullptr) return std::string("libcupti was not found: ") + dlerror();
  cupti_path = path_of(library);
  open_neighbours(cupti_path);
  std::string missing;
#define X(name) this->name = reinterpret_cast<decltype(this->name)>(find(library, #name, missing));
  KS_CUPTI_FUNCTIONS(X)
#undef X
  return missing.empty() ? "" : cupti_path + " is older than 12.6 or damaged: it has no " + missing;
}

std::string Api::load_cuda() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return "the CUDA driver (libcuda.so.1) was not found";
  std::string missing;
#define X(name, symbol) \
  this->name = reinterpret_cast<decltype(this->name)>(find(library, symbol, missing));
  KS_CUDA_FUNCTIONS(X)
#undef X
  return missing.empty() ? "" : "the CUDA driver has no " + missing;
}

}  // namespace ks::collector
