#!/usr/bin/env python3
"""Counts why tests of one ctest run were skipped.

  check_skips.py [--require-shared] LastTest.log

A skip names its reason on the line after ": Skipped" (what GTEST_SKIP() << "..." prints). With --require-shared every
reason must contain a word that is allowed to be absent: "corpus" (other people's files, never committed). Any other
skip, "shared data" first of all, then fails.
Exit 0: fine. 1: a skip that is not allowed. 2: usage.
"""
import re
import sys
from collections import Counter

ALLOWED = ("corpus",)
SKIP = re.compile(r": Skipped\n(.*)")


def reasons(log):
    return Counter(reason.strip() or "no reason given" for reason in SKIP.findall(log))


def forbidden(counts):
    return [reason for reason in counts if not any(word in reason for word in ALLOWED)]


def main(args):
    strict = "--require-shared" in args
    files = [a for a in args if not a.startswith("--")]
    if len(files) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with open(files[0], encoding="utf-8", errors="replace") as f:
        counts = reasons(f.read())
    for reason, count in sorted(counts.items()):
        print(f"skipped {count} tests: {reason}")
    bad = forbidden(counts) if strict else []
    for reason in sorted(bad):
        print(f"not allowed to be skipped here: {reason}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
