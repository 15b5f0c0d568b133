#include "profile/versions.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/text.h"
#include "profile/file_text.h"

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLimit = 4u << 20;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  return text;
}

std::string read_or_empty(const fs::path& path) {
  return read_text_file(path.string(), kLimit).value_or("");
}

// "Version: 2.11.0+cu130" among the first lines of METADATA.
std::string metadata_version(const std::string& text) {
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty()) break;  // the description follows
    if (line.starts_with("Version:")) return std::string(trim(line.substr(8)));
  }
  return "";
}

// name-VERSION.dist-info; several of them (a broken upgrade): the greatest name, for a fixed
// answer.
std::string dist_info_version(const std::string& folder, const std::string& package) {
  std::string best;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.ends_with(".dist-info") || !lower(name).starts_with(package + "-")) continue;
    best = std::max(best, name);
  }
  if (best.empty()) return "";
  std::string version = metadata_version(read_or_empty(fs::path(folder) / best / "METADATA"));
  if (!version.empty()) return version;
  return best.substr(package.size() + 1, best.size() - package.size() - 1 - 10);
}

// The text in quotes of `NAME = '13.0'` or `NAME: Optional[str] = '13.0'`.
std::string assigned_text(const std::string& source, std::string_view name) {
  for (std::string_view line : split(source, '\n')) {
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    if (line.empty() || (line[0] != ' ' && line[0] != '=' && line[0] != ':')) continue;
    const size_t equals = line.find('=');
    if (equals == line.npos) continue;
    const size_t open = line.find_first_of("'\"", equals);
    if (open == line.npos) continue;
    const size_t close = line.find(line[open], open + 1);
    if (close != line.npos) return std::string(line.substr(open + 1, close - open - 1));
  }
  return "";
}

std::string package_version(const std::string& folder, const std::string& package) {
  std::string version = dist_info_version(folder, package);
  if (!version.empty()) return version;
  const fs::path source = fs::path(folder) / package;
  version = assigned_text(read_or_empty(source / "version.py"), "__version__");
  return version.empty() ? assigned_text(read_or_empty(source / "__init__.py"), "__version__")
                         : version;
}

}  // namespace

Versions find_versions(const std::vector<std::string>& folders) {
  Versions versions;
  for (const std::string& folder : folders) {
    if (versions.torch.empty()) {
      versions.torch = package_version(folder, "torch");
      if (!versions.torch.empty()) {
        versions.cuda = assigned_text(read_or_empty(fs::path(folder) / "torch/version.py"), "cuda");
      }
    }
    for (const char* name : {"triton", "pytorch_triton"}) {
      if (versions.triton.empty()) versions.triton = package_version(folder, name);
    }
  }
  return versions;
}

}  // namespace ks::profile
