#!/usr/bin/env python3
"""Measures `kernelscope parse` on large logs and compares with the targets and the last recorded figures.

  run.py --ks BINARY [--quick] [--large] [--only NAME] [--runs N] [--cores N] [--record]

Prints a table; nothing fails because it is slow. bench/README.md says how to read it.
Exit 0: measured. 1: a run of the program failed; the others are shown. 2: usage, or no generator beside the repository.
"""
import argparse
import os
import shutil
import sys

import history
import inputs
import measure

MODES = {"duckdb": [], "ndjson": ["--ndjson"], "compat": ["--compat"]}
# Seconds of wall time on two cores and MB of peak memory that are to be reached.
TARGETS = {("balanced-200", "duckdb"): (0.7, 150), ("balanced-200", "ndjson"): (1.5, 150),
           ("launch-200", "duckdb"): (0.6, None), ("compile-200", "duckdb"): (1.5, None),
           ("balanced-4000", "duckdb"): (15, 400)}
# What tritonparse 4e5fbc4 takes for the same logs: seconds, MB.
REFERENCE = {"balanced-200": (28, 1030), "launch-200": (21, 1067), "compile-200": (71, 947)}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ks", required=True, help="the binary")
    parser.add_argument("--quick", action="store_true", help="the balanced log only, two runs of each mode")
    parser.add_argument("--large", action="store_true", help="also the 4 GB log (takes minutes and 4 GB of disk to make)")
    parser.add_argument("--only", choices=inputs.LOGS, action="append", help="only this log; may be repeated")
    parser.add_argument("--mode", choices=MODES, action="append", help="only this kind of output; may be repeated")
    parser.add_argument("--runs", type=int, help="counted runs of each; 5, or 2 with --quick and for the 4 GB log")
    parser.add_argument("--cores", type=int, default=2, help="cores and threads that the program may use")
    parser.add_argument("--record", action="store_true", help="append the figures to bench/history.ndjson")
    return parser.parse_args()


def plan(args):
    """(log, mode, counted runs), in the order of measuring."""
    names = args.only or [n for n in inputs.LOGS if n != "balanced-4000" and (not args.quick or n == "balanced-200")]
    if args.large and "balanced-4000" not in names:
        names.append("balanced-4000")
    for name in names:
        modes = args.mode or (["duckdb"] if name == "balanced-4000" else ["duckdb", "ndjson"])
        for mode in modes:
            yield name, mode, args.runs or (2 if args.quick or name == "balanced-4000" else 5)


def ratio(value, base):
    return f"{value / base:.2f}" if base else "-"


def verdict(entry):
    wall, peak = TARGETS.get((entry["input"], entry["mode"]), (None, None))
    missed = [name for name, value, target in (("time", entry["wall_s"], wall), ("memory", entry["peak_mb"], peak))
              if target and value > target]
    if not wall:
        return "no target"
    return "reached" if not missed else "missed: " + " and ".join(missed)


COLUMNS = ("log", "output", "best s", "median", "user s", "MB/s", "peak MB", "/target", "mem/target", "/last", "mem/last", "target")


def row(entry, before):
    wall, peak = TARGETS.get((entry["input"], entry["mode"]), (None, None))
    last_wall, last_peak = (before["wall_s"], before["peak_mb"]) if before else (None, None)
    return (entry["input"], entry["mode"], f"{entry['wall_s']:.2f}", f"{entry['median_s']:.2f}", f"{entry['user_s']:.2f}",
            f"{entry['mb_s']:.0f}", f"{entry['peak_mb']:.0f}", ratio(entry["wall_s"], wall), ratio(entry["peak_mb"], peak),
            ratio(entry["wall_s"], last_wall), ratio(entry["peak_mb"], last_peak), verdict(entry))


def print_table(rows):
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(rows[0]))]
    for cells in rows:
        left = [cell.ljust(width) if i in (0, 1, len(widths) - 1) else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(cells, widths))]
        print("  ".join(left).rstrip())


def print_phases(entries):
    print("\nWhere the time went, in seconds, summed over the threads; tables is after the last record")
    print_table([("log", "output", *measure.PHASES, "")] + [
        (e["input"], e["mode"], *(f"{e['phases'][p]:.2f}" if p in e["phases"] else "-" for p in measure.PHASES), "")
        for e in entries])


def print_reference(entries):
    for entry in entries:
        if entry["mode"] == "duckdb" and entry["input"] in REFERENCE:
            seconds, mb = REFERENCE[entry["input"]]
            print(f"{entry['input']}: the reference takes {seconds} s and {mb} MB; "
                  f"{seconds / entry['wall_s']:.0f} times as long, {mb / entry['peak_mb']:.1f} times the memory")


def why_not(args):
    """What keeps us from measuring, or None."""
    if not os.access(args.ks, os.X_OK):
        return f"no program at {args.ks}; ./run build makes build/release/kernelscope"
    if args.record and os.path.realpath(args.ks) != os.path.realpath(inputs.ROOT / "build" / "release" / "kernelscope"):
        return "only figures of build/release/kernelscope are recorded"
    if not inputs.GENERATOR.is_file():
        return f"no log generator at {inputs.GENERATOR}: nothing to measure"
    return None


def measure_one(args, name, mode, runs, cores):
    folder, out = inputs.folder_of(name), inputs.CACHE / "out"
    inputs.into_page_cache(folder)
    try:
        figures = measure.measure(args.ks, folder, out, MODES[mode], cores, runs)
    finally:
        shutil.rmtree(out, ignore_errors=True)
    size = inputs.size_of(folder)
    return {"input": name, "mode": mode, "bytes": size, "cores_used": len(cores), "runs": runs,
            "mb_s": round(size / 1e6 / figures["wall_s"], 1), **figures}


def measure_all(args, cores):
    """The figures, and how many measurements failed."""
    entries, failed = [], 0
    for name, mode, runs in plan(args):
        try:
            entries.append(measure_one(args, name, mode, runs, cores))
        except measure.Failed as failure:
            print(failure, file=sys.stderr)
            failed += 1
    return entries, failed


def main():
    args = options()
    problem = why_not(args)
    if problem:
        print(f"run.py: {problem}", file=sys.stderr)
        return 2
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"The machine is busy (load {load:.1f}): expect slower figures than it can give.", file=sys.stderr)
    entries, failed = measure_all(args, measure.pick_cores(args.cores))
    if entries:
        print_table([COLUMNS] + [row(e, history.last(e["input"], e["mode"], e["cores_used"])) for e in entries])
        print_phases(entries)
        print()
        print_reference(entries)
    if args.record and entries:
        history.append(entries, load)
        print(f"recorded in {history.PATH.relative_to(inputs.ROOT)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
