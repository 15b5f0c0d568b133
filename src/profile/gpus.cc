#include "profile/gpus.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "base/text.h"

namespace ks::profile {
namespace {

// The few functions of NVML that we call, by its documented C interface; 0 is success.
using Device = void*;
struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*capability)(Device, int*, int*) = nullptr;

  template <typename F>
  static bool load(void* library, const char* symbol, F& function) {
    function = reinterpret_cast<F>(dlsym(library, symbol));
    return function != nullptr;
  }
  bool load_all(void* library) {
    return load(library, "nvmlInit_v2", init) && load(library, "nvmlShutdown", shutdown) &&
           load(library, "nvmlSystemGetDriverVersion", driver_version) &&
           load(library, "nvmlDeviceGetCount_v2", count) &&
           load(library, "nvmlDeviceGetHandleByIndex_v2", by_index) &&
           load(library, "nvmlDeviceGetName", name) && load(library, "nvmlDeviceGetUUID", uuid) &&
           load(library, "nvmlDeviceGetCudaComputeCapability", capability);
  }
};

void ask(const Nvml& nvml, GpuList& list) {
  char text[256] = {};
  if (nvml.driver_version(text, sizeof text) == 0) list.driver = text;
  unsigned count = 0;
  if (nvml.count(&count) != 0) count = 0;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    char name[256] = {}, uuid[256] = {};
    int major = 0, minor = 0;
    if (nvml.by_index(i, &device) != 0 || nvml.uuid(device, uuid, sizeof uuid) != 0) continue;
    nvml.name(device, name, sizeof name);
    nvml.capability(device, &major, &minor);
    list.gpus.push_back({uuid, name, fmt::format("{}.{}", major, minor)});
  }
  if (list.gpus.empty()) list.problem = "the NVIDIA driver lists no GPU";
}

const Gpu* gpu_named(const GpuList& list, std::string_view word) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (error == std::errc() && end == word.data() + word.size()) {
    return index < list.gpus.size() ? &list.gpus[index] : nullptr;
  }
  const Gpu* found = nullptr;
  for (const Gpu& gpu : list.gpus) {
    if (!gpu.uuid.starts_with(word)) continue;
    if (found) return nullptr;
    found = &gpu;
  }
  return found;
}

}  // namespace

GpuList find_gpus() {
  GpuList list;
  const auto close = [](void* library) { dlclose(library); };
  const std::unique_ptr<void, decltype(close)> library(dlopen("libnvidia-ml.so.1", RTLD_NOW),
                                                       close);
  Nvml nvml;
  if (!library || !nvml.load_all(library.get())) {
    list.problem = "no NVIDIA driver (libnvidia-ml.so.1)";
  } else if (nvml.init() != 0) {
    list.problem = "the NVIDIA driver does not answer";
  } else {
    ask(nvml, list);
    nvml.shutdown();
  }
  return list;
}

GpuList choose_gpus(const GpuList& list, const std::string& wanted, const std::string& visible) {
  const std::string& names = wanted.empty() ? visible : wanted;
  if (names.empty()) return list;
  GpuList chosen{{}, list.driver, list.problem};
  for (const std::string_view part : split(names, ',')) {
    const std::string_view word = trim(part);
    if (const Gpu* gpu = word.empty() ? nullptr : gpu_named(list, word)) {
      chosen.gpus.push_back(*gpu);
    } else if (!list.gpus.empty()) {
      chosen.problem = fmt::format("no GPU {}; there are {}", word, list.gpus.size());
    }
  }
  return chosen;
}

std::string chip_of(const std::string& capability) {
  struct Entry {
    std::string_view capability, chip;
  };
  static constexpr Entry kChips[] = {
      {"7.0", "GV100"},  {"7.5", "TU102"},  {"8.0", "GA100"},  {"8.6", "GA102"},
      {"8.7", "GA10B"},  {"8.9", "AD102"},  {"9.0", "GH100"},  {"10.0", "GB100"},
      {"10.3", "GB110"}, {"11.0", "GB10B"}, {"12.0", "GB202"}, {"12.1", "GB20B"},
  };
  for (const Entry& entry : kChips) {
    if (entry.capability == capability) return std::string(entry.chip);
  }
  return "";
}

}  // namespace ks::profile
