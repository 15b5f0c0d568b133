#pragma once
// The C interface of libkernelscope_collector.so, which the Python worker loads with ctypes before
// the first CUDA call. All calls come from one thread. A call gives a Code of problem.h (0: ok);
// ks_problem() then has the sentence, until the next call. Times are in the metrics' own units.

#include <stdint.h>

#define KS_COLLECTOR_VERSION "1"

#pragma GCC visibility push(default)
extern "C" {

struct KsLaunch {
  char name[1024];
  uint32_t grid[3], block[3];
  int32_t registers, local_bytes, static_shared, dynamic_shared, blocks_per_sm;
  int32_t launches;  // launches of this name that were seen between ks_arm and ks_disarm
  int32_t range;     // of the measured launch in its session
};

const char* ks_version(void);
const char* ks_problem(void);

// Host half; needs no GPU. `cupti`: path of libcupti, or null. `metrics`: names, comma-separated.
int ks_open(const char* cupti);
const char* ks_cupti_path(void);
const char* ks_chips(void);  // comma-separated
int ks_configure(const char* chip, const char* metrics, uint32_t* passes);

// Device half; a CUDA context must be current. counters: 0 for the cold cache only.
int ks_attach(int counters);
const char* ks_chip(void);  // of the current context's device; null where unknown

// A session measures many launches. It holds the GPU's counters, machine-wide, from ks_begin to
// ks_end (which take 190 ms together), and counts every launch of the process as one of
// `max_launches`, evictions included. Between them any number of rounds; a round is, for each pass:
// ks_start; for each kernel ks_arm, one call of it, ks_disarm; ks_stop. The same calls in the same
// order in each pass. Start and stop take 30 ms together, a launch 1 ms (H200, CUDA 13.0).
int ks_begin(uint32_t max_launches);
int ks_start(void);
// The next launch of `kernel` ("*": of any) is the measured one; cold: L2 is made cold and clean
// right before it. ks_disarm waits for it, and says what was launched.
int ks_arm(const char* kernel, int cold);
int ks_disarm(struct KsLaunch* launch);
int ks_stop(int* more);  // 1: another pass is wanted
int ks_values(const struct KsLaunch* launch,
              double* values);  // after the last pass; one per metric
void ks_end(void);

// Makes L2 cold and clean on this stream, for timing without counters.
int ks_evict(void* stream);
void ks_detach(void);
}
#pragma GCC visibility pop
