#pragma once
// Tables of text: aligned, numbers to the right, made to fit.

#include <string>
#include <vector>

#include "report/style.h"

namespace ks::report {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int priority = 0;       // where the width does not do, the highest goes first; 0: never
  size_t min_width = 0;   // may be shortened in the middle down to this; 0: never
  bool optional = false;  // left out where all its cells are empty
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // any text; made printable here

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
};

// Lines that end with '\n'. Columns that had to go are named in `hidden`, or in a last line if that
// is not given.
std::string render(const Table& table, const Style& style, std::string_view indent = "",
                   std::vector<std::string>* hidden = nullptr);

// "too narrow for: a, b (ADVICE)"; empty where nothing is hidden.
std::string hidden_text(const std::vector<std::string>& hidden, std::string_view advice,
                        const Style& style, std::string_view indent = "");

// `text` in exactly `width` columns: padded, or shortened in the middle.
std::string fit(std::string_view text, size_t width, Align align = Align::left);

}  // namespace ks::report
