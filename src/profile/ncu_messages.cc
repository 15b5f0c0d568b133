#include "profile/ncu_messages.h"

#include <algorithm>
#include <iterator>

namespace ks::profile {
namespace {

struct Known {
  std::string_view text;
  ToolFailure failure;
};

// In order: the first that a line holds decides.
constexpr Known kKnown[] = {
    {"ERR_NVGPUCTRPERM", {Status::no_permission, 9}},
    {"NVIDIA GPU Performance Counters", {Status::no_permission, 9}},
    {"driver resource was unavailable", {Status::busy, 9}},
    {"not compatible with Nsight Compute", {Status::unsupported, 8}},
    {"Failed to initialize the profiler", {Status::unsupported, 8}},
    {"is not supported on", {Status::unsupported, 8}},
    {"No CUDA-capable device", {Status::no_device, 8}},
    {"Failed to save memory for replay", {Status::out_of_memory, 7}},
    {"bad allocation", {Status::out_of_memory, 7}},
    {"out of memory", {Status::out_of_memory, 7}},
    {"OutOfMemory", {Status::out_of_memory, 7}},
    // ncu's CUDA newer than the driver's, or a virtual machine without counters.
    {"Failed to prepare kernel for profiling", {Status::unsupported, 6}},
    {"Unknown Error on device", {Status::unsupported, 6}},
    {"UnknownError", {Status::unsupported, 5}},
    {"LaunchFailed", {Status::fault, 5}},
    {"No metrics to collect", {Status::metric_error, 5}},
    {"No section files found", {Status::metric_error, 5}},
    {"Failed to find metric", {Status::metric_error, 5}},
    {"Failed to profile", {Status::metric_error, 4}},
    {"application returned an error code", {Status::kernel_error, 3}},
    {"No kernels were profiled", {Status::not_launched, 2}},
    {"terminated before first instrumented API call", {Status::not_launched, 1}},
};

constexpr std::string_view kNotable[] = {
    "requires the --target-processes all option",
    "match only push/pop ranges",
    "taking more time than expected",
    "Backing up device memory",
};

bool holds(std::string_view line, std::string_view text) {
  return line.find(text) != std::string_view::npos;
}

bool is_tools(std::string_view line) {
  return holds(line, "==ERROR==") || holds(line, "==WARNING==") || holds(line, "==PROF==") ||
         holds(line, "Nsight Compute") || holds(line, "Failed to initialize the profiler");
}

}  // namespace

std::optional<ToolFailure> tool_failure(std::string_view line) {
  if (!is_tools(line)) return std::nullopt;
  const auto* known =
      std::ranges::find_if(kKnown, [&](const Known& k) { return holds(line, k.text); });
  return known == std::end(kKnown) ? std::nullopt : std::optional(known->failure);
}

bool is_notable_warning(std::string_view line) {
  return holds(line, "==WARNING==") &&
         std::ranges::any_of(kNotable, [&](std::string_view text) { return holds(line, text); });
}

bool says_unmodified_clocks(std::string_view line) {
  return holds(line, "Running with unmodified GPU clocks") ||
         holds(line, "without fixed GPU frequencies");
}

}  // namespace ks::profile
