#include "report/table.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "report/words.h"

namespace ks::report {
namespace {

constexpr size_t kGap = 2;  // spaces between columns

// The columns that are shown, their cells made printable, and how wide each is.
class Layout {
 public:
  Layout(const Table& table, size_t width) : table_(table) {
    for (size_t c = 0; c < table.columns.size(); ++c) measure(c);
    const std::vector<size_t> natural = widths_;
    while (width > 0 && total() > width) {
      if (shrink(total() - width)) continue;
      if (!drop()) break;
      widths_ = natural;  // what a column leaves is for the others
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

  // Titles of the columns that had to go, in the order of the table.
  std::vector<std::string> hidden() const {
    std::vector<std::string> titles;
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      const bool gone = std::find(hidden_.begin(), hidden_.end(), c) != hidden_.end();
      if (gone && !table_.columns[c].title.empty()) {
        titles.push_back(printable(table_.columns[c].title));
      }
    }
    return titles;
  }
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
    widths_.push_back(std::max(widest, display_width(printable(table_.columns[column].title))));
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
    hidden_.push_back(*last);
    shown_.erase(last);
    return true;
  }

  const Table& table_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<size_t> widths_;
  std::vector<size_t> shown_;
  std::vector<size_t> hidden_;
};

}  // namespace

std::string fit(std::string_view text, size_t width, Align align) {
  std::string shown = shorten_middle(text, width);
  const size_t has = display_width(shown);
  if (has >= width) return shown;
  const std::string padding(width - has, ' ');
  return align == Align::right ? padding + shown : shown + padding;
}

std::string hidden_text(const std::vector<std::string>& hidden, std::string_view advice,
                        const Style& style, std::string_view indent) {
  constexpr size_t kNamed = 12;
  if (hidden.empty()) return "";
  std::vector<std::string> words(hidden.begin(), hidden.begin() + std::min(hidden.size(), kNamed));
  if (hidden.size() > kNamed) words.push_back(plural(hidden.size() - kNamed, "more column"));
  words.front() = "too narrow for: " + words.front();
  words.back() += " (" + std::string(advice) + ")";
  return wrapped(words, ", ", style.width, indent);
}

std::string render(const Table& table, const Style& style, std::string_view indent,
                   std::vector<std::string>* hidden) {
  const Layout layout(table, style.width > indent.size() ? style.width - indent.size() : 0);
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(printable(column.title));
  std::string out = std::string(indent) + bold(layout.line(titles), style) + '\n';
  for (const auto& row : layout.rows()) {
    out += indent;
    out += layout.line(row);
    out += '\n';
  }
  if (hidden) {
    *hidden = layout.hidden();
  } else {
    out += hidden_text(layout.hidden(), "COLUMNS sets the width", style, indent);
  }
  return out;
}

}  // namespace ks::report
