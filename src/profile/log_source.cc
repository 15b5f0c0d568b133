#include "profile/log_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "profile/log_match.h"
#include "profile/ncu_log.h"
#include "profile/whole_file.h"

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 16;
constexpr size_t kMaxFiles = 1'000'000;
constexpr std::array<std::string_view, 6> kEndings = {".ncu", ".txt",     ".log",
                                                      ".csv", ".ncu-rep", ".ncu-repz"};

bool is_log_name(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

Result<std::vector<std::string>> find_files(const std::string& folder) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  if (error) return fail(ErrorKind::input, fmt::format("{}: {}", folder, error.message()));
  std::vector<std::string> files;
  for (const fs::recursive_directory_iterator end; at != end; at.increment(error)) {
    if (error) return fail(ErrorKind::io, fmt::format("{}: {}", folder, error.message()));
    if (at.depth() >= kMaxDepth) at.disable_recursion_pending();
    std::error_code of_file;
    if (!is_log_name(at->path().native()) || !at->is_regular_file(of_file)) continue;
    if (files.size() == kMaxFiles) {
      return fail(ErrorKind::limit, fmt::format("{}: more than {} logs", folder, kMaxFiles));
    }
    files.push_back(at->path().string());
  }
  if (error) return fail(ErrorKind::io, fmt::format("{}: {}", folder, error.message()));
  std::ranges::sort(files);
  return files;
}

class Reading {
 public:
  explicit Reading(const std::vector<LogRow>& rows) : matcher_(rows) {}

  void read(const std::string& path) {
    const auto log = read_log(path);
    if (!log) return note(path, log.error().message);
    const std::string stem = file_stem(path);
    const bool of_ncu = !log->kernels.empty() || log->failure || log->form != "text";
    if (!of_ncu && !matcher_.knows_stem(stem)) return;  // some other text
    ++result_.files;
    for (const std::string& text : log->notes) note(path, text);
    if (log->failure) note(path, log->failure_text);
    matcher_.offer(stem, *log);
  }

  LogReading finish() {
    result_.measurements = matcher_.finish();
    return std::move(result_);
  }

 private:
  Result<NcuLog> read_log(const std::string& path) {
    auto source = io::open_file(path);
    if (!source) return tl::make_unexpected(source.error());
    const Result<WholeFile> file =
        read_whole(std::move(*source), fs::path(path).filename().string());
    if (!file) return tl::make_unexpected(file.error());
    result_.bytes += file->bytes.size();
    Result<NcuLog> log = read_ncu_log(file->bytes);
    if (log && file->damaged) log->notes.emplace_back("the compressed log is cut or damaged");
    return log;
  }

  void note(const std::string& path, std::string_view text) {
    result_.notes.push_back(fmt::format("{}: {}", path, text));
  }

  LogMatcher matcher_;
  LogReading result_;
};

}  // namespace

Result<LogReading> read_logs(const std::vector<LogRow>& rows, const std::string& folder) {
  const Result<std::vector<std::string>> files = find_files(folder);
  if (!files) return tl::make_unexpected(files.error());
  Reading reading(rows);
  for (const std::string& file : *files) reading.read(file);
  return reading.finish();
}

}  // namespace ks::profile
