#include "inductor/kernel_json.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_writer.h"
#include "inductor/metadata_table.h"

namespace ks::inductor {
namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 if it is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (length == 3 && ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F))) {
    return 0;  // overlong, or half of a surrogate pair
  }
  const bool out_of_range = (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return length == 4 && out_of_range ? 0 : length;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    out += length > 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

bool is_count(std::string_view column) {
  constexpr std::array<std::string_view, 14> kCounts = {
      "line_of_code", "num_load", "num_store", "num_for_loop", "num_atomic_add",
      "num_args",     "loads",    "stores",    "reductions",   "args",
      "num_configs",  "xnumel",   "ynumel",    "rnumel"};
  return std::find(kCounts.begin(), kCounts.end(), column) != kCounts.end() ||
         column.ends_with("_numel") || column == "znumel";
}

bool is_real(std::string_view column) {
  return column.ends_with("num_gb") || column == "kernel_flop";
}

template <typename T>
void write_number(JsonWriter& json, std::string_view cell) {
  T value{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc() && end == cell.data() + cell.size() && !cell.empty()) {
    json.value(value);
  } else {
    json.null();
  }
}

void write_list(JsonWriter& json, const std::vector<std::string>& list) {
  json.begin_array();
  for (const std::string& item : list) json.value(valid_utf8(item));
  json.end_array();
}

void write_cell(JsonWriter& json, const Kernel& kernel, std::string_view column,
                std::string_view cell) {
  json.key(column);
  if (column == "mutated_args") return write_list(json, kernel.mutated_args);
  if (column == "aten_ops") return write_list(json, kernel.aten_ops);
  if (column == "source_nodes") return write_list(json, kernel.source_nodes);
  if (is_count(column)) return write_number<int64_t>(json, cell);
  if (is_real(column)) return write_number<double>(json, cell);
  if (column == "has_harness") {
    json.value(kernel.has_harness);
  } else if (cell.empty()) {
    json.null();
  } else {
    json.value(valid_utf8(cell));
  }
}

}  // namespace

std::string kernels_json(const std::vector<Kernel>& kernels, std::string_view model_name) {
  const MetadataTable table = make_metadata(kernels, model_name);
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  for (size_t k = 0; k < kernels.size(); ++k) {
    json.begin_object();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      write_cell(json, kernels[k], table.columns[c], table.rows[k][c]);
    }
    json.end_object();
  }
  json.end_array();
  out += '\n';
  return out;
}

}  // namespace ks::inductor
