#include "profile/ncu_csv.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/text.h"
#include "profile/ncu_builder.h"
#include "profile/ncu_labels.h"

namespace ks::profile {
namespace {

constexpr size_t kNoColumn = static_cast<size_t>(-1);
// The longest row: the full set's header is 100 kB. What is longer is no row of ncu's.
constexpr size_t kMaxRow = 4U << 20;

constexpr std::string_view kIdentifiers[] = {
    "ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context",
    "Stream", "Block Size", "Grid Size",    "Device",    "CC",          "Invocations"};

bool is_identifier(std::string_view name) {
  // NVTX columns have blanks in their names ("thread Domain:Push/Pop_Range:..."), metrics have
  // none.
  return std::ranges::find(kIdentifiers, name) != std::end(kIdentifiers) ||
         name.find(' ') != std::string_view::npos;
}

struct Header {
  CsvRow names;
  size_t process, kernel, block, grid, capability, section, metric, unit, value;
  std::vector<size_t> metrics;  // raw page only: columns of values

  explicit Header(CsvRow row) : names(std::move(row)) {
    process = column("Process ID");
    kernel = column("Kernel Name");
    block = column("Block Size");
    grid = column("Grid Size");
    capability = column("CC");
    section = column("Section Name");
    metric = column("Metric Name");
    unit = column("Metric Unit");
    value = column("Metric Value");
    if (value == kNoColumn) value = column("Average");  // --print-summary
    if (is_details()) return;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!is_identifier(names[i])) metrics.push_back(i);
    }
  }

  bool is_details() const { return metric != kNoColumn && value != kNoColumn; }
  size_t column(std::string_view name) const {
    const auto at = std::ranges::find(names, name);
    return at == names.end() ? kNoColumn : static_cast<size_t>(at - names.begin());
  }
};

std::string_view cell(const CsvRow& row, size_t column) {
  return column < row.size() ? std::string_view(row[column]) : std::string_view{};
}

bool is_header(const CsvRow& row) {
  if (row.empty() || row[0] != "ID") return false;
  return std::ranges::any_of(row, [](const std::string& name) {
    return name == "Kernel Name" || name == "Metric Name" || name.find("__") != std::string::npos;
  });
}

bool may_be_header(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return line.starts_with("\"ID\"") || line.starts_with("ID,");
}

std::string_view line_at(std::string_view text, size_t at) {
  std::string_view line = text.substr(at, text.find('\n', at) - at);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Rows of values begin with a number, units with an empty cell; all else is somebody's output.
bool is_row_start(std::string_view line) {
  if (line.starts_with('"')) line.remove_prefix(1);
  return !line.empty() && (line[0] == '"' || line[0] == ',' || (line[0] >= '0' && line[0] <= '9'));
}

bool is_id(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class CsvPages {
 public:
  void read(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
      const std::string_view line = line_at(text, at);
      const bool row = may_be_header(line) || (header_ && is_row_start(line));
      if (row) {
        CsvReader reader(text.substr(at, kMaxRow));
        if (take(reader.next().value_or(CsvRow{}))) {
          at += std::max<size_t>(reader.offset(), 1);
          continue;
        }
      }
      builder_.console().add(line);
      const size_t end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
    }
  }

  NcuLog finish() {
    return builder_.finish(header_ && header_->is_details() ? "csv details" : "csv raw");
  }

 private:
  bool take(CsvRow row) {
    if (is_header(row)) {
      header_.emplace(std::move(row));
      units_.clear();
      launches_.clear();
      return true;
    }
    if (!header_) return false;
    if (cell(row, 0).empty()) {
      if (header_->is_details() || row.size() < 2) return false;
      units_ = std::move(row);
      return true;
    }
    if (!is_id(row[0]) || row.size() < 2) return false;
    if (header_->is_details()) {
      details_row(row);
    } else {
      raw_row(row);
    }
    return true;
  }

  size_t add_kernel(const CsvRow& row) {
    NcuKernel kernel;
    kernel.launch.kernel = std::string(cell(row, header_->kernel));
    kernel.launch.grid = read_dim(cell(row, header_->grid));
    kernel.launch.block = read_dim(cell(row, header_->block));
    const std::string_view capability = cell(row, header_->capability);
    if (capability_number(capability) > 0)
      kernel.circumstances.capability = std::string(capability);
    return builder_.add_kernel(std::move(kernel));
  }

  // Rows of one launch stand together, but those of another process may come between.
  void details_row(const CsvRow& row) {
    const std::string_view label = cell(row, header_->metric);
    if (label.empty()) return;  // a rule's
    std::string key = row[0] + ' ' + std::string(cell(row, header_->process));
    auto launch = launches_.find(key);
    if (launch == launches_.end()) {
      const size_t kernel = add_kernel(row);
      if (kernel == LogBuilder::kNone) return;
      launch = launches_.emplace(std::move(key), kernel).first;
    }
    const int capability = capability_number(cell(row, header_->capability));
    const auto metric = metric_of_label(cell(row, header_->section), label, capability);
    builder_.cell(launch->second, metric, cell(row, header_->value), cell(row, header_->unit));
  }

  void raw_row(const CsvRow& row) {
    const size_t kernel = add_kernel(row);
    for (const size_t column : header_->metrics) {
      builder_.cell(kernel, header_->names[column], cell(row, column), cell(units_, column));
    }
  }

  LogBuilder builder_;
  std::optional<Header> header_;
  CsvRow units_;
  std::map<std::string, size_t> launches_;
};

}  // namespace

std::optional<size_t> find_ncu_csv(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (may_be_header(line_at(text, at))) {
      const auto row = CsvReader(text.substr(at, kMaxRow)).next();
      if (row && is_header(*row)) return at;
    }
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return std::nullopt;
}

NcuLog read_ncu_csv(std::string_view text) {
  CsvPages pages;
  pages.read(text);
  return pages.finish();
}

}  // namespace ks::profile
