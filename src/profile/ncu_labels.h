#pragma once
// A text page's labels to metric names. The table is that of the stock section files: the current
// names from the sections that a report of 2025.3 carries, the older from descriptions.

#include <string_view>

namespace ks::profile {

// The metric of a row, or nothing. The section decides between rows of one label ("Memory
// Throughput"); the capability (9.0 is 90; 0: not known) between what one label means on different
// chips. A label that is a metric's name already is given back; "label (name)" gives the name.
std::string_view metric_of_label(std::string_view section, std::string_view label, int capability);

}  // namespace ks::profile
