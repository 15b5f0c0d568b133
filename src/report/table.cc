#include "report/table.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace ks::report {
namespace {

constexpr size_t kGap = 2;  // spaces between columns

// The columns that are shown, their cells made printable, and how wide each is.
class Layout {
 public:
  Layout(const Table& table, size_t width) : table_(table) {
    for (size_t c = 0; c < table.columns.size(); ++c) measure(c);
    while (width > 0 && total() > width && (shrink(total() - width) || drop())) {
    }
  }

  std::string line(const std::vector<std::string>& cells) const {
    std::string text;
    for (const size_t c : shown_) {
      if (!text.empty()) text.append(kGap, ' ');
      text += fit(cells[c], widths_[c], table_.columns[c].align);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::vector<std::string> hidden() const { return hidden_; }
  const std::vector<std::vector<std::string>>& rows() const { return cells_; }

 private:
  void measure(size_t column) {
    cells_.resize(table_.rows.size());
    size_t widest = 0;
    for (size_t r = 0; r < cells_.size(); ++r) {
      cells_[r].resize(table_.columns.size());
      if (column < table_.rows[r].size()) cells_[r][column] = printable(table_.rows[r][column]);
      widest = std::max(widest, display_width(cells_[r][column]));
    }
    widths_.push_back(std::max(widest, display_width(table_.columns[column].title)));
    if (widest > 0 || !table_.columns[column].optional) shown_.push_back(column);
  }

  size_t total() const {
    size_t sum = shown_.empty() ? 0 : kGap * (shown_.size() - 1);
    for (const size_t c : shown_) sum += widths_[c];
    return sum;
  }

  // Takes from the widest column that may be shortened.
  bool shrink(size_t excess) {
    size_t* widest = nullptr;
    size_t least = 0;
    for (const size_t c : shown_) {
      const size_t min = table_.columns[c].min_width;
      if (min == 0 || widths_[c] <= min || (widest && widths_[c] <= *widest)) continue;
      widest = &widths_[c];
      least = min;
    }
    if (!widest) return false;
    *widest -= std::min({excess, *widest - least, std::max<size_t>(1, excess / 2)});
    return true;
  }

  bool drop() {
    const auto last = std::max_element(shown_.begin(), shown_.end(), [&](size_t a, size_t b) {
      return table_.columns[a].priority <= table_.columns[b].priority;
    });
    if (last == shown_.end() || table_.columns[*last].priority == 0) return false;
    hidden_.push_back(table_.columns[*last].title);
    shown_.erase(last);
    return true;
  }

  const Table& table_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<size_t> widths_;
  std::vector<size_t> shown_;
  std::vector<std::string> hidden_;
};

}  // namespace

std::string fit(std::string_view text, size_t width, Align align) {
  std::string shown = shorten_middle(text, width);
  const size_t has = display_width(shown);
  if (has >= width) return shown;
  const std::string padding(width - has, ' ');
  return align == Align::right ? padding + shown : shown + padding;
}

std::string render(const Table& table, const Style& style, std::string_view indent,
                   std::vector<std::string>* hidden) {
  const Layout layout(table, style.width > indent.size() ? style.width - indent.size() : 0);
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  std::string out = std::string(indent) + bold(layout.line(titles), style) + '\n';
  for (const auto& row : layout.rows()) {
    out += indent;
    out += layout.line(row);
    out += '\n';
  }
  if (hidden) *hidden = layout.hidden();
  return out;
}

}  // namespace ks::report
