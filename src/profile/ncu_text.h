#pragma once
// ncu's text pages (details and raw) of all three layouts, among anything else on the console.

#include <string_view>

#include "profile/ncu_log.h"

namespace ks::profile {

NcuLog read_ncu_text(std::string_view text);

}  // namespace ks::profile
