#include "profile/cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>

#include "profile/cache_entry.h"
#include "profile/file_text.h"
#include "profile/measurement_json.h"
#include "profile/parallel.h"

namespace ks::profile {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kEntryFormat = 1;
constexpr std::string_view kEnd = ".json", kTemp = kTempMark;
constexpr std::string_view kSources = "sources";
constexpr size_t kEntryLimit = 8u << 20;  // an entry has 2 kB; what is larger is none of ours
// Younger files of this kind may belong to a process that is writing.
constexpr int64_t kTempAge = 3600;

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string entry_path(const std::string& folder, std::string_view digest) {
  return fmt::format("{}/{}/{}{}", folder, digest.substr(0, 2), digest, kEnd);
}

Result<> make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error || fs::is_directory(folder, error)) return {};
  return fail(ErrorKind::io, fmt::format("{}: {}", folder, error.message()));
}

// The sub-folders of two digits, sorted.
std::vector<std::string> shelves(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.size() == 2 && is_hex(name)) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

template <typename F>
void for_each_file(const std::string& shelf, F f) {
  std::error_code error;
  for (fs::directory_iterator it(shelf, error), end; !error && it != end; it.increment(error)) {
    f(it->path().string(), it->path().filename().string());
  }
}

bool is_entry_name(std::string_view name) {
  return name.size() == 64 + kEnd.size() && name.ends_with(kEnd) && is_hex(name.substr(0, 64));
}

std::string digest_of(const std::string& path) {
  return path.substr(path.size() - kEnd.size() - 64, 64);
}

int64_t age_of(const struct stat& about) {
  return static_cast<int64_t>(std::time(nullptr)) - static_cast<int64_t>(about.st_mtim.tv_sec);
}

// Removes the file if it is old enough; gives its size.
uint64_t remove_older(const std::string& path, int64_t age_s) {
  struct stat about{};
  if (lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return 0;
  if (age_of(about) < age_s || unlink(path.c_str()) != 0) return 0;
  return static_cast<uint64_t>(about.st_size);
}

}  // namespace

std::string entry_text(const CacheKey& key, const Measurement& measurement) {
  std::string text;
  text.reserve(2048);
  JsonWriter json(text);
  json.begin_object().field("format", kEntryFormat);
  append_key(json.key("key"), key);
  append_measurement(json.key("measurement"), measurement);
  json.end_object();
  return text + '\n';
}

Result<CacheEntry> read_entry(std::string_view text) {
  const Result<trace::Value> value = read_json(text);
  if (!value) return tl::make_unexpected(value.error());
  const trace::Value* key = value->find("key");
  const trace::Value* measurement = value->find("measurement");
  if (value->number("format") != kEntryFormat || !key || !measurement) {
    return fail(ErrorKind::input, "no entry of the cache");
  }
  Result<Measurement> read = measurement_from_value(*measurement);
  if (!read) return tl::make_unexpected(read.error());
  return CacheEntry{key_from_value(*key), std::move(*read)};
}

Result<Cache> Cache::open(const std::string& folder) {
  if (Result<> made = make_folder(folder); !made) return tl::make_unexpected(made.error());
  return Cache(folder);
}

std::optional<Measurement> Cache::find(const CacheKey& key) const {
  const std::string digest = key.digest();
  const Result<std::string> text = read_text_file(entry_path(folder_, digest), kEntryLimit);
  if (!text) {
    if (text.error().kind == ErrorKind::limit) ++std::atomic_ref(damaged_);
    return std::nullopt;
  }
  Result<CacheEntry> entry = read_entry(*text);
  if (!entry || entry->key != key) {
    ++std::atomic_ref(damaged_);
    return std::nullopt;
  }
  return std::move(entry->measurement);
}

Result<> Cache::put(const CacheKey& key, const Measurement& measurement) const {
  if (!is_cached(measurement.status)) return {};
  const std::string path = entry_path(folder_, key.digest());
  const std::string text = entry_text(key, measurement);
  const std::string shelf = fs::path(path).parent_path().string();
  Result<> written = write_text_file(path, text);
  // The first entry of its shelf; or gc of another process took the empty shelf away, even between
  // our making and our writing, hence more than one try.
  for (int tries = 0; !written && tries < 3 && access(shelf.c_str(), F_OK) != 0; ++tries) {
    if (Result<> made = make_folder(shelf); !made) return made;
    written = write_text_file(path, text);
  }
  return written;
}

Result<std::string> Cache::put_source(std::string_view source_hash, std::string_view text) const {
  if (!is_hex(source_hash)) return fail(ErrorKind::input, "no hash of a source text");
  const std::string folder = fmt::format("{}/{}", folder_, kSources);
  const std::string path = fmt::format("{}/{}.py", folder, source_hash);
  // Inductor writes NAME.best_config beside it, so the same text stays the same file.
  if (const auto there = read_text_file(path, text.size() + 1); there && *there == text) {
    return path;
  }
  if (Result<> made = make_folder(folder); !made) return tl::make_unexpected(made.error());
  if (Result<> done = write_text_file(path, text); !done) return tl::make_unexpected(done.error());
  return path;
}

// Nothing: gone meanwhile, or damaged.
std::optional<Cache::Entry> Cache::read_file(const std::string& path) const {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  const Result<std::string> text = read_text_file(path, kEntryLimit);
  if (!text && text.error().kind != ErrorKind::limit) return std::nullopt;
  Result<CacheEntry> read = text ? read_entry(*text) : tl::make_unexpected(text.error());
  if (!read || read->key.digest() != digest_of(path)) {
    ++std::atomic_ref(damaged_);
    return std::nullopt;
  }
  return Entry{std::move(read->key), std::move(read->measurement), path,
               static_cast<uint64_t>(about.st_size), age_of(about)};
}

Result<std::vector<Cache::Entry>> Cache::list() const {
  std::vector<std::string> paths;
  for (const std::string& shelf : shelves(folder_)) {
    for_each_file(shelf, [&](const std::string& path, const std::string& name) {
      if (is_entry_name(name)) paths.push_back(path);
    });
  }
  std::vector<std::optional<Entry>> found(paths.size());
  for_each_index(paths.size(), kFileThreads, [&](size_t i) { found[i] = read_file(paths[i]); });
  std::vector<Entry> entries;
  entries.reserve(found.size());
  for (std::optional<Entry>& entry : found) {
    if (entry) entries.push_back(std::move(*entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.key.kernel, a.file) < std::tie(b.key.kernel, b.file);
  });
  return entries;
}

Result<uint64_t> Cache::collect(int64_t age_s) const {
  uint64_t freed = 0;
  for (const std::string& shelf : shelves(folder_)) {
    for_each_file(shelf, [&](const std::string& path, const std::string& name) {
      if (is_entry_name(name)) freed += remove_older(path, age_s);
      if (name.find(kTemp) != name.npos) freed += remove_older(path, kTempAge);
    });
    rmdir(shelf.c_str());  // only if it is empty
  }
  for_each_file(fmt::format("{}/{}", folder_, kSources),
                [&](const std::string& path, const std::string& name) {
                  const bool temp = name.find(kTemp) != name.npos;
                  freed += remove_older(path, temp ? kTempAge : age_s);
                });
  return freed;
}

}  // namespace ks::profile
