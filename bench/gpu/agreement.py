#!/usr/bin/env python3
"""Compares our counters with ncu's, kernel by kernel.

  agreement.py OURS.csv... -- NCU.csv...      tables that `kernelscope profile` wrote, several runs of each side

Takes the median of each side's runs. Pairs whose winning configs differ are counted and left out. Prints one line per
claim: within how many per cent what share of the kernels is; then the worst. Exit 1 where a claim does not hold.
"""
import csv
import statistics
import sys

# column, counted only above (in the column's unit), tolerance, share of kernels that must be inside it
CLAIMS = [("duration_us", 5.0, 0.05, 0.95), ("dram_bytes", 4e6, 0.05, 0.95), ("l2_bytes", 1e6, 0.02, 0.95)]


def read(paths):
    """kernel's hash -> list of rows, one per run."""
    kernels = {}
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["status"] == "ok":
                    kernels.setdefault(row["source_hash"], []).append(row)
    return kernels


def median(rows, column):
    values = [float(row[column]) for row in rows if row[column]]
    return statistics.median(values) if values else None


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def judge(pairs, claim):
    column, least, tolerance, share = claim
    found = []
    for ours, ncu in pairs:
        a, b = median(ours, column), median(ncu, column)
        if a is not None and b is not None and b > least:
            found.append((abs(a / b - 1), a / b, b, ours[0]["kernel_name"]))
    if not found:
        print(f"{column}: no kernel above {least:g}")
        return True
    inside = sum(error <= tolerance for error, *_ in found) / len(found)
    ratios = [ratio for _, ratio, *_ in found]
    print(f"{column} over {least:g}: {len(found)} kernels, {inside:.1%} within {tolerance:.0%} (wanted {share:.0%}); ratio "
          f"5% {quantile(ratios, .05):.3f} median {quantile(ratios, .5):.3f} 95% {quantile(ratios, .95):.3f}")
    for error, ratio, value, name in sorted(found, reverse=True)[:5]:
        if error > tolerance:
            print(f"    {ratio:.3f} at {value:g}: {name}")
    return inside >= share


def main(arguments):
    split = arguments.index("--")
    ours, ncu = read(arguments[:split]), read(arguments[split + 1:])
    both = [(ours[k], ncu[k]) for k in ours if k in ncu]
    pairs = [(a, b) for a, b in both if a[0]["config"] == b[0]["config"] or not b[0]["config"]]
    print(f"{len(both)} kernels on both sides, {len(both) - len(pairs)} of them with another winning config (left out)")
    return 0 if all([judge(pairs, claim) for claim in CLAIMS]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
