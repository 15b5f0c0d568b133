// A comparison as CSV, JSON and text.

#include <fmt/format.h>

#include "base/csv.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "profile/diff.h"

namespace ks::profile {
namespace {

std::string real(const std::optional<double>& value) {
  std::string text;
  if (value) append_json_real(text, *value);
  return text;
}

void real_field(JsonWriter& json, std::string_view name, const std::optional<double>& value) {
  json.key(name);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

std::string us(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string harmless(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

}  // namespace

std::string diff_csv(const TableDiff& diff) {
  std::string out;
  append_csv_row(out,
                 {"kernel_name", "kernel_category", "change", "before_us", "after_us", "delta_us",
                  "before_dram_bytes", "after_dram_bytes", "why", "matched_by", "source_hash"});
  for (const DiffRow& row : diff.rows) {
    append_csv_row(
        out, {row.kernel, row.category, std::string(change_name(row.change)), real(row.before_us),
              real(row.after_us), real(row.delta_us), real(row.before_bytes), real(row.after_bytes),
              row.why, row.matched_by, row.source_hash});
  }
  return out;
}

std::string diff_json(const TableDiff& diff) {
  std::string out = "[";
  for (const DiffRow& row : diff.rows) {
    out += out.size() > 1 ? ",\n" : "\n";
    JsonWriter json(out);
    json.begin_object().field("kernel_name", row.kernel).field("kernel_category", row.category);
    json.field("change", change_name(row.change));
    real_field(json, "before_us", row.before_us);
    real_field(json, "after_us", row.after_us);
    real_field(json, "delta_us", row.delta_us);
    real_field(json, "before_dram_bytes", row.before_bytes);
    real_field(json, "after_dram_bytes", row.after_bytes);
    json.field("why", row.why).field("matched_by", row.matched_by);
    json.field("source_hash", row.source_hash).end_object();
  }
  return out + "\n]\n";
}

std::string diff_text(const TableDiff& diff, size_t limit, size_t width) {
  std::string out = fmt::format(
      "{} slower, {} faster, {} the same within noise, {} not comparable, {} only before, {} only "
      "after\n",
      diff.slower, diff.faster, diff.same, diff.not_comparable, diff.only_before, diff.only_after);
  if (diff.before_us > 0) {
    out += fmt::format("Sum of those that compare, each once: {:.1f} us to {:.1f} us ({:+.1f} %)\n",
                       diff.before_us, diff.after_us, 100 * (diff.after_us / diff.before_us - 1));
  }
  size_t shown = 0, hidden = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.change == Change::same) continue;
    if (limit && shown == limit) {
      ++hidden;
      continue;
    }
    if (shown++ == 0) out += "change             before      after      delta  kernel\n";
    const std::string delta = row.delta_us ? fmt::format("{:+.2f}", *row.delta_us) : "-";
    const size_t room = width > 70 ? width - 50 : 0;
    const std::string kernel = harmless(row.kernel);
    out +=
        fmt::format("{:<14} {:>10} {:>10} {:>10}  {}\n", change_name(row.change), us(row.before_us),
                    us(row.after_us), delta, room ? shorten_middle(kernel, room) : kernel);
    if (!row.why.empty()) out += fmt::format("{:>50}{}\n", "", harmless(row.why));
  }
  if (hidden) out += fmt::format("and {} more; --limit 0 shows all\n", hidden);
  return out;
}

}  // namespace ks::profile
