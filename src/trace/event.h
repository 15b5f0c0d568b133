#pragma once
// One line of a trace as a typed event. Views point into the block that the line came from and
// live as long as it. The format is in docs/trace-format.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "trace/value.h"

namespace ks::trace {

// A member of a launch record. `json` is its text; the digits of pointers in it are not part of
// `hash`, so that two launches that differ in nothing but addresses have equal hashes.
struct Field {
  std::string_view key;
  std::string_view json;
  Hash128 hash;
};

struct Range32 {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t size() const { return end - begin; }
};

// A launch is mostly repeats: stack, metadata and arguments of one call site are the same text
// each time. Here it is only cut into fields; run/ looks into a field the first time it is seen.
struct Launch {
  Hash128 identity;            // of all fields but the time stamp, without pointer digits
  std::string_view timestamp;  // as written, without quotes; empty if missing
  Range32 fields;              // in DecodedBlock::fields, without the time stamp
  Range32 pointers;            // in DecodedBlock::pointers, in the order of the text
  bool has_derived = false;    // members that an earlier parser added; not among `fields`
};

struct Artifact {
  std::string name;  // "add_kernel.ttir"
  std::string text;
};

struct PythonSource {
  std::string file_path;
  int64_t start_line = 0;  // of `code` in the file, from 1; 0 if missing
  int64_t end_line = 0;
  std::string code;
  int64_t function_start_line = 0;  // whole-file mode only, else 0
  int64_t function_end_line = 0;
};

struct FrameIds {
  std::optional<int64_t> frame_id;
  std::optional<int64_t> frame_compile_id;
  int64_t attempt = 0;
  std::optional<int64_t> compiled_autograd_id;
  friend bool operator==(const FrameIds&, const FrameIds&) = default;
};

struct Compilation {
  std::string hash;
  std::string name;
  Value metadata;
  std::vector<Artifact> artifacts;  // payload.file_content
  Value file_path;
  std::optional<FrameIds> frame;
  std::optional<PythonSource> python;
  Value stack;
  std::optional<int64_t> pid;
  std::string timestamp;
  // Byte positions in the line for whoever copies it with additions (src/ndjson): the closing
  // brace of payload and of metadata, and members of payload that an earlier parser added.
  int64_t attempt_id = 0;  // pt_info.attempt_id: what the reference reads, which nobody writes
  size_t payload_end = 0;
  size_t metadata_end = 0;
  std::string_view python_source_json;  // payload.python_source as written; empty: missing
  bool has_derived = false;             // ir_stages or source_mappings are there: not a raw trace
};

struct Autotune {
  std::string kernel_name;
  std::string cache_key;
  std::optional<std::string> best_config;
  Value timings;  // configs_timings: config text to a number, numbers or "inf"/"nan"; milliseconds
  std::optional<double> duration_s;
  std::string duration_json;  // as written
  std::optional<bool> cache_hit;
  std::string key;  // autotune_key
  Value stack;
  std::optional<int64_t> pid;
  std::string timestamp;
};

using Event = std::variant<Launch, Compilation, Autotune>;

struct Record {
  uint32_t line = 0;  // index into Block::lines
  Event event;
};

}  // namespace ks::trace
