#pragma once
// Where measurements are kept between runs.

#include "cli/command.h"
#include "profile/cache.h"

namespace ks::cli {

// DIR/measurements of --cache DIR, or of $XDG_CACHE_HOME/kernelscope, or of ~/.cache/kernelscope.
Result<std::string> measurement_folder(const Context& context);
Result<profile::Cache> open_measurements(const Context& context);

}  // namespace ks::cli
