#include "inductor/kernel_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "inductor/py_text.h"

namespace ks::inductor {
namespace {

// Before torch 2.1 they stood without "triton_heuristics.".
constexpr std::array<std::string_view, 9> kHeuristics = {"pointwise",
                                                         "reduction",
                                                         "persistent_reduction",
                                                         "cooperative_reduction",
                                                         "split_scan",
                                                         "fixed_config",
                                                         "template",
                                                         "foreach",
                                                         "user_autotune"};

// The heuristic that "@NAME(..." names, or empty.
std::string_view heuristic_of(std::string_view decorator) {
  const std::string_view name = identifier_at(decorator, 1, true);
  const size_t dot = name.rfind('.');
  if (decorator.substr(1 + name.size(), 1) != "(") return {};
  if (dot == name.npos) {
    const bool known = std::find(kHeuristics.begin(), kHeuristics.end(), name) != kHeuristics.end();
    return known ? name : std::string_view();
  }
  const std::string_view module = name.substr(0, dot);
  return module == "triton_heuristics" || module.ends_with(".triton_heuristics")
             ? name.substr(dot + 1)
             : std::string_view();
}

// Where the function that begins with `def` ends, as Python's inspect.getsource sees it: comments
// at its end belong to it if they stand as deep as its body.
size_t end_of_function(PyStatements& statements, const PyStatement& def) {
  size_t end = def.end, body_column = 0;
  while (const auto statement = statements.next()) {
    if (statement->comment) {
      if (body_column > 0 && statement->column >= body_column) end = statement->end;
      continue;
    }
    if (statement->column <= def.column) break;
    if (body_column == 0) body_column = statement->column;
    end = statement->end;
  }
  return end;
}

std::string_view name_of_def(std::string_view def) {
  return identifier_at(def, std::min(def.find_first_not_of(' ', 3), def.size()));
}

// Without blanks and comments in front.
std::string_view skip_comments(std::string_view text) {
  text = trim(text);
  while (text.starts_with('#')) text = trim(text.substr(std::min(text.find('\n'), text.size())));
  return text;
}

// A parameter is NAME[: ANNOTATION][= DEFAULT].
void add_parameter(std::vector<Parameter>& out, std::string_view text) {
  text = skip_comments(text);
  while (text.starts_with('*')) text.remove_prefix(1);
  const std::string_view name = identifier_at(text, 0);
  if (name.empty()) return;
  const std::string_view rest = trim(text.substr(name.size()));
  out.push_back({name, rest.starts_with(':') && rest.find("constexpr") != rest.npos});
}

}  // namespace

std::optional<KernelText> find_kernel(std::string_view module) {
  PyStatements statements(module);
  KernelText found;
  size_t decorated = std::string_view::npos;  // where the decorators of the next function begin
  while (const auto statement = statements.next()) {
    if (statement->comment || statement->column > 0) continue;
    if (statement->text.starts_with('@')) {
      decorated = std::min(decorated, statement->begin);
      const std::string_view heuristic = heuristic_of(statement->text);
      if (heuristic.empty() || !found.heuristic.empty()) continue;
      found.heuristic = heuristic;
      found.decorator = statement->text.substr(1);
    } else if (!found.heuristic.empty() && statement->text.starts_with("def ")) {
      const size_t end = end_of_function(statements, *statement);
      found.name = name_of_def(statement->text);
      found.function = module.substr(statement->begin, end - statement->begin);
      found.decorated = module.substr(decorated, end - decorated);
      if (found.name.empty()) return std::nullopt;
      return found;
    } else {
      found = {};
      decorated = std::string_view::npos;
    }
  }
  return std::nullopt;
}

std::vector<Parameter> parameters(std::string_view function) {
  std::vector<Parameter> out;
  size_t at = function.find('(');
  if (at == function.npos) return out;
  size_t depth = 0, begin = at + 1;
  while (at < function.size()) {
    const size_t token = at;
    at = end_of_token(function, at, depth);
    const bool ends = depth == 0 || (depth == 1 && function[token] == ',');
    if (token < begin || !ends) continue;
    add_parameter(out, function.substr(begin, token - begin));
    begin = at;
    if (depth == 0) break;
  }
  return out;
}

bool has_harness(std::string_view module) {
  PyStatements statements(module);
  bool get_args = false, call = false;
  while (const auto statement = statements.next()) {
    if (statement->column > 0) continue;
    get_args |= statement->text.starts_with("def get_args(");
    call |= statement->text.starts_with("def call(");
  }
  return get_args && call;
}

}  // namespace ks::inductor
