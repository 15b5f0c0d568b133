#include "profile/collector/cold_cache.h"

#include <algorithm>

namespace ks::collector {
namespace {

// void ks_evict(const uint4* buffer, uint64_t count, unsigned* sink): each thread folds every n-th
// 16 bytes; the store never happens with a buffer of zeros, but the compiler cannot know. PTX,
// because the driver compiles it for whatever GPU is there.
constexpr char kPtx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry ks_evict(.param .u64 p_buffer, .param .u64 p_count, .param .u64 p_sink) {
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<12>;
  ld.param.u64 %d1, [p_buffer];
  ld.param.u64 %d2, [p_count];
  ld.param.u64 %d3, [p_sink];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d3, %d3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %d4, %r1, %r2;
  cvt.u64.u32 %d5, %r3;
  add.u64 %d4, %d4, %d5;
  mul.wide.u32 %d6, %r4, %r2;
  mov.u32 %r5, 0;
loop:
  setp.ge.u64 %p1, %d4, %d2;
  @%p1 bra done;
  shl.b64 %d7, %d4, 4;
  add.u64 %d8, %d1, %d7;
  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d8];
  or.b32 %r6, %r6, %r7;
  or.b32 %r8, %r8, %r9;
  or.b32 %r6, %r6, %r8;
  or.b32 %r5, %r5, %r6;
  add.u64 %d4, %d4, %d6;
  bra loop;
done:
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra end;
  st.global.u32 [%d3], %r5;
end:
  ret;
}
)";

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 8;
constexpr uint64_t kFold =
    4;  // lines are not replaced strictly by age: one L2 of reads is not enough
constexpr uint64_t kLeast = uint64_t{64} << 20;

}  // namespace

Problem ColdCache::open(CUdevice device) {
  int l2 = 0, processors = 0;
  api().cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
  api().cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  bytes_ = std::max(kFold * static_cast<uint64_t>(std::max(l2, 0)), kLeast);
  blocks_ = kBlocksPerMultiprocessor * static_cast<unsigned>(std::max(processors, 1));
  if (Problem p = from_cuda(api().cuModuleLoadData(&module_, kPtx), "loading the eviction kernel"))
    return p;
  if (Problem p = from_cuda(api().cuModuleGetFunction(&function_, module_, "ks_evict"),
                            "loading the eviction kernel"))
    return p;
  if (Problem p = from_cuda(api().cuMemAlloc(&buffer_, bytes_), "allocating the eviction buffer"))
    return p;
  if (Problem p = from_cuda(api().cuMemAlloc(&sink_, 4), "allocating the eviction buffer"))
    return p;
  return from_cuda(api().cuMemsetD8(buffer_, 0, bytes_), "clearing the eviction buffer");
}

Problem ColdCache::evict(CUstream stream) {
  // Lines loaded with evict_last, as Inductor does for what it will read again, outlive any
  // reading.
  if (Problem p = from_cuda(api().cuCtxResetPersistingL2Cache(), "evicting L2")) return p;
  uint64_t count = bytes_ / 16;
  void* parameters[] = {&buffer_, &count, &sink_};
  if (Problem p = from_cuda(api().cuLaunchKernel(function_, blocks_, 1, 1, kThreads, 1, 1, 0,
                                                 stream, parameters, nullptr),
                            "evicting L2"))
    return p;
  return from_cuda(api().cuStreamSynchronize(stream), "evicting L2");
}

}  // namespace ks::collector
