#include "inductor/kernel_file.h"

#include <algorithm>

#include "base/text.h"
#include "inductor/kernel_module.h"
#include "inductor/py_literal.h"
#include "inductor/py_text.h"

namespace ks::inductor {
namespace {

constexpr std::string_view kCompile = "async_compile.triton";

// What the comments in front of a kernel in a wrapper say.
struct Provenance {
  std::string path;
  std::vector<std::string> aten_ops, source_nodes;
};

void add_once(std::vector<std::string>& list, std::string_view item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.emplace_back(item);
}

// "...LABEL: [a, b], ..." A combo kernel has one such comment for each of its parts.
void read_list(std::string_view comment, std::string_view label, std::vector<std::string>& out) {
  constexpr size_t kMost = 1000;  // names are compared with all before them
  const size_t at = comment.find(label);
  if (at == comment.npos) return;
  std::string_view list = comment.substr(at + label.size());
  list = list.substr(0, list.find(']'));
  for (const std::string_view item : split(list, ',')) {
    if (out.size() >= kMost) return;
    if (!trim(item).empty()) add_once(out, trim(item));
  }
}

void read_comment(std::string_view comment, Provenance& provenance) {
  constexpr std::string_view kPath = "# kernel path: ";
  if (comment.starts_with(kPath)) {
    const std::string_view path = trim(comment.substr(kPath.size()));
    provenance.path = path == "None" ? "" : path;
  } else if (comment.find("Original ATen: [") != comment.npos) {
    read_list(comment, "Source Nodes: [", provenance.source_nodes);
    read_list(comment, "Original ATen: [", provenance.aten_ops);
  }
}

// The module's text in `NAME = async_compile.triton('name', '''...''', ...)`; before torch 2.1
// there was no name. Empty: the statement is something else.
std::string compiled_source(std::string_view statement, std::string& name) {
  name = identifier_at(statement, 0);
  std::string_view rest = trim(statement.substr(name.size()));
  if (name.empty() || !rest.starts_with('=')) return {};
  rest = trim(rest.substr(1));
  if (!rest.starts_with(kCompile) || rest.substr(kCompile.size(), 1) != "(") return {};
  PyValue call = read_py_value(rest);
  std::string source;
  size_t positional = 0;
  for (size_t i = 0; i < call.items.size() && positional < 2; ++i) {
    if (!call.keys[i].is(PyValue::Kind::none) && call.keys[i].text != "source_code") continue;
    ++positional;
    if (call.items[i].is(PyValue::Kind::string)) source = std::move(call.items[i].text);
  }
  return source;
}

void add_compiled(std::vector<Kernel>& out, std::string_view statement, std::string_view wrapper,
                  Provenance provenance) {
  std::string name;
  std::string source = compiled_source(statement, name);
  if (source.empty()) return;
  std::optional<Kernel> kernel = read_kernel_module(std::move(source));
  if (!kernel) return;
  if (kernel->name == "triton_") kernel->unique_name = name;
  kernel->wrapper = wrapper;
  kernel->path = std::move(provenance.path);
  kernel->aten_ops = std::move(provenance.aten_ops);
  kernel->source_nodes = std::move(provenance.source_nodes);
  out.push_back(std::move(*kernel));
}

std::vector<Kernel> read_wrapper(std::string_view text, std::string_view path) {
  std::vector<Kernel> out;
  Provenance provenance;
  PyStatements statements(text);
  while (const auto statement = statements.next()) {
    if (statement->comment) {
      read_comment(statement->text, provenance);
    } else {
      add_compiled(out, statement->text, path, std::move(provenance));
      provenance = {};
    }
  }
  return out;
}

}  // namespace

std::vector<Kernel> read_kernels(std::string_view text, std::string_view path) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find(kCompile) != text.npos) {
    std::vector<Kernel> kernels = read_wrapper(text, path);
    if (!kernels.empty()) return kernels;
  }
  std::optional<Kernel> kernel = read_kernel_module(std::string(text));
  if (!kernel) return {};
  kernel->path = path;
  std::vector<Kernel> one;
  one.push_back(std::move(*kernel));
  return one;
}

}  // namespace ks::inductor
