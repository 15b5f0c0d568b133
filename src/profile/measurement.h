#pragma once
// What one kernel's measurement gave, whatever gave it: CUPTI, ncu, an old log, or a clock.
// The JSON form is what workers send, what the cache holds, and version-checked when read.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ks::profile {

// name, kept in the cache, what it says to the user
#define KS_STATUSES(X)                                                                    \
  X(ok, true, "measured")                                                                 \
  X(not_run, false, "not run")                                                            \
  X(no_file, false, "the kernel's file is not there")                                     \
  X(no_harness, true, "the file has no get_args and call: made without benchmark_kernel") \
  X(import_error, true, "the file could not be imported")                                 \
  X(kernel_error, true, "the kernel or its harness raised an error")                      \
  X(timeout, true, "took longer than --timeout")                                          \
  X(fault, true, "the GPU reported a fault, such as an illegal address")                  \
  X(crash, true, "the worker process died")                                               \
  X(out_of_memory, true, "not enough GPU memory")                                         \
  X(not_launched, true, "the call launched no kernel of this name")                       \
  X(metric_error, true, "a counter could not be collected")                               \
  X(no_permission, false, "counters need a permission that this user does not have")      \
  X(busy, false, "another tool holds the counters")                                       \
  X(no_device, false, "no usable GPU")                                                    \
  X(no_log, false, "no log for this kernel")                                              \
  X(bad_log, false, "the log holds no usable values")                                     \
  X(unsupported, false, "this source cannot measure it")

enum class Status : uint8_t {
#define X(name, cached, text) name,
  KS_STATUSES(X)
#undef X
};
std::string_view status_name(Status status);
std::string_view status_text(Status status);
std::optional<Status> status_from_name(std::string_view name);
bool is_cached(Status status);

// Where and under what rules it was measured: every number says where it comes from.
struct Circumstances {
  std::string source;      // cupti, ncu, log, time
  std::string device;      // NVIDIA H200
  std::string chip;        // GH100; empty: unknown
  std::string capability;  // 9.0
  std::optional<int64_t> sm_count;
  std::string driver, cuda, torch, triton;  // versions
  std::string tool;                         // version of collector or ncu
  std::string cache_control;                // all: L2 cold and clean; none: as the warm-up left it
  std::string clock_control;                // none, base
  std::optional<double> peak_dram_bytes_per_second;
  friend bool operator==(const Circumstances&, const Circumstances&) = default;
};

struct LaunchFacts {
  std::string kernel;  // symbol name that was launched
  std::optional<std::array<int64_t, 3>> grid, block;
  std::optional<int64_t> registers;                      // per thread
  std::optional<int64_t> local_bytes;                    // per thread: spills and stack
  std::optional<int64_t> spills;                         // as Triton counts them
  std::optional<int64_t> static_shared, dynamic_shared;  // bytes per block
  std::optional<int64_t> blocks_per_sm;  // theoretical, by registers, shared memory and warps
  friend bool operator==(const LaunchFacts&, const LaunchFacts&) = default;
};

struct Measurement {
  Status status = Status::not_run;
  std::string reason;  // one line; empty where ok
  // By ncu's metric names, in base units: ns, byte, byte/s, Hz, %, counts. Not collected: absent.
  std::map<std::string, double> metrics;
  int64_t passes = 0;
  std::string config;  // of the measured launch: "XBLOCK: 1024, num_warps: 4, num_stages: 1"
  LaunchFacts launch;
  std::optional<double> latency_us;
  std::string latency_source;  // harness, events
  Circumstances circumstances;
  std::vector<std::string> notes;
  friend bool operator==(const Measurement&, const Measurement&) = default;

  std::optional<double> metric(std::string_view name) const;
};

std::string to_json(const Measurement& measurement);  // one line without its end
// Unknown members are left out; wrong types are an error.
Result<Measurement> measurement_from_json(std::string_view json);

}  // namespace ks::profile
