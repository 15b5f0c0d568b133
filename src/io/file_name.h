#pragma once
// What the name of a trace file says about the process that wrote it (docs/trace-format.md, files).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ks::io {

inline constexpr std::string_view kTracePrefix = "dedicated_log_triton_trace_";
inline constexpr std::string_view kTorchTracePrefix = "dedicated_log_torch_trace_";

struct TraceFileName {
  std::optional<int> rank;
  std::optional<int64_t> pid;
  std::optional<std::string> host;
  std::string base;       // the name without .gz or .zst and without .bin.ndjson, .ndjson or .clp
  bool is_trace = false;  // holds kTracePrefix, at any place
};

// Parts are read from the right, so that look-alikes inside the user's name do no harm. Any part
// may be missing; a number that does not fit counts as missing.
TraceFileName parse_trace_file_name(std::string_view name);

bool is_torch_trace_file_name(std::string_view name);

// .ndjson (also .bin.ndjson), as it is or with .gz or .zst behind it.
bool has_ndjson_extension(std::string_view name);

bool is_clp_file_name(std::string_view name);

}  // namespace ks::io
