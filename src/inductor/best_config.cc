#include "inductor/best_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/hash.h"
#include "inductor/kernel_text.h"
#include "trace/json_reader.h"

namespace ks::inductor {
namespace {

constexpr std::string_view kEnd = ".best_config";
constexpr std::array<std::string_view, 4> kBookkeeping = {"configs_hash", "found_by_coordesc",
                                                          "time_taken_ms", "triton_cache_hash"};

bool is_bookkeeping(std::string_view key) {
  return std::find(kBookkeeping.begin(), kBookkeeping.end(), key) != kBookkeeping.end();
}

trace::Value read_config(std::string_view json) {
  trace::JsonReader reader(8);
  auto value = reader.read_copy(json);
  return value && value->is_object() ? std::move(*value) : trace::Value();
}

// The two names that the file of a kernel's config had in older versions.
const ConfigFile* named_after(const std::string& file, const std::vector<ConfigFile>& configs) {
  const std::string plain = file.substr(0, file.rfind('.')) + std::string(kEnd);
  const std::string hashed = sha256_hex(file + ":") + std::string(kEnd);  // no cache_key_tag
  const auto found = std::find_if(configs.begin(), configs.end(), [&](const ConfigFile& config) {
    return config.name == plain || config.name == hashed;
  });
  return found == configs.end() ? nullptr : &*found;
}

using Names = std::set<std::string, std::less<>>;

Names tunable(const Kernel& kernel) {
  Names names;
  const auto text = find_kernel(kernel.source);
  if (!text) return names;
  for (const Parameter& parameter : parameters(text->function)) {
    if (parameter.constexpr_) names.emplace(parameter.name);
  }
  return names;
}

// Every block size of the config is a parameter, and every parameter is in the config.
bool fits(const trace::Value& config, const Names& names) {
  if (!config.is_object()) return false;
  for (const auto& [key, value] : config.members) {
    if (!key.empty() && key[0] >= 'A' && key[0] <= 'Z' && !names.contains(key)) return false;
  }
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return config.find(name) != nullptr; });
}

// Kernels by configs: which may belong together.
class Fit {
 public:
  Fit(const std::vector<KernelInFolder>& kernels, const std::vector<ConfigFile>& configs)
      : kernels_(kernels), configs_(configs) {
    for (const ConfigFile& config : configs) values_.push_back(read_config(config.json));
    for (const KernelInFolder& kernel : kernels) names_.push_back(tunable(*kernel.kernel));
  }

  void give() {
    for (size_t k = 0; k < kernels_.size(); ++k) {
      const size_t config = only_config(k);
      if (config == kNone || kernels_that_fit(config) != 1) continue;
      kernels_[k].kernel->best_config = best_config_text(configs_[config].json);
    }
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  size_t only_config(size_t kernel) const {
    size_t found = kNone;
    for (size_t c = 0; c < values_.size(); ++c) {
      if (!fits(values_[c], names_[kernel])) continue;
      if (found != kNone) return kNone;
      found = c;
    }
    return found;
  }

  size_t kernels_that_fit(size_t config) const {
    return static_cast<size_t>(std::count_if(names_.begin(), names_.end(), [&](const Names& names) {
      return fits(values_[config], names);
    }));
  }

  const std::vector<KernelInFolder>& kernels_;
  const std::vector<ConfigFile>& configs_;
  std::vector<trace::Value> values_;
  std::vector<Names> names_;
};

}  // namespace

std::string best_config_text(std::string_view json) {
  std::string out;
  for (const auto& [key, value] : read_config(json).members) {
    if (is_bookkeeping(key)) continue;
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", key,
                       value.is_string() ? value.string : trace::to_json(value));
  }
  return out;
}

void give_best_configs(const std::vector<KernelInFolder>& kernels,
                       const std::vector<ConfigFile>& configs, bool complete) {
  constexpr size_t kMost = 200;  // the fit compares each with each
  std::vector<KernelInFolder> rest;
  std::set<const ConfigFile*> used;
  for (const KernelInFolder& kernel : kernels) {
    if (const ConfigFile* found = named_after(kernel.file, configs)) {
      kernel.kernel->best_config = best_config_text(found->json);
      used.insert(found);
    } else {
      rest.push_back(kernel);
    }
  }
  std::vector<ConfigFile> free;
  for (const ConfigFile& config : configs) {
    if (!used.contains(&config)) free.push_back(config);
  }
  if (complete && rest.size() <= kMost && free.size() <= kMost) Fit(rest, free).give();
}

}  // namespace ks::inductor
