#include "profile/ncu_text.h"

#include "base/text.h"
#include "profile/ncu_builder.h"
#include "profile/ncu_labels.h"
#include "profile/ncu_text_parts.h"

namespace ks::profile {
namespace {

constexpr std::string_view kSection = "    Section: ";

class Pages {
 public:
  void line(std::string_view line) {
    if (auto kernel = read_kernel_line(line)) return start_kernel(std::move(*kernel));
    if (!in_kernel_ || !line.starts_with("    ")) {
      if (!line.starts_with("      ")) builder_.console().add(line);
      return;
    }
    if (line.starts_with(kSection)) return start_section(trim(line.substr(kSection.size())));
    if (line.starts_with("    Warning: ")) return warning(line);
    if (auto rule = read_rule(line)) return meet_rule(*rule);
    if (table_ != Table::none) return row(line);
    builder_.console().add(line);  // the application's, or a hint of ncu's
  }

  NcuLog finish() {
    if (table_ == Table::open) {
      builder_.note("the log ends in the middle of a table: it was cut");
    }
    if (in_kernel_ && unknown_rows_ > 0 && rows_ == 0) {
      builder_.note("no label of the log's tables is known");
    }
    return builder_.finish("text");
  }

 private:
  enum class Table { none, titles, open };

  void start_kernel(NcuKernel kernel) {
    capability_ = capability_number(kernel.circumstances.capability);
    kernel_ = builder_.add_kernel(std::move(kernel));
    in_kernel_ = true;
    start_section({});
  }

  void start_section(std::string_view name) {
    section_ = name;
    table_ = Table::none;
  }

  void warning(std::string_view line) {
    Console tool;
    tool.add(line);
    if (NcuKernel* kernel = builder_.kernel(kernel_); kernel && tool.unmodified_clocks()) {
      kernel->circumstances.clock_control = "none";
    }
  }

  // A rule opens a table, stands below its titles, or closes it.
  void meet_rule(const TableRule& rule) {
    rule_ = rule;
    table_ = table_ == Table::open ? Table::none : Table::open;
  }

  void row(std::string_view line) {
    if (line.starts_with("    Metric Name ")) {
      table_ = Table::titles;
      return;
    }
    const std::optional<TableRow> row = read_row(line, rule_);
    if (!row) return;
    const std::string_view metric = metric_of_label(section_, row->name, capability_);
    ++(metric.empty() ? unknown_rows_ : rows_);
    builder_.cell(kernel_, metric, row->value, row->unit);
  }

  LogBuilder builder_;
  size_t kernel_ = LogBuilder::kNone;
  std::string_view section_;
  TableRule rule_;
  Table table_ = Table::none;
  int capability_ = 0;
  bool in_kernel_ = false;
  size_t rows_ = 0, unknown_rows_ = 0;
};

}  // namespace

NcuLog read_ncu_text(std::string_view text) {
  Pages pages;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    pages.line(line);
  }
  return pages.finish();
}

}  // namespace ks::profile
