#pragma once
// The launches of one launch_diff, by class, with what differs within a class apart.

#include <map>
#include <string>

#include "run/launch_diff.h"

namespace ks::ndjson {

struct PointerValues {
  uint64_t distinct = 0;
  uint64_t first = 0;
  uint64_t launches = 0;
  uint64_t aligned = 0;  // divisible by 16
};

struct DiffInput {
  std::vector<run::ClassUse> uses;            // in order of first launch
  std::map<run::Id, PointerValues> pointers;  // by path
  uint64_t timestamps = 0;                    // distinct
  std::string first_timestamp;
  uint64_t launches = 0;
};

std::string pointer_text(uint64_t pointer);  // "0x7f00", with quotes
void append_ranges(std::string& out, const std::vector<run::Range>& ranges);  // [{"start":..},..]

}  // namespace ks::ndjson
