#pragma once
// A run: what one or many processes compiled and launched. Plain data, filled by run/builder.h,
// read by everything behind it. Sizes follow the number of distinct things; the launches
// themselves and the stage texts are not in here but go to an Observer as they are read.
//
// Everything that has an id is an index into the vector of the same name. Order is order of first
// sight in the input, so equal input gives equal ids.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/hash.h"
#include "ir/facts.h"
#include "ir/source_map.h"
#include "trace/event.h"

namespace ks::run {

using Id = uint32_t;
inline constexpr Id kNone = 0xFFFFFFFF;

struct Range {  // inclusive
  uint32_t start = 0;
  uint32_t end = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// docs/trace-format.md, launch kinds. "Over user launches" means user and winner.
enum class LaunchKind : uint8_t { user, winner, benchmark, warm_up, graph_capture };
inline constexpr size_t kLaunchKinds = 5;
std::string_view to_string(LaunchKind kind);
inline bool is_user(LaunchKind kind) { return kind <= LaunchKind::winner; }

struct File {
  std::string name;
  Id process = kNone;
  uint64_t bytes = 0;  // decoded
  uint64_t lines = 0;
};

struct Process {
  std::optional<int> rank;
  std::optional<int64_t> pid;  // of the file name, else of the first record
  std::string host;
  uint64_t compilations = 0;
  uint64_t launches = 0;
};

struct StackFrame {
  std::string filename;
  std::string function;
  std::string code;  // source text of the line, may be empty
  int64_t line = 0;
};

// What a call stack says about the launch or compilation that it belongs to.
struct Stack {
  std::vector<Id> frames;  // outermost first, into Run::frames
  bool benchmark = false;  // made by an autotuner to time a config
  bool inductor = false;   // the autotuner is Inductor's (triton_heuristics.py), else Triton's
  Id session = kNone;      // autotune session, by the frames before the autotuner's
  Id call_site = kNone;    // index into frames: the innermost frame of the user's own code
};

// A flattened field of a launch record: "grid", "extracted_args" "x" "shape"...
struct Path {
  std::vector<std::string> parts;
  bool is_pointer = false;  // the last part is data_ptr
  bool is_volatile =
      false;  // differs from launch to launch by nature: pid, stream, function, pointer
  bool is_measured = false;  // tensor statistics and blobs: values of the data, not of the launch
  std::string dotted() const;
};

inline constexpr Id kPointerValue = 0xFFFFFFFE;  // Leaf::value of a pointer kept apart

struct Leaf {
  Id path = kNone;   // into Run::paths
  Id value = kNone;  // into Run::values, or kPointerValue
};

// One distinct text of a field of a launch, or of one argument, pointers apart.
struct Content {
  std::vector<Leaf> leaves;
  std::vector<Id> pointer_paths;  // of its pointers, in the order of the text
  std::string json;               // as first seen; empty for stacks
};

struct Part {
  Id path = kNone;     // "grid", "compilation_metadata", "extracted_args" "x"
  Id content = kNone;  // into Run::contents
};

// Launches that differ in nothing but time and pointers.
struct LaunchClass {
  Id group = kNone;  // into Run::groups
  Id process = kNone;
  Id stack = kNone;  // into Run::stacks
  LaunchKind kind = LaunchKind::user;
  bool valid = true;        // false: a field is not JSON; its launches are counted as bad_json
  bool captured = false;    // arguments were not taken, because of graph capture
  std::vector<Part> parts;  // in the order of the record
  std::vector<int64_t> grid;
  Id grid_value = kNone;
  uint64_t count = 0;
  uint64_t last_launch = 0;      // number in the run of its last launch
  std::vector<Range> positions;  // among the user launches of its group; empty for other kinds
};

struct PointerStats {  // over the user launches of a group
  uint64_t count = 0;
  uint64_t aligned = 0;  // divisible by 16, which is what specialisation looks at
  uint64_t distinct = 0;
  uint64_t first = 0;
};

enum class Attribution : uint8_t {
  hash,          // the launch carries the kernel's hash
  exact,         // no hash, but the name has one variant only
  handle_order,  // n-th handle of a name to its n-th compiled variant
  none,          // counts differ: a variant of its own, with candidates
};
std::string_view to_string(Attribution attribution);

// Launches that belong together by what they carry: the kernel's hash, or process, name and handle.
struct LaunchGroup {
  std::string hash;  // empty: no hash
  std::string name;
  Id process = kNone;    // without hash
  std::string function;  // JSON text of the handle, without hash
  Id kernel = kNone;     // set when the input has ended
  Attribution attribution = Attribution::hash;
  uint32_t position_offset = 0;  // of its user launches among those of the kernel
  std::vector<Id> classes;
  std::array<uint64_t, kLaunchKinds> launches{};
  std::map<Id, PointerStats> pointers;    // by path
  int64_t first_time = 0, last_time = 0;  // seconds since 1970 as written (local time), 0 unknown
};

struct CompileTimes {  // microseconds
  std::optional<int64_t> ir_initialization;
  std::vector<std::pair<std::string, int64_t>> stages;
  std::optional<int64_t> store_results;
  std::optional<int64_t> total() const;  // of what is known
};

struct Compilation {
  Id kernel = kNone;
  Id process = kNone;
  Id stack = kNone;
  std::optional<trace::FrameIds> frame;
  bool frame_from_torch_trace = false;
  std::optional<bool> cache_hit;
  int64_t time = 0;  // as in LaunchGroup
  CompileTimes times;
};

struct ArtifactInfo {
  std::string name;  // "add_kernel.ttir"
  std::string extension;
  ir::Stage stage = ir::Stage::other;
  uint64_t bytes = 0;
  uint32_t lines = 0;
  ir::Coverage coverage;
};

struct KernelFacts {
  ir::Resources resources;
  ir::TtirFacts ttir;
  std::vector<ir::LoopSchedule> schedules;  // for Observer::kernel() only: not kept
  std::optional<ir::BufferOps> buffer_ops;  // AMD only
  std::optional<uint32_t> num_warps_base;   // of the TTGIR module, where it differs
};

// Of the first compilation; of a stand-in what its first launch had.
struct KernelMetadata {
  std::string json;  // the whole object, without texts that are artifacts anyway ("asm"); or empty
  std::optional<int64_t> num_warps, num_stages, num_ctas, shared, maxnreg, warp_size;
  std::string backend;  // cuda, hip...
  std::string arch;     // target.arch as text: 90, gfx942
  std::string triton_version;
};

// A compiled variant: one hash. Launches whose kernel is not known at all have a kernel without a
// hash.
struct Kernel {
  std::string hash;
  std::string name;
  bool compilation_seen = false;
  KernelMetadata metadata;
  std::optional<trace::PythonSource> python;  // with `code` empty: it is Run::sources[source]
  Id source = kNone;
  std::vector<std::pair<std::string, std::string>> file_paths;  // artifact to path; never opened
  std::vector<ArtifactInfo> artifacts;
  KernelFacts facts;
  std::vector<Id> compilations;
  std::vector<Id> groups;      // LaunchGroups
  std::vector<Id> candidates;  // kernels, where Attribution::none
  std::array<uint64_t, kLaunchKinds> launches{};
  uint64_t user_launches() const { return launches[0] + launches[1]; }
  uint64_t other_launches() const { return launches[2] + launches[3] + launches[4]; }
};

struct AutotuneConfig {
  Id kernel = kNone;    // kNone: known from the autotune event only
  std::string config;   // text of the autotune event, or empty
  std::string timings;  // JSON text of the autotune event (milliseconds), or empty
  uint64_t compilations = 0;
  uint64_t benchmark_launches = 0;
  uint64_t user_launches = 0;
  bool winner = false;
};

// One use of an autotuner from one place of the user's program.
struct AutotuneSession {
  std::string session_id;  // 16 hex digits, as the reference makes them
  bool inductor = false;
  bool tuned = false;  // false: passed through the autotuner without anything to choose from
  std::string name;
  Id stack = kNone;        // of its first record
  size_t user_frames = 0;  // how many frames of it come before the autotuner's
  std::vector<AutotuneConfig> configs;
  std::optional<bool> cache_hit;
  std::optional<double> duration_s;
  std::string best_config;
  std::string key;
};

struct Run {
  std::vector<File> files;
  std::vector<Process> processes;
  std::vector<StackFrame> frames;
  std::vector<Stack> stacks;
  std::vector<Path> paths;
  std::vector<std::string> values;   // JSON texts of leaves
  std::vector<std::string> sources;  // distinct Python texts
  std::vector<Content> contents;
  std::vector<LaunchClass> classes;
  std::vector<LaunchGroup> groups;
  std::vector<Compilation> compilations;
  std::vector<Kernel> kernels;
  std::vector<AutotuneSession> sessions;
  uint64_t launches = 0;
  Diagnostics diagnostics;
};

}  // namespace ks::run
