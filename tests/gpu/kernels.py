"""Kernel files for the tests on a GPU: a good one of Inductor's, and what can go wrong with one."""
import os
import re

GOOD = '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

from torch._dynamo.testing import rand_strided
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
import torch

@triton_heuristics.pointwise(
    size_hints={'x': 4194304},
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=MULTIPROCESSORS, cc=CAPABILITY, major=MAJOR, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32), 'constants': {}, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'NAME', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'num_load': 2, 'num_reduction': 0, 'backend_hash': '0', 'are_deterministic_algorithms_enabled': False, 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'kernel_num_gb': 0.050331648, 'kernel_flop': 0},
    min_elem_per_thread=0
)
@triton.jit
def NAME(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 4194304
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr0 + (x0), None)
    tl.store(in_out_ptr0 + (x0), tmp0 + tmp1, None)


def get_args():
    arg_0 = rand_strided((4194304,), (1,), device='cuda:0', dtype=torch.float32)
    arg_1 = rand_strided((4194304,), (1,), device='cuda:0', dtype=torch.float32)
    return arg_0, arg_1, 4194304,


def call(args):
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        stream0 = get_raw_stream(0)
        NAME.run(*args, stream=stream0)
'''

# name -> (what to replace, by what, the status that must come out)
BAD = {
    "no_module": ("import torch\n", "import torch\nimport no_such_module_anywhere\n", "import_error"),
    "raises": ("def get_args():", "def get_args():\n    raise ValueError('no arguments today')", "kernel_error"),
    "too_large": ("rand_strided((4194304,), (1,)", "rand_strided((1 << 40,), (1,)", "out_of_memory"),
    "hangs": ("        stream0 =", "        while True: pass\n        stream0 =", "timeout"),
    "hangs_on_gpu": ("        stream0 =", "        torch.cuda._sleep(1 << 60)\n        stream0 =", "timeout"),
    "bad_address": ("in_ptr0 + (x0), None)\n    tl.store", "in_ptr0 + (x0.to(tl.int64) + (1 << 42)), None)\n    tl.store",
                    "fault"),
    "kills_itself": ("def get_args():", "def get_args():\n    import os; os.kill(os.getpid(), 9)", "crash"),
    "no_harness": ("def call(args):", "def other(args):", "no_harness"),
    "launches_nothing": ("        NAME.run(*args, stream=stream0)", "        pass", "not_launched"),
}
# Measured like a good one: what it says must disturb nobody.
NOISY = ("def get_args():", "def get_args():\n    import os; print('x' * 1000000); os.write(1, b'y' * 1000000)")


def write(folder, name, change=None):
    import torch
    properties = torch.cuda.get_device_properties(0)
    text = GOOD.replace("MULTIPROCESSORS", str(properties.multi_processor_count))
    text = text.replace("CAPABILITY", f"{properties.major}{properties.minor}").replace("MAJOR", str(properties.major))
    if change:
        assert change[0] in text, change
        text = text.replace(change[0], change[1])
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"\bNAME\b", f"triton_poi_{name}", text))
    return path
