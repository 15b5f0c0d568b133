#pragma once
// ncu's CSV pages: details (a row per metric) and raw (a row per launch, units in the second row),
// behind anything else on the console.

#include <optional>
#include <string_view>

#include "profile/ncu_log.h"

namespace ks::profile {

// Where the header row begins: the first line whose first cell is "ID" and that has a known column.
std::optional<size_t> find_ncu_csv(std::string_view text);

NcuLog read_ncu_csv(std::string_view text);

}  // namespace ks::profile
