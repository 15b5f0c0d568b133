#pragma once
// What `ls` and `show` ask of a run file, as plain structs.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/connection.h"

namespace ks::store {

// A compiled variant with what is counted over it.
struct KernelRow {
  uint64_t id = 0;
  std::string name;
  uint64_t variant = 1;        // n-th of its name
  uint64_t variants = 1;       // of its name
  std::string hash;            // empty: not known
  uint64_t user_launches = 0;  // winners included
  uint64_t winner_launches = 0, benchmark_launches = 0, warm_up_launches = 0, captured_launches = 0;
  std::string status;
  bool compilation_seen = false;
  std::string backend, arch, triton_version;
  std::optional<int64_t> num_warps, num_stages, num_ctas, shared_bytes, maxnreg;
  std::optional<int64_t> registers, spilled_registers, spill_bytes, stack_bytes, scalar_registers;
  std::string source_file;
  std::optional<int64_t> source_start_line;
  uint64_t cold_compilations = 0, cached_compilations = 0;
  std::optional<int64_t> cold_us, cached_us;  // medians
  uint64_t configurations = 0;
  std::string attribution;  // how its launches were found: "hash", "exact", "handle order"...
  std::string dots;         // "64x64x32 f16"
  std::optional<int64_t> load_bytes, store_bytes, flops;  // static, of one CTA
  bool cost_is_lower_bound = false;

  uint64_t other_launches() const {
    return benchmark_launches + warm_up_launches + captured_launches;
  }
};

// All kernels, in the order of the run.
Result<std::vector<KernelRow>> kernels(Connection& connection);

struct CompilationRow {
  std::optional<int64_t> rank, pid, frame, frame_compile;
  std::optional<bool> cache_hit;
  std::optional<int64_t> total_us;
  std::string call_site;                                // file:line in function
  std::vector<std::pair<std::string, int64_t>> stages;  // microseconds
};

struct ArtifactRow {
  uint64_t id = 0;
  std::string stage, name;
  uint64_t bytes = 0, lines = 0;
  uint64_t mapped = 0, unmapped = 0, unknown_location = 0;
};

struct LoopRow {
  uint64_t begin_line = 0, end_line = 0, depth = 0;
  std::optional<int64_t> trip_count;
};

struct DotRow {
  uint64_t line = 0, loop_depth = 0;
  std::string shape, types;
};

struct AutotuneRow {
  std::string session, autotuner, name, config, call_site;
  std::optional<uint64_t> kernel;
  bool winner = false;
  std::optional<double> best_ms;  // first of the timings
  uint64_t benchmark_launches = 0, user_launches = 0;
};

// What the constants of a kernel are read from.
struct KernelText {
  uint64_t kernel = 0;
  std::string name, metadata, python;  // metadata: JSON
};

// Of all variants of a name.
Result<std::vector<KernelText>> kernel_texts(Connection& connection, const std::string& name);

// Inclusive ranges of positions among the user launches.
using Ranges = std::vector<std::pair<int64_t, int64_t>>;

struct DiffValue {
  std::string json;
  uint64_t launches = 0;
  Ranges at;
};

struct DiffField {
  std::string name;
  bool varies = false;
  uint64_t distinct = 0, present = 0;
  std::optional<int64_t> aligned;  // pointers: launches where it is divisible by 16
  bool is_pointer = false, is_volatile = false, is_measured = false;
  std::vector<DiffValue> values;  // in order of first sight; none for pointers
};

struct LockStep {
  uint64_t distinct = 0;
  std::vector<std::string> fields;
};

struct ConfigurationRow {
  uint64_t launches = 0;
  Ranges at;
  std::vector<std::pair<std::string, std::optional<std::string>>> fields;  // JSON; none: absent
  std::vector<std::pair<std::string, uint64_t>> call_sites;
};

struct KernelDiff {
  std::vector<DiffField> fields;
  std::vector<LockStep> lock_steps;
  std::vector<ConfigurationRow> configurations;
};

struct KernelDetails {
  std::vector<CompilationRow> compilations;
  std::vector<ArtifactRow> artifacts;
  std::vector<LoopRow> loops;
  std::vector<DotRow> dots;
  std::vector<std::string> cost_notes;
  std::vector<AutotuneRow> autotune;  // of the sessions that this kernel was a config of
};

Result<KernelDetails> kernel_details(Connection& connection, uint64_t kernel);
Result<KernelDiff> kernel_diff(Connection& connection, uint64_t kernel);

struct LaunchItem {
  uint64_t id = 0;
  std::string kind;
  std::optional<int64_t> position, rank;
  std::string grid, call_site;
  std::vector<std::pair<std::string, std::string>> varying;  // field, JSON
};

struct LaunchList {
  std::vector<LaunchItem> launches;
  uint64_t total = 0;  // without the limit
};

// In the order of the input; all_kinds: not only user launches; limit 0: no limit.
Result<LaunchList> kernel_launches(Connection& connection, uint64_t kernel, bool all_kinds,
                                   uint64_t limit);

struct MapRow {
  uint64_t line = 0;  // of the stage text
  std::string source_file, kernel_file;
  std::optional<int64_t> source_line, kernel_line;
  bool inferred = false;
};

struct StageText {
  ArtifactRow artifact;
  std::string text;
  std::vector<MapRow> map;  // by line
};

struct KernelSource {
  std::string file;
  int64_t start_line = 0;
  std::string text;
};

Result<StageText> stage_text(Connection& connection, const ArtifactRow& artifact);
Result<KernelSource> kernel_source(Connection& connection, uint64_t kernel);

// Tables and views for users: name, comment, columns with their types.
struct ViewRow {
  std::string name, comment;
  std::vector<std::pair<std::string, std::string>> columns;
};
Result<std::vector<ViewRow>> views(Connection& connection);

}  // namespace ks::store
