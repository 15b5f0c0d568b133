#include "io/inputs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace ks::io {

namespace {

namespace fs = std::filesystem;

constexpr size_t kNamesShown = 10;
constexpr const char* kClpAdvice =
    "CLP archives are not read; set TRITON_TRACE_COMPRESSION=none or zstd when tracing";

InputFile make_file(const fs::path& path) {
  InputFile file{path.native(), path.filename().native(), {}};
  file.parsed = parse_trace_file_name(file.name);
  return file;
}

bool is_readable_kind(const fs::path& path) {
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return type == fs::file_type::regular || type == fs::file_type::fifo;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// N of a folder name rank_N.
std::optional<int> rank_of_folder(const fs::path& folder) {
  const fs::path named = folder.has_filename() ? folder : folder.parent_path();  // "rank_1/"
  const std::string name = named.filename().native();
  if (!name.starts_with("rank_")) return std::nullopt;
  return parse_trace_file_name("_" + name + "_").rank;
}

// The entries, sorted by name.
Result<std::vector<fs::path>> list(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    entries.push_back(at->path());
  }
  if (error) {
    return fail(ErrorKind::input, folder.native() + ": cannot list: " + error.message());
  }
  std::sort(entries.begin(), entries.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return entries;
}

// The traces among `files`, or else those with the extension, or else none.
std::vector<InputFile> eligible(const std::vector<InputFile>& files) {
  std::vector<InputFile> taken;
  std::ranges::copy_if(files, std::back_inserter(taken),
                       [](const InputFile& file) { return file.parsed.is_trace; });
  if (!taken.empty()) return taken;
  std::ranges::copy_if(files, std::back_inserter(taken), [](const InputFile& file) {
    return has_ndjson_extension(file.name) || is_clp_file_name(file.name);
  });
  return taken;
}

std::string some_names(const std::vector<fs::path>& entries) {
  if (entries.empty()) return "the folder is empty";
  std::string text = "it has";
  for (size_t i = 0; i < std::min(entries.size(), kNamesShown); ++i) {
    text += (i == 0 ? " " : ", ") + entries[i].filename().native();
  }
  if (entries.size() > kNamesShown) {
    text += " and " + human_count(entries.size() - kNamesShown) + " more";
  }
  return text;
}

Result<std::vector<InputFile>> files_of_folder(const fs::path& folder) {
  const auto entries = list(folder);
  if (!entries) return tl::make_unexpected(entries.error());
  std::vector<InputFile> files;
  const auto add = [&files](const fs::path& path, std::optional<int> rank) {
    if (!is_readable_kind(path)) return;
    files.push_back(make_file(path));
    if (!files.back().parsed.rank) files.back().parsed.rank = rank;
  };
  const std::optional<int> own_rank = rank_of_folder(folder);
  for (const fs::path& entry : *entries) {
    const std::optional<int> rank = rank_of_folder(entry);
    if (!rank || !is_folder(entry)) {
      add(entry, own_rank);
      continue;
    }
    const auto below = list(entry);
    if (!below) return tl::make_unexpected(below.error());
    for (const fs::path& path : *below) add(path, rank);
  }
  files = eligible(files);
  if (files.empty()) {
    return fail(ErrorKind::input, folder.native() +
                                      ": no trace in this folder (looked for names with " +
                                      std::string(kTracePrefix) +
                                      ", then for *.ndjson, *.ndjson.gz and "
                                      "*.ndjson.zst, also in rank_N folders); " +
                                      some_names(*entries));
  }
  return files;
}

Result<std::vector<InputFile>> files_of_glob(const fs::path& pattern) {
  const fs::path folder = pattern.has_parent_path() ? pattern.parent_path() : fs::path(".");
  const auto entries = list(folder);
  if (!entries) return tl::make_unexpected(entries.error());
  std::vector<InputFile> named;
  std::vector<InputFile> files;
  for (const fs::path& entry : *entries) {
    const fs::path name = entry.filename();
    if (!glob_match(pattern.filename().native(), name.native())) continue;
    const fs::path path = pattern.has_parent_path() ? entry : name;
    if (is_folder(path)) {
      const auto below = files_of_folder(path);
      if (below) files.insert(files.end(), below->begin(), below->end());
    } else if (is_readable_kind(path)) {
      named.push_back(make_file(path));
    }
  }
  const std::vector<InputFile> traces = eligible(named);
  if (!traces.empty() || files.empty()) {
    const std::vector<InputFile>& more = traces.empty() ? named : traces;
    files.insert(files.begin(), more.begin(), more.end());
  }
  if (files.empty()) {
    return fail(ErrorKind::input, "no trace matches " + pattern.native() + " in " +
                                      folder.native() + "; " + some_names(*entries));
  }
  return files;
}

Result<std::vector<InputFile>> files_of_argument(const std::string& argument) {
  if (argument == "-") return std::vector{InputFile{"-", "-", {}}};
  const fs::path path(argument);
  if (is_folder(path)) return files_of_folder(path);
  if (is_there(path)) return std::vector{make_file(path)};
  if (is_glob(path.filename().native())) return files_of_glob(path);
  return fail(ErrorKind::input, argument + ": no such file or folder");
}

// The same for two ways to name one file.
std::string identity(const InputFile& file) {
  std::error_code error;
  const fs::path path = fs::canonical(file.path, error);
  return file.path == "-" || error ? file.path : path.native();
}

// Takes the CLP archives out; an error if nothing else is there.
Result<std::vector<InputFile>> without_clp(std::vector<InputFile> files, Diagnostics& diagnostics) {
  std::vector<InputFile> kept;
  std::string first;
  for (InputFile& file : files) {
    if (!is_clp_file_name(file.name)) {
      kept.push_back(std::move(file));
      continue;
    }
    const std::string message = file.path + ": " + kClpAdvice;
    if (first.empty()) first = message;
    diagnostics.add(Diag::unreadable_file, message);
  }
  if (kept.empty() && !first.empty()) return fail(ErrorKind::unsupported, first);
  return kept;
}

auto order_in_group(const InputFile& file) {
  return std::tuple(file.parsed.host.value_or(""), file.parsed.pid.value_or(-1),
                    std::string_view(file.path));
}

// Ranks by the process that wrote for them.
class Processes {
 public:
  void add(const InputFile& file, Diagnostics& diagnostics) {
    if (!file.parsed.pid) return;
    const int rank = *file.parsed.rank;
    const auto [at, is_new] = ranks_.try_emplace(key(file), rank);
    if (!is_new && at->second != rank) {
      diagnostics.add(Diag::rank_conflict,
                      file.name + ": also wrote for rank " + std::to_string(at->second));
    }
  }

  std::optional<int> find(const InputFile& file) const {
    if (!file.parsed.pid) return std::nullopt;
    const auto at = ranks_.find(key(file));
    return at == ranks_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  using Key = std::pair<std::optional<std::string>, int64_t>;
  static Key key(const InputFile& file) { return {file.parsed.host, *file.parsed.pid}; }

  std::map<Key, int> ranks_;
};

}  // namespace

Result<std::vector<InputFile>> find_inputs(const std::vector<std::string>& arguments,
                                           Diagnostics& diagnostics) {
  std::vector<InputFile> found;
  std::set<std::string> seen;
  for (const std::string& argument : arguments) {
    auto files = files_of_argument(argument);
    if (!files) return tl::make_unexpected(files.error());
    for (InputFile& file : *files) {
      if (seen.insert(identity(file)).second) found.push_back(std::move(file));
    }
  }
  if (found.empty()) return fail(ErrorKind::input, "no input: name a trace file or its folder");
  return without_clp(std::move(found), diagnostics);
}

Result<std::vector<InputFile>> find_torch_traces(const std::vector<std::string>& folders) {
  std::vector<InputFile> found;
  for (const std::string& folder : folders) {
    if (is_there(folder) && !is_folder(folder)) {
      found.push_back(make_file(folder));
      continue;
    }
    const auto entries = list(folder);
    if (!entries) return tl::make_unexpected(entries.error());
    for (const fs::path& entry : *entries) {
      if (is_torch_trace_file_name(entry.filename().native()) && is_readable_kind(entry)) {
        found.push_back(make_file(entry));
      }
    }
  }
  return found;
}

std::vector<RankGroup> group_by_rank(std::vector<InputFile> files, bool pre_init_attribution,
                                     Diagnostics& diagnostics) {
  std::ranges::sort(files, {},
                    [](const InputFile& file) { return std::tie(file.name, file.path); });
  Processes processes;
  for (const InputFile& file : files) {
    if (file.parsed.rank) processes.add(file, diagnostics);
  }
  std::vector<RankGroup> groups;
  std::map<int, size_t> index;
  RankGroup without_rank;
  std::vector<InputFile> early;
  for (InputFile& file : files) {
    if (!file.parsed.rank) {
      early.push_back(std::move(file));
      continue;
    }
    const auto [at, is_new] = index.try_emplace(*file.parsed.rank, groups.size());
    if (is_new) groups.push_back({file.parsed.rank, {}});
    groups[at->second].files.push_back(std::move(file));
  }
  for (InputFile& file : early) {
    const auto rank = pre_init_attribution ? processes.find(file) : std::nullopt;
    RankGroup& group = rank ? groups[index.at(*rank)] : without_rank;
    group.files.push_back(std::move(file));
  }
  if (!without_rank.files.empty()) groups.push_back(std::move(without_rank));
  for (RankGroup& group : groups) {
    std::ranges::sort(group.files, {}, order_in_group);
  }
  return groups;
}

}  // namespace ks::io
