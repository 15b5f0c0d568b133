#pragma once
// One entry of the cache as text:
//   {"format":1,"key":{"source_hash":"...",...},"measurement":{...}}

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "profile/cache.h"
#include "trace/value.h"

namespace ks::profile {

template <typename Key, typename F>
void for_each_part(Key& key, F f) {
  f("source_hash", key.source_hash);
  f("kernel", key.kernel);
  f("config", key.config);
  f("device", key.device);
  f("driver", key.driver);
  f("cuda", key.cuda);
  f("torch", key.torch);
  f("triton", key.triton);
  f("source", key.source);
  f("metrics", key.metrics);
  f("cache_control", key.cache_control);
  f("clock_control", key.clock_control);
  f("tool", key.tool);
  f("latency", key.latency);
}

void append_key(JsonWriter& json, const CacheKey& key);
CacheKey key_from_value(const trace::Value& value);

struct CacheEntry {
  CacheKey key;
  Measurement measurement;
};
std::string entry_text(const CacheKey& key, const Measurement& measurement);
Result<CacheEntry> read_entry(std::string_view text);

}  // namespace ks::profile
