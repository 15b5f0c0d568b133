#include "inductor/kernel_module.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "inductor/kernel_text.h"
#include "inductor/py_literal.h"
#include "inductor/py_text.h"

namespace ks::inductor {
namespace {

const PyValue kNothing;

const PyValue& member(const PyValue& value, std::string_view key) {
  const PyValue* found = value.get(key);
  return found ? *found : kNothing;
}

std::optional<int64_t> integer(const PyValue& value) {
  return value.is(PyValue::Kind::integer) ? std::optional(value.integer) : std::nullopt;
}

std::optional<double> number(const PyValue& value) {
  return value.is_number() ? std::optional(value.real) : std::nullopt;
}

std::vector<std::string> strings(const PyValue& value) {
  std::vector<std::string> out;
  for (const PyValue& item : value.items) {
    if (item.is(PyValue::Kind::string)) out.push_back(item.text);
  }
  return out;
}

void read_inductor_meta(const PyValue& meta, Kernel& kernel) {
  kernel.num_gb = number(member(meta, "kernel_num_gb"));
  if (const auto flop = number(member(meta, "kernel_flop")); flop && *flop > 0) kernel.flop = flop;
  kernel.num_load = integer(member(meta, "num_load"));
  kernel.num_store = integer(member(meta, "num_store"));
  kernel.num_reduction = integer(member(meta, "num_reduction"));
  kernel.grid_type = member(meta, "grid_type").text;
  kernel.mutated_args = strings(member(meta, "mutated_arg_names"));
  // A candidate of a template that was not chosen has a placeholder there.
  const std::string& name = member(meta, "kernel_name").text;
  if (kernel.name == "triton_" && !name.starts_with("Placeholder")) kernel.unique_name = name;
}

void read_configs(const PyValue& decorator, Kernel& kernel) {
  const PyValue& configs = member(decorator, "configs");
  if (configs.is(PyValue::Kind::list)) {
    kernel.num_configs = static_cast<int64_t>(configs.items.size());
  } else if (kernel.category == "template" || kernel.category == "fixed_config") {
    kernel.num_configs = 1;
  }
}

// Torch 2.0 had all of it in `meta`.
void read_decorator(const PyValue& decorator, Kernel& kernel) {
  kernel.size_hints = member(decorator, "size_hints").source;
  const std::string& hint = member(decorator, "reduction_hint").text;
  kernel.reduction_hint = hint.substr(hint.rfind('.') + 1);
  const PyValue* inductor_meta = decorator.get("inductor_meta");
  read_inductor_meta(inductor_meta ? *inductor_meta : member(decorator, "meta"), kernel);
  read_configs(decorator, kernel);
}

// Names that the kernel's signature calls constexpr, annotated or not.
std::set<std::string, std::less<>> constexpr_names(const PyValue& decorator) {
  std::set<std::string, std::less<>> names;
  const PyValue* meta = decorator.get("triton_meta");
  const PyValue& signature = member(meta ? *meta : member(decorator, "meta"), "signature");
  for (size_t i = 0; i < signature.keys.size(); ++i) {
    if (signature.items[i].text == "constexpr") names.insert(signature.keys[i].text);
  }
  return names;
}

int64_t count_args(std::string_view function, const PyValue& decorator) {
  const auto names = constexpr_names(decorator);
  int64_t count = 0;
  for (const Parameter& parameter : parameters(function)) {
    count += !parameter.constexpr_ && !names.contains(parameter.name);
  }
  return count;
}

// `xnumel = 256` of the body. A combo kernel has one for each of its parts: then there is none.
void read_numels(std::string_view function, Kernel& kernel) {
  std::set<std::string> several;
  PyStatements statements(function);
  while (const auto statement = statements.next()) {
    const std::string_view name = identifier_at(statement->text, 0);
    const std::string_view rest = statement->text.substr(name.size());
    if (!name.ends_with("numel") || !rest.starts_with(" = ")) continue;
    int64_t value = 0;
    const char* end = rest.data() + rest.size();
    const auto [read, error] = std::from_chars(rest.data() + 3, end, value);
    if (error != std::errc() || read != end) continue;
    const auto [at, added] = kernel.numels.emplace(name, value);
    if (!added && at->second != value) several.insert(at->first);
  }
  for (const std::string& name : several) kernel.numels.erase(name);
}

}  // namespace

std::string hash_of_source(std::string_view text) {
  Sha256 hash;
  text = trim(text);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const size_t last = line.find_last_not_of(" \t\r\f\v");
    hash.update(line.substr(0, last + 1));
    hash.update("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return hex(hash.finish().data(), 16);
}

std::optional<Kernel> read_kernel_module(std::string text) {
  const auto found = find_kernel(text);
  if (!found) return std::nullopt;
  Kernel kernel;
  kernel.name = found->name;
  kernel.category = found->heuristic;
  const PyValue decorator = read_py_value(found->decorator);
  read_decorator(decorator, kernel);
  kernel.num_args = count_args(found->function, decorator);
  read_numels(found->function, kernel);
  kernel.has_harness = has_harness(text);
  kernel.source_hash = hash_of_source(text);
  kernel.source = std::move(text);
  return kernel;
}

}  // namespace ks::inductor
