#pragma once
// Where in a module's text its kernel stands. Nothing of it is interpreted here.

#include <optional>
#include <string_view>
#include <vector>

namespace ks::inductor {

struct KernelText {
  std::string_view heuristic;  // pointwise, user_autotune, ...
  std::string_view decorator;  // triton_heuristics.pointwise(...)
  std::string_view name;       // of the function
  std::string_view function;   // from "def" to its last line
  std::string_view decorated;  // the same from its first decorator
};

// The first function under a decorator of torch._inductor's triton_heuristics; nothing if the
// module has none. Strings are not looked into: a wrapper has none.
std::optional<KernelText> find_kernel(std::string_view module);

struct Parameter {
  std::string_view name;
  bool constexpr_ = false;  // by its annotation
};

// The parameters of a function, which may stand on many lines.
std::vector<Parameter> parameters(std::string_view function);

// Whether the module has what TORCHINDUCTOR_BENCHMARK_KERNEL=1 adds: get_args and call.
bool has_harness(std::string_view module);

}  // namespace ks::inductor
