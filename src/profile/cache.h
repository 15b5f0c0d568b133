#pragma once
// The cache of measurements: a folder, safe for many processes and machines on a shared file
// system. Entries are whole files that appear by rename; a reader sees all of one or nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/measurement.h"
#include "profile/task.h"

namespace ks::profile {

// All that a measurement depends on. What is not known is empty and part of the key as such.
struct CacheKey {
  std::string source_hash, kernel, config = "auto";
  std::string device, driver, cuda, torch, triton;
  std::string source;   // cupti, ncu, time
  std::string metrics;  // metric_set_key()
  std::string cache_control, clock_control, tool;
  std::string latency;  // "latency" where asked for

  std::string digest() const;  // 64 hex digits
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

// find() and put() may be called from several threads.
class Cache {
 public:
  // Makes the folder where it is not. Reads work on a read-only folder.
  static Result<Cache> open(const std::string& folder);

  // Nothing: not there, or damaged (counted in damaged()).
  std::optional<Measurement> find(const CacheKey& key) const;
  // A status that is not to be cached (is_cached) is left out silently. Disk full is an error; the
  // entry that was there stays whole.
  Result<> put(const CacheKey& key, const Measurement& measurement) const;
  // Text of a kernel found only inside a wrapper, as a file to import: FOLDER/sources/HASH.py.
  Result<std::string> put_source(std::string_view source_hash, std::string_view text) const;

  struct Entry {
    CacheKey key;
    Measurement measurement;
    std::string file;
    uint64_t bytes = 0;
    int64_t age_s = 0;
  };
  Result<std::vector<Entry>> list() const;  // ordered by kernel, then digest
  // Removes entries older than `age_s` and left-over temporary files; gives bytes freed.
  Result<uint64_t> collect(int64_t age_s) const;
  const std::string& folder() const { return folder_; }
  size_t damaged() const { return damaged_; }

 private:
  std::optional<Entry> read_file(const std::string& path) const;

  explicit Cache(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
  mutable size_t damaged_ = 0;
};

}  // namespace ks::profile
