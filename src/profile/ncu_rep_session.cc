#include "profile/ncu_rep_session.h"

#include <algorithm>

#include "base/text.h"

namespace ks::profile {
namespace {

constexpr size_t kMaxDevices = 1024, kMaxAttributes = 4096, kMaxText = 200;

// The word behind an option, given as "--option word" or "--option=word".
std::string option(std::string_view line, std::string_view name, std::string_view otherwise) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return std::string(otherwise);
  std::string_view rest = trim(line.substr(at + name.size()));
  if (rest.starts_with('=')) rest = trim(rest.substr(1));
  return std::string(rest.substr(0, std::min(rest.find_first_of(" \t"), kMaxText)));
}

}  // namespace

std::optional<RepValue> read_rep_value(std::string_view message) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1 && field->type == 2) return RepValue{true, field->bytes, 0};
    if (field->number == 2 && field->type == 5) return RepValue{false, {}, field->as_float()};
    if (field->number == 3 && field->type == 1) return RepValue{false, {}, field->as_double()};
    if ((field->number == 4 || field->number == 5) && field->type == 0) {
      return RepValue{false, {}, static_cast<double>(field->value)};
    }
  }
  return std::nullopt;
}

void RepSession::add(std::string_view details) {
  WireReader reader(details);
  while (const auto field = reader.next()) {
    if (field->type != 2) continue;
    if (field->number == 6) add_device(field->bytes);
    if (field->number == 8) add_fact(field->bytes);
    if (field->number == 11) command_line = field->bytes;
  }
}

// A name and its text: "CUDA Version", "13.0".
void RepSession::add_fact(std::string_view fact) {
  const auto name = find_field(fact, 1);
  const auto text = find_field(fact, 2);
  if (!name || !text) return;
  if (name->bytes == "CUDA Version") cuda = text->bytes.substr(0, kMaxText);
  if (name->bytes == "Nsight Compute Target") {
    tool = text->bytes.substr(0, std::min(text->bytes.find(' '), kMaxText));
  }
}

void RepSession::add_device(std::string_view message) {
  if (devices.size() >= kMaxDevices) return;
  const auto id = find_field(message, 1);
  RepDevice& device = devices[id ? id->value : 0];
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->type != 2) continue;
    if (field->number == 2) device.name = field->bytes.substr(0, kMaxText);
    if (field->number != 3 || device.attributes.size() >= kMaxAttributes) continue;
    const auto name = find_field(field->bytes, 1);
    const auto value = find_field(field->bytes, 2);
    const auto read = value ? read_rep_value(value->bytes) : std::nullopt;
    if (name && read && !read->is_text) device.attributes.emplace_back(name->bytes, read->number);
  }
}

void RepSession::fill(Circumstances& c) const {
  if (!tool.empty()) c.tool = "ncu " + std::string(tool);
  c.cuda = std::string(cuda);
  const std::string_view program = command_line.substr(0, command_line.find(' '));
  if (!program.ends_with("ncu") && !program.ends_with("nv-nsight-cu-cli")) return;
  c.cache_control = option(command_line, "--cache-control", "all");
  c.clock_control = option(command_line, "--clock-control", "base");
}

}  // namespace ks::profile
