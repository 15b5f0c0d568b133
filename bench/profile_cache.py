#!/usr/bin/env python3
"""Warm cache: 10,000 distinct kernels from the cache to CSV. Target: under 1 s.

  bench/profile_cache.py --ks build/release/kernelscope [--kernels 10000] [--folder build/bench-data/profile]

Makes kernel files (the text of a real pointwise kernel, each with its own number) and a metadata CSV, fills the cache with made-up
measurements through `--source fake`, and times the same command on the warm cache: with the files read and hashed, and `--from-cache`.
"""
import argparse
import csv
import subprocess
import sys
import time
from pathlib import Path

KERNEL = '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={{'x': 131072}}, 
    filename=__file__,
    triton_meta={{'signature': {{'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, warp_size=32), 'constants': {{}}, 'configs': [{{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}}]}},
    inductor_meta={{'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_{n}', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'kernel_num_gb': 0.000786432, 'kernel_flop': 0}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_{n}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)


def get_args():
    arg_0 = rand_strided((131072,), (1,), device='cuda:0', dtype=torch.float32)
    arg_1 = rand_strided((131072,), (1,), device='cuda:0', dtype=torch.bfloat16)
    return arg_0, arg_1, 131072,


def call(args):
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        stream0 = get_raw_stream(0)
        triton_poi_fused_{n}.run(*args, stream=stream0)
'''


def make(folder, count):
    rows = []
    for n in range(count):
        path = folder / "k" / f"{n % 100:02d}" / f"c{n:050d}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KERNEL.format(n=n))
        rows.append([f"triton_poi_fused_{n}", str(path), "pointwise", "{'x': 131072}", "0.000786"])
    with open(folder / "in.csv", "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["kernel_name", "kernel_path", "kernel_category", "size_hints", "kernel_args_num_gb"])
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ks", required=True)
    parser.add_argument("--kernels", type=int, default=10000)
    parser.add_argument("--folder", default="build/bench-data/profile")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    folder = Path(args.folder).resolve() / str(args.kernels)
    command = [args.ks, "profile", "-i", str(folder / "in.csv"), "--source", "fake", "--cache", str(folder / "cache"),
               "-o", str(folder / "out.csv"), "--overwrite"]
    if not (folder / "in.csv").exists():
        make(folder, args.kernels)
    start = time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    print(f"first run (fills the cache): {time.perf_counter() - start:.2f} s")
    for name, extra in (("warm", []), ("--from-cache", ["--from-cache"])):
        times = []
        for _ in range(args.runs):
            start = time.perf_counter()
            subprocess.run(command + extra, check=True, stderr=subprocess.DEVNULL)
            times.append(time.perf_counter() - start)
        rows = sum(1 for _ in open(folder / "out.csv")) - 1
        print(f"{name}: {rows} rows, best {min(times):.3f} s, median {sorted(times)[len(times) // 2]:.3f} s")
        if rows != args.kernels:
            sys.exit("rows are missing")


if __name__ == "__main__":
    main()
