"""Runs `kernelscope parse` on a log and says what it cost."""
import os
import re
import shutil
import statistics
import subprocess
import time

TIMING = re.compile(r"^  ([a-z ]+?)\s+([0-9.]+) (?:s|MB|MB/s)$", re.MULTILINE)
PHASES = ("read", "decode", "analyse", "prepare", "build", "tables")


class Failed(Exception):
    """The program ended with an error; the text is what it said."""


def pick_cores(count):
    """The cores that the program may use. More threads than cores would only measure the scheduler."""
    return set(sorted(os.sched_getaffinity(0))[:count])


def run_once(command, cores):
    """One process: wall, user and system seconds, peak memory in MB, and its stderr."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: os.sched_setaffinity(0, cores))
    said = process.stderr.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise Failed(f"{' '.join(command)}\nended with {process.returncode}: {said.strip()}")
    return {"wall_s": wall, "user_s": usage.ru_utime, "system_s": usage.ru_stime, "peak_mb": usage.ru_maxrss * 1024 / 1e6,
            "said": said}


def phases_of(said):
    """What --timings prints, in seconds. The phases overlap: their sum is more than the wall time."""
    found = {name: float(value) for name, value in TIMING.findall(said)}
    return {name: found[name] for name in PHASES if name in found}


def measure(ks, folder, out, options, cores, runs):
    """Best of `runs` after one that is not counted; each into a fresh folder `out`."""
    command = [ks, "parse", str(folder), "-o", str(out), "--quiet", "--timings", "--threads", str(len(cores)), *options]
    samples = []
    for _ in range(runs + 1):
        shutil.rmtree(out, ignore_errors=True)
        samples.append(run_once(command, cores))
    counted = samples[1:]
    best = min(counted, key=lambda sample: sample["wall_s"])
    figures = {name: round(best[name], 3) for name in ("wall_s", "user_s", "system_s")}
    figures["median_s"] = round(statistics.median(sample["wall_s"] for sample in counted), 3)
    figures["peak_mb"] = round(max(sample["peak_mb"] for sample in counted), 1)
    figures["phases"] = phases_of(best["said"])
    figures["output_mb"] = round(sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e6, 1)
    return figures
