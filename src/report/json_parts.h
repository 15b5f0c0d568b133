#pragma once
// Parts of the JSON that several reports share. Each appends to an object that is open.

#include <string_view>

#include "base/json_writer.h"
#include "store/kernel_queries.h"

namespace ks::report {

void append_ranges(JsonWriter& json, std::string_view key, const store::Ranges& ranges);
void append_diff(JsonWriter& json, const store::KernelDiff& diff);

}  // namespace ks::report
