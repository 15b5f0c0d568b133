#include "inductor/scan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_map>

#include "inductor/best_config.h"

namespace ks::inductor {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFile = 64U << 20, kMaxConfig = 64U << 10;
constexpr size_t kMaxConfigs = 1000;  // read of one folder

// Sorted by path, each once.
struct Files {
  std::vector<fs::path> files;
  std::vector<std::string> problems;
};

bool is_archive(const std::string& path) {
  constexpr std::array<std::string_view, 9> kEnds = {".gz",  ".tgz", ".tar", ".zip", ".zst",
                                                     ".bz2", ".xz",  ".7z",  ".whl"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view end) { return path.ends_with(end); });
}

void add_folder(const fs::path& folder, Files& out) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    const fs::path path = at->path();
    std::error_code of_entry;
    const fs::file_status status = at->symlink_status(of_entry);
    if (!of_entry && fs::is_regular_file(status) && path.extension() == ".py") {
      out.files.push_back(path);
    }
    // A folder that may not be read is one problem, not the end.
    if (fs::is_directory(status) && ::access(path.c_str(), R_OK | X_OK) != 0) {
      out.problems.push_back(fmt::format("{}: {}", path.string(), std::strerror(errno)));
      at.disable_recursion_pending();
    }
    at.increment(error);
  }
  if (error) out.problems.push_back(fmt::format("{}: {}", folder.string(), error.message()));
}

Result<Files> find_files(const std::vector<std::string>& inputs) {
  Files out;
  for (const std::string& input : inputs) {
    std::error_code error;
    const fs::file_status status = fs::status(input, error);
    if (!fs::exists(status)) {
      return fail(ErrorKind::input, fmt::format("{}: no such file or folder", input));
    }
    if (fs::is_directory(status)) {
      add_folder(input, out);
    } else if (is_archive(input)) {
      return fail(ErrorKind::unsupported,
                  fmt::format("{}: an archive; unpack it first and name the folder", input));
    } else {
      out.files.emplace_back(input);
    }
  }
  // Byte by byte, as the names are listed; fs::path would compare part by part.
  std::sort(out.files.begin(), out.files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  out.files.erase(std::unique(out.files.begin(), out.files.end()), out.files.end());
  std::sort(out.problems.begin(), out.problems.end());
  return out;
}

// Reads at most `most` bytes of a regular file.
Result<std::string> read_file(const fs::path& path, uintmax_t most) {
  std::error_code error;
  const bool regular = fs::is_regular_file(path, error);
  if (!regular) return fail(ErrorKind::io, error ? error.message() : "not a regular file");
  const uintmax_t size = fs::file_size(path, error);
  if (error) return fail(ErrorKind::io, error.message());
  if (size > most) {
    return fail(ErrorKind::limit, fmt::format("larger than {} MiB; skipped", most >> 20));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file && !file.eof()) return fail(ErrorKind::io, "cannot be read");
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

// What a later sight of the same kernel adds. The kernel's own file is its path; of several
// wrappers the first counts.
void merge(Kernel& known, Kernel again) {
  if (!known.wrapper.empty() && again.wrapper.empty()) known.path = std::move(again.path);
  if (!known.wrapper.empty() || again.wrapper.empty()) return;
  known.wrapper = std::move(again.wrapper);
  known.aten_ops = std::move(again.aten_ops);
  known.source_nodes = std::move(again.source_nodes);
  if (known.unique_name.empty()) known.unique_name = std::move(again.unique_name);
}

class Scanner {
 public:
  explicit Scanner(Files files) : files_(std::move(files)) {
    result_.problems = std::move(files_.problems);
  }

  ScanResult scan() {
    for (const fs::path& file : files_.files) read(file);
    for (const auto& [folder, scanned] : folders_) best_configs(folder, scanned);
    return std::move(result_);
  }

 private:
  struct Folder {
    size_t files = 0;                                     // .py files that were read
    std::vector<std::pair<size_t, std::string>> kernels;  // index, file name
  };

  void read(const fs::path& path) {
    const Result<std::string> text = read_file(path, kMaxFile);
    if (!text) {
      result_.problems.push_back(fmt::format("{}: {}", path.string(), text.error().message));
      return;
    }
    ++result_.files;
    std::vector<Kernel> kernels = read_kernels(*text, path.string());
    result_.without_kernels += kernels.empty();
    Folder& folder = folders_[path.parent_path()];
    ++folder.files;
    for (Kernel& kernel : kernels) add(std::move(kernel), folder, path);
  }

  void add(Kernel kernel, Folder& folder, const fs::path& path) {
    const auto [at, added] = index_.try_emplace(kernel.source_hash, result_.kernels.size());
    if (kernel.wrapper.empty()) folder.kernels.emplace_back(at->second, path.filename().string());
    if (added) {
      result_.kernels.push_back(std::move(kernel));
    } else {
      ++result_.duplicates;
      merge(result_.kernels[at->second], std::move(kernel));
    }
  }

  void best_configs(const fs::path& path, const Folder& folder) {
    if (folder.kernels.empty()) return;
    std::vector<ConfigFile> configs;
    size_t sources = 0;
    std::error_code error;
    for (fs::directory_iterator at(path.empty() ? "." : path, error), end; !error && at != end;
         at.increment(error)) {
      const fs::path name = at->path().filename();
      sources += name.extension() == ".py";
      if (name.extension() != ".best_config" || configs.size() >= kMaxConfigs) continue;
      if (at->is_symlink(error)) continue;
      const Result<std::string> json = read_file(at->path(), kMaxConfig);
      if (json) configs.push_back({name.string(), *json});
    }
    std::sort(configs.begin(), configs.end(),
              [](const ConfigFile& a, const ConfigFile& b) { return a.name < b.name; });
    std::vector<KernelInFolder> kernels;
    for (const auto& [index, file] : folder.kernels) {
      Kernel& kernel = result_.kernels[index];
      if (kernel.best_config.empty()) kernels.push_back({&kernel, file});
    }
    give_best_configs(kernels, configs, sources == folder.files);
  }

  Files files_;
  ScanResult result_;
  std::map<fs::path, Folder> folders_;
  std::unordered_map<std::string, size_t> index_;  // of kernels by source hash
};

}  // namespace

Result<ScanResult> scan(const std::vector<std::string>& inputs) {
  Result<Files> files = find_files(inputs);
  if (!files) return tl::make_unexpected(files.error());
  return Scanner(std::move(*files)).scan();
}

}  // namespace ks::inductor
