#include "report/views_text.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "report/words.h"

namespace ks::report {
namespace {

constexpr const char* kExamples[] = {
    "SELECT name, variant, user_launches, registers FROM kernels ORDER BY user_launches DESC",
    "SELECT k.name, count(*) AS compiled, sum(c.total_us) / 1000 AS ms FROM compilations c "
    "JOIN kernels k USING (kernel_id) GROUP BY k.name ORDER BY ms DESC",
    "SELECT kernel, field, distinct_values FROM launch_diff_fields "
    "WHERE varies AND NOT is_volatile AND NOT is_pointer",
};

}  // namespace

std::string views_text(const std::vector<store::ViewRow>& views, std::string_view run,
                       const Style& style) {
  std::string out;
  for (const store::ViewRow& view : views) {
    std::vector<std::string> columns, comment;
    for (const auto& [name, type] : view.columns) columns.push_back(name);
    for (const std::string_view word : split(view.comment, ' ')) comment.emplace_back(word);
    out += bold(view.name, style) + '\n' + wrapped(comment, " ", style.width, "  ");
    out += dim(wrapped(columns, ", ", style.width, "    "), style) + '\n';
  }
  out += "Types: DESCRIBE kernels. Try:\n";
  for (const char* example : kExamples) {
    out += fmt::format("  kernelscope query {} \"{}\"\n", printable(run), example);
  }
  return out;
}

std::string views_json(const std::vector<store::ViewRow>& views) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema_version", 1).key("views").begin_array();
  for (const store::ViewRow& view : views) {
    json.begin_object().field("name", view.name).field("comment", view.comment);
    json.key("columns").begin_array();
    for (const auto& [name, type] : view.columns) {
      json.begin_object().field("name", name).field("type", type).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return out + '\n';
}

}  // namespace ks::report
