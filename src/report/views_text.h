#pragma once
// What `query RUN` without SQL prints.

#include <string>
#include <vector>

#include "report/style.h"
#include "store/kernel_queries.h"

namespace ks::report {

std::string views_text(const std::vector<store::ViewRow>& views, std::string_view run,
                       const Style& style);
std::string views_json(const std::vector<store::ViewRow>& views);

}  // namespace ks::report
