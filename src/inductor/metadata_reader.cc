#include <fmt/format.h>

#include <algorithm>

#include "base/csv.h"
#include "base/text.h"
#include "inductor/metadata_table.h"

namespace ks::inductor {
namespace {

// Short rows are filled up, so that a table costs rows times columns, however small the file.
constexpr size_t kMaxColumns = 1000, kMaxCells = 20'000'000;

bool is_header(const CsvRow& row) {
  return std::any_of(row.begin(), row.end(), [](const std::string& cell) {
    return trim(cell) == "kernel_name" || trim(cell) == "kernel_path";
  });
}

bool is_blank(const CsvRow& row) {
  return std::all_of(row.begin(), row.end(), [](const auto& cell) { return trim(cell).empty(); });
}

// How often something was put right, and where first.
struct Mended {
  size_t count = 0, line = 0;
  void add(size_t at_line) {
    if (count++ == 0) line = at_line;
  }
};

class Reader {
 public:
  explicit Reader(std::string_view csv) : csv_(csv) {}

  Result<MetadataTable> read() {
    while (auto row = csv_.next()) {
      if (is_blank(*row)) continue;
      if (is_header(*row)) {
        if (auto set = header(*row); !set) return tl::make_unexpected(set.error());
      } else if (places_.empty()) {
        early_.emplace_back(csv_.line(), std::move(*row));
        if (early_.size() > kMaxEarly) break;
      } else if (!add(std::move(*row), csv_.line())) {
        return fail(ErrorKind::limit, fmt::format("the table has more than {} cells", kMaxCells));
      }
    }
    if (places_.empty()) {
      return fail(ErrorKind::input, "no header with kernel_name or kernel_path is there");
    }
    finish();
    return std::move(table_);
  }

 private:
  static constexpr size_t kMaxEarly = 100'000;

  // Where each cell of the rows below goes. Columns that are new come behind those that are known.
  Result<> header(CsvRow& row) {
    for (std::string& cell : row) cell = trim(cell);
    if (!places_.empty() && row == header_) {
      again_.add(csv_.line());
      return {};
    }
    if (!places_.empty()) changed_.add(csv_.line());
    std::vector<size_t> places;
    for (const std::string& name : row) places.push_back(place_of(name, places));
    if (table_.columns.size() > kMaxColumns) {
      return fail(ErrorKind::limit,
                  fmt::format("the header has more than {} columns", kMaxColumns));
    }
    places_ = std::move(places);
    header_ = std::move(row);
    hints_ = static_cast<size_t>(std::find(header_.begin(), header_.end(), "size_hints") -
                                 header_.begin());
    take_early();
    return {};
  }

  // Two columns of one name in one header stay two.
  size_t place_of(const std::string& name, const std::vector<size_t>& taken) {
    std::vector<std::string>& columns = table_.columns;
    if (columns.size() > kMaxColumns) return kMaxColumns;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == name && std::find(taken.begin(), taken.end(), i) == taken.end()) return i;
    }
    columns.push_back(name);
    return columns.size() - 1;
  }

  // Two processes that began the file at once may have put the header behind rows.
  void take_early() {
    for (auto& [line, row] : early_) {
      if (row.size() != header_.size()) {
        not_rows_.add(line);
      } else {
        early_rows_.add(line);
        add(std::move(row), line);
      }
    }
    early_.clear();
  }

  // `{'x': 1, 'r0_': 2}` without the quotes around it: its parts are one cell.
  void join_hints(CsvRow& row) const {
    if (row.size() <= header_.size() || hints_ >= header_.size()) return;
    const std::string_view begin = trim(row[hints_]);
    if (!begin.starts_with('{') && !begin.starts_with('[')) return;
    const char close = begin[0] == '{' ? '}' : ']';
    const size_t extra = row.size() - header_.size();
    for (size_t n = 0; n <= extra; ++n) {
      if (row[hints_ + n].find(close) == std::string::npos) continue;
      for (size_t i = 1; i <= n; ++i) row[hints_] += "," + row[hints_ + i];
      const auto first = row.begin() + static_cast<ptrdiff_t>(hints_) + 1;
      row.erase(first, first + static_cast<ptrdiff_t>(n));
      return;
    }
  }

  bool add(CsvRow row, size_t line) {
    if ((table_.rows.size() + 1) * table_.columns.size() > kMaxCells) return false;
    join_hints(row);
    if (row.size() < header_.size()) short_.add(line);
    if (row.size() > header_.size()) long_.add(line);
    std::vector<std::string>& cells = table_.rows.emplace_back(table_.columns.size());
    for (size_t i = 0; i < std::min(row.size(), places_.size()); ++i) {
      cells[places_[i]] = std::move(row[i]);
    }
    return true;
  }

  void note(const Mended& what, std::string_view text) {
    if (what.count == 0) return;
    table_.notes.push_back(fmt::format("{} {}, first in line {}.", what.count, text, what.line));
  }

  void finish() {
    for (auto& row : table_.rows) row.resize(table_.columns.size());
    note(again_, "repeated header(s) left out");
    note(changed_, "header(s) with other columns in the middle; the columns were put together");
    note(early_rows_, "row(s) in front of the header taken as rows");
    note(not_rows_, "line(s) in front of the header left out");
    note(short_, "row(s) shorter than the header, filled with empty cells");
    note(long_, "row(s) longer than the header; what was beyond it was left out");
  }

  CsvReader csv_;
  MetadataTable table_;
  CsvRow header_;
  std::vector<size_t> places_;  // of the header's cells among the columns
  size_t hints_ = 0;
  std::vector<std::pair<size_t, CsvRow>> early_;
  Mended again_, changed_, early_rows_, not_rows_, short_, long_;
};

}  // namespace

Result<MetadataTable> read_metadata(std::string_view csv) { return Reader(csv).read(); }

}  // namespace ks::inductor
