// The identity of a measurement, and its JSON form in the entries of the cache.

#include "base/hash.h"
#include "profile/cache_entry.h"

namespace ks::profile {

// Changes when the meaning of a key does: old entries are then no longer found.
constexpr std::string_view kKeyFormat = "kernelscope measurement 1";

std::string CacheKey::digest() const {
  std::string text(kKeyFormat);
  for_each_part(*this, [&](std::string_view name, const std::string& value) {
    // Lengths keep the parts apart whatever is in them.
    text += '\n' + std::string(name) + ' ' + std::to_string(value.size()) + ' ' + value;
  });
  return sha256_hex(text);
}

void append_key(JsonWriter& json, const CacheKey& key) {
  json.begin_object();
  for_each_part(key,
                [&](std::string_view name, const std::string& value) { json.field(name, value); });
  json.end_object();
}

CacheKey key_from_value(const trace::Value& value) {
  CacheKey key;
  for_each_part(key, [&](std::string_view name, std::string& part) { part = value.text(name); });
  return key;
}

}  // namespace ks::profile
