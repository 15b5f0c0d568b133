#include "profile/collector/collector.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profile/collector/cold_cache.h"
#include "profile/collector/launch_watch.h"
#include "profile/collector/params.h"
#include "profile/collector/range_session.h"

namespace ks::collector {
namespace {

struct State {
  Problem problem;
  std::string chip, chips;
  HostConfig host;
  LaunchWatch watch;
  RangeSession session;
  ColdCache cold_cache;
  CUcontext context = nullptr;
  bool cold_cache_open = false;

  std::string wanted;
  bool armed = false, cold = false;
  size_t launches = 0;  // of this pass, whoever made them: the next one's range
  size_t arms = 0;      // of this pass
  size_t shift = 0;     // ranges that we did not expect, all before the wanted launch
  Problem in_callback;
  KsLaunch launch{};
};

State& state() {
  static auto* instance = new State;  // never destroyed: the driver may be gone by then
  return *instance;
}

int report(Problem problem) {
  state().problem = std::move(problem);
  return static_cast<int>(state().problem.code);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

// Old Triton versions put a suffix behind the name: triton_poi_fused_0d1d2de.
bool is_wanted(std::string_view name, std::string_view wanted) {
  if (wanted == "*") return true;
  if (!name.starts_with(wanted)) return false;
  name.remove_prefix(wanted.size());
  return name.find_first_not_of("_0123456789dce") == std::string_view::npos;
}

int attribute(CUfunction function, CUfunction_attribute which) {
  int value = -1;
  if (api().cuFuncGetAttribute(&value, which, function) != CUDA_SUCCESS) value = -1;
  return value;
}

void describe(const Launch& launch, KsLaunch& out) {
  std::strncpy(out.name, launch.name, sizeof out.name - 1);
  for (int i = 0; i < 3; ++i) out.grid[i] = launch.grid[i], out.block[i] = launch.block[i];
  out.registers = attribute(launch.function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  out.local_bytes = attribute(launch.function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  out.static_shared = attribute(launch.function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  out.dynamic_shared = static_cast<int32_t>(launch.shared_bytes);
  const auto threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  if (api().cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &out.blocks_per_sm, launch.function, threads, launch.shared_bytes) != CUDA_SUCCESS)
    out.blocks_per_sm = -1;
}

Problem make_cold(CUstream stream) {
  state().launches += state().cold_cache.launches;
  return state().cold_cache.evict(stream);
}

// Before the driver has done anything for a launch.
void on_launch(const Launch& launch) {
  State& s = state();
  const bool wanted = s.armed && is_wanted(launch.name, s.wanted);
  if (wanted && s.launch.launches++ == 0) {
    describe(launch, s.launch);
    if (s.cold) s.in_callback = make_cold(launch.stream);
    s.launch.range = static_cast<int32_t>(s.launches);
  }
  ++s.launches;
}

Problem check_device(CUdevice device) {
  KS_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, p);
  p.cuDevice = device;
  p.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (api().cuptiProfilerDeviceSupported(&p) != CUPTI_SUCCESS ||
      p.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    return {};
  std::string why;
  const auto name = [&why](const char* what, CUpti_Profiler_Support_Level level) {
    if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
        level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      why += (why.empty() ? "" : ", ") + std::string(what);
  };
  name("architecture before Turing", p.architecture);
  name("SLI", p.sli);
  name("vGPU without profiling", p.vGpu);
  name("confidential compute", p.confidentialCompute);
  name("mining processor", p.cmp);
  name("WSL", p.wsl);
  return {Code::unsupported, "this GPU or its set-up has no counters: " + why};
}

Problem find_chip(CUdevice device) {
  KS_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, p);
  p.deviceIndex = static_cast<size_t>(device);
  if (Problem problem = from_cupti(api().cuptiDeviceGetChipName(&p), "asking for the chip's name"))
    return problem;
  state().chip = p.pChipName;
  return {};
}

CUptiResult initialise_profiler() {
  KS_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, p);
  return api().cuptiProfilerInitialize(&p);
}

// One counter, two evictions, nothing else: how many ranges is an eviction?
Problem count_eviction_launches() {
  State& s = state();
  constexpr size_t kEvictions = 2, kRanges = 16;
  if (Problem p = s.host.open(s.chip, {"gpu__time_duration.sum"})) return p;
  if (Problem p = s.session.open(s.context, s.host, kRanges)) return p;
  if (Problem p = s.session.start()) return p;
  for (size_t i = 0; i < kEvictions; ++i)
    if (Problem p = s.cold_cache.evict(nullptr)) return p;
  bool last = false;
  size_t ranges = 0;
  if (Problem p = s.session.stop(last)) return p;
  if (Problem p = s.session.decode(ranges)) return p;
  s.session.close();
  s.cold_cache.launches = ranges / kEvictions;
  return {};
}

Problem attach_counters(CUdevice device) {
  if (Problem p = from_cupti(initialise_profiler(), "initialising the profiler")) return p;
  if (Problem p = check_device(device)) return p;
  if (Problem p = find_chip(device)) return p;
  // Also the test of permission: it shows itself only when a real kernel is measured.
  if (Problem p = count_eviction_launches()) return p;
  state().watch.before = on_launch;
  return state().watch.open();
}

Problem attach(bool counters) {
  State& s = state();
  if (const std::string text = api().load_cuda(); !text.empty()) return {Code::no_device, text};
  if (Problem p = from_cuda(api().cuCtxGetCurrent(&s.context), "finding the CUDA context"))
    return p;
  if (s.context == nullptr) return {Code::no_device, "no CUDA context is current"};
  CUdevice device = 0;
  if (Problem p = from_cuda(api().cuCtxGetDevice(&device), "finding the device")) return p;
  if (!s.cold_cache_open)
    if (Problem p = s.cold_cache.open(device)) return p;
  s.cold_cache_open = true;
  return counters ? attach_counters(device) : Problem{};
}

Problem disarm(KsLaunch* launch) {
  State& s = state();
  s.armed = false;
  *launch = s.launch;
  if (s.in_callback) return s.in_callback;
  if (s.launch.launches == 0)
    return {Code::not_launched, "the call launched no kernel named " + s.wanted};
  return from_cuda(api().cuCtxSynchronize(), "running the kernel");
}

// Ranges have no names but their order: a launch that only the counters saw, such as one that the
// driver makes for itself, shifts those behind it. With one kernel in the session we know by how
// much, as nothing follows it that we did not see; with several the caller has to try them one by
// one.
Problem stop(int* more) {
  State& s = state();
  bool last = false;
  if (Problem p = s.session.stop(last)) return p;
  *more = last ? 0 : 1;
  if (!last) return {};
  size_t ranges = 0;
  if (Problem p = s.session.decode(ranges)) return p;
  s.shift = ranges - s.launches;
  if (s.shift == 0 || (s.arms == 1 && ranges > s.launches)) return {};
  return {Code::failed, "the counters saw " + std::to_string(ranges) + " launches where " +
                            std::to_string(s.launches) + " were made"};
}

}  // namespace
}  // namespace ks::collector

using namespace ks::collector;

const char* ks_version() { return KS_COLLECTOR_VERSION; }
const char* ks_problem() { return state().problem.text.c_str(); }

int ks_open(const char* cupti) {
  const std::string text = api().load_cupti(cupti ? cupti : "");
  if (!text.empty()) return report({Code::unsupported, text});
  initialise_profiler();  // fails without a GPU (999), and the host half works from then on all the
                          // same
  return report({});
}

const char* ks_cupti_path() { return api().cupti_path.c_str(); }

const char* ks_chips() {
  std::string& all = state().chips;
  all.clear();
  for (const std::string& chip : HostConfig::chips()) all += (all.empty() ? "" : ",") + chip;
  return all.c_str();
}

int ks_configure(const char* chip, const char* metrics, uint32_t* passes) {
  State& s = state();
  s.session.close();
  const Problem problem = s.host.open(chip, split(metrics));
  *passes = static_cast<uint32_t>(s.host.passes());
  return report(problem);
}

int ks_attach(int counters) { return report(attach(counters != 0)); }
const char* ks_chip() { return state().chip.empty() ? nullptr : state().chip.c_str(); }

int ks_begin(uint32_t max_launches) {
  State& s = state();
  return report(s.session.open(s.context, s.host, max_launches));
}

int ks_start() {
  state().launches = state().arms = 0;
  return report(state().session.start());
}

int ks_arm(const char* kernel, int cold) {
  State& s = state();
  s.wanted = kernel;
  s.cold = cold != 0;
  s.in_callback = {};
  s.launch = {};
  s.armed = true;
  ++s.arms;
  return report({});
}

int ks_disarm(KsLaunch* launch) { return report(disarm(launch)); }
int ks_stop(int* more) { return report(stop(more)); }
int ks_values(const KsLaunch* launch, double* values) {
  return report(state().session.values(static_cast<size_t>(launch->range) + state().shift, values));
}

void ks_end() {
  state().armed = false;
  state().session.close();
}

int ks_evict(void* stream) {
  return report(state().cold_cache.evict(static_cast<CUstream>(stream)));
}

void ks_detach() {
  ks_end();
  state().watch.close();
}
