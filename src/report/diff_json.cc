#include "base/json_writer.h"
#include "report/diff_text.h"
#include "report/json_parts.h"
#include "report/kernel_fields.h"

namespace ks::report {
namespace {

void append_field(JsonWriter& json, const store::DiffField& field) {
  json.begin_object().field("field", field.name).field("varies", field.varies);
  json.field("present", field.present).field("distinct", field.distinct);
  if (field.aligned) json.field("aligned_launches", *field.aligned);
  json.field("volatile", field.is_volatile).field("measured", field.is_measured);
  json.key("values").begin_array();
  for (const store::DiffValue& value : field.values) {
    json.begin_object().raw_field("value", value.json).field("launches", value.launches);
    append_ranges(json, "at", value.at);
    json.end_object();
  }
  json.end_array().end_object();
}

void append_configuration(JsonWriter& json, const store::ConfigurationRow& row) {
  json.begin_object().field("launches", row.launches);
  append_ranges(json, "at", row.at);
  json.key("fields").begin_object();
  for (const auto& [name, value] : row.fields) json.raw_field(name, value ? *value : "null");
  json.end_object().key("call_sites").begin_array();
  for (const auto& [location, launches] : row.call_sites) {
    json.begin_object().field("location", location).field("launches", launches).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

void append_ranges(JsonWriter& json, std::string_view key, const store::Ranges& ranges) {
  json.key(key).begin_array();
  for (const auto& [start, end] : ranges) json.begin_array().value(start).value(end).end_array();
  json.end_array();
}

void append_diff(JsonWriter& json, const store::KernelDiff& diff) {
  json.key("fields").begin_array();
  for (const store::DiffField& field : diff.fields) append_field(json, field);
  json.end_array().key("move_together").begin_array();
  for (const store::LockStep& step : diff.lock_steps) {
    json.begin_object().field("distinct", step.distinct).key("fields").begin_array();
    for (const std::string& field : step.fields) json.value(field);
    json.end_array().end_object();
  }
  json.end_array().key("configurations").begin_array();
  for (const store::ConfigurationRow& row : diff.configurations) append_configuration(json, row);
  json.end_array();
}

std::string diff_json(const store::KernelRow& kernel, const store::KernelDiff& diff) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema_version", 1).key("kernel");
  append_kernel(json, kernel);
  append_diff(json, diff);
  json.end_object();
  return out + '\n';
}

}  // namespace ks::report
