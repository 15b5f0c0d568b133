#pragma once
// ncu's binary report, .ncu-rep: "NVR\0", a header, then blocks of length-prefixed messages. Field
// numbers are those of the definitions that ship with ncu (extras/FileFormat); NVIDIA may change
// them, so unknown fields and blocks are passed over.

#include <string_view>

#include "profile/ncu_log.h"

namespace ks::profile {

bool is_ncu_rep(std::string_view bytes);
NcuLog read_ncu_rep(std::string_view bytes);

}  // namespace ks::profile
