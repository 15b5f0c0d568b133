// What call stacks tell: benchmark launches, autotune sessions, the user's own frame.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "run/interner.h"

namespace ks::run {

namespace {

constexpr std::string_view kTritonAutotuner = "triton/runtime/autotuner.py";
constexpr std::string_view kSelectAlgorithm = "_inductor/select_algorithm.py";
constexpr std::string_view kInductorHeuristics = "_inductor/runtime/triton_heuristics.py";

// Parts of paths that are not the user's own code.
constexpr std::array<std::string_view, 9> kLibraries = {
    "-packages/torch/",       "-packages/triton/",
    "-packages/tritonparse/", "tritonparse/structured_logging",
    "triton/runtime/",        "triton/backends/",
    "torch/_inductor/",       "-packages/kernelscope/",
    "torch/_dynamo/"};

bool in_file(const StackFrame& frame, std::string_view part) {
  return frame.filename.find(part) != std::string::npos;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return text.starts_with(p); });
}

bool is_triton_session_frame(const StackFrame& f) {
  return in_file(f, kTritonAutotuner) && (f.function == "run" || f.function == "_bench");
}

bool is_triton_benchmark_frame(const StackFrame& f) {
  return in_file(f, kTritonAutotuner) && f.function == "_bench";
}

// Inductor times everything through benchmarking.py: the configs of a kernel (triton_heuristics.py,
// whose own frames are there in older versions too) and the choices of a template
// (select_algorithm.py, max-autotune).
bool is_inductor_benchmark_frame(const StackFrame& f) {
  if (in_file(f, "_inductor/runtime/benchmarking.py")) return f.function.starts_with("benchmark");
  if (in_file(f, kSelectAlgorithm)) return f.function.find("benchmark") != std::string::npos;
  return in_file(f, kInductorHeuristics) &&
         (f.function == "benchmark_all_configs" || f.function == "bench" ||
          f.function.find("coordinate_descent") != std::string::npos);
}

// docs/trace-format.md: the frames before the autotuner's, as "filename:line:name" joined with '|'.
std::string session_of_frames(const std::vector<const StackFrame*>& frames, size_t first,
                              size_t end) {
  std::string text;
  for (size_t i = first; i < end; ++i) {
    if (i > first) text += '|';
    text += fmt::format("{}:{}:{}", frames[i]->filename, frames[i]->line, frames[i]->function);
  }
  return sha256_hex(text).substr(0, 16);
}

}  // namespace

AutotuneTraits autotune_traits(const std::vector<const StackFrame*>& frames) {
  AutotuneTraits traits;
  const auto any = [&](auto predicate) {
    return std::any_of(frames.begin(), frames.end(), [&](auto* f) { return predicate(*f); });
  };
  const auto index_of = [&](auto predicate) {
    return static_cast<size_t>(
        std::find_if(frames.begin(), frames.end(), [&](auto* f) { return predicate(*f); }) -
        frames.begin());
  };
  const bool triton_benchmark = any(is_triton_benchmark_frame);
  traits.benchmark = triton_benchmark || any(is_inductor_benchmark_frame);
  const size_t triton = index_of(is_triton_session_frame);
  if (triton < frames.size()) {
    traits.user_frames = triton;
    if (triton > 0) traits.session_id = session_of_frames(frames, 0, triton);
    return traits;
  }
  // A template's choices are timed while the graph is compiled, with the same innermost frames for
  // every operation: the whole way to there is the session.
  const size_t choices = index_of([](const StackFrame& f) { return in_file(f, kSelectAlgorithm); });
  if (traits.benchmark && choices < frames.size()) {
    traits.inductor = true;
    traits.user_frames = choices;
    if (choices > 0) traits.session_id = session_of_frames(frames, 0, choices);
    return traits;
  }
  // Inductor tunes at the first call of a kernel from the generated wrapper: the wrapper's line is
  // the session, whichever way the program came to it.
  const size_t inductor =
      index_of([](const StackFrame& f) { return in_file(f, kInductorHeuristics); });
  if (inductor < frames.size()) {
    traits.inductor = true;
    traits.user_frames = inductor;
    if (inductor > 0) traits.session_id = session_of_frames(frames, inductor - 1, inductor);
  }
  return traits;
}

size_t user_call_site(const std::vector<const StackFrame*>& frames) {
  for (size_t i = frames.size(); i-- > 0;) {
    const std::string& file = frames[i]->filename;
    const bool library =
        std::any_of(kLibraries.begin(), kLibraries.end(),
                    [&](std::string_view part) { return file.find(part) != std::string::npos; }) ||
        starts_with_any(file, {"<frozen", "<string>"});
    const bool standard_library = file.find("/lib/python3") != std::string::npos &&
                                  file.find("-packages/") == std::string::npos;
    if (!library && !standard_library) return i;
  }
  return frames.size();
}

}  // namespace ks::run
