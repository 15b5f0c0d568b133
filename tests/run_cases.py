#!/usr/bin/env python3
"""Runs golden cases: folders with a `cmd` file and what it must print.

  run_cases.py --ks BINARY [--update] CASE_DIR...

A case is tests/cases/NAME/ with
  cmd            bash, run in a fresh empty folder; a function `kernelscope` and these variables are set:
                 KS the binary, CASE this folder, DATA tests/data, SHARED ../shared/data
  expected.txt   stdout, stderr and the exit code, in one text
  expected/...   optional: files that the command must have written, by relative path
Paths of this machine are replaced by TMP, CASE, DATA and SHARED before the comparison.
A case whose cmd names SHARED is skipped (exit 77) where ../shared/data is absent.
--update writes what was seen into expected.txt and over the files of expected/.
"""
import argparse
import difflib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
DATA = TESTS / "data"
SHARED = TESTS.parent.parent / "shared" / "data"
SKIPPED = 77


def normalise(text, places):
    for path, name in sorted(places.items(), key=lambda place: -len(place[0])):
        text = text.replace(path, name)
    return text


def run_command(case, ks, folder):
    # No colour, no cache of the user, no locale: the same text on every machine.
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": folder, "LC_ALL": "C.UTF-8", "TZ": "UTC", "NO_COLOR": "1",
           "KS": ks, "CASE": str(case), "DATA": str(DATA), "SHARED": str(SHARED)}
    env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    command = 'kernelscope() { "$KS" "$@"; }\n' + (case / "cmd").read_text(encoding="utf-8")
    return subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True)


def transcript(case, done, places):
    shown = "".join(f"$ {line}\n" for line in (case / "cmd").read_text(encoding="utf-8").splitlines())
    text = shown + done.stdout.decode("utf-8", "backslashreplace")
    text += "--- stderr\n" + done.stderr.decode("utf-8", "backslashreplace")
    return normalise(text + f"--- exit {done.returncode}\n", places)


def difference(name, expected, actual):
    lines = difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), f"expected {name}", f"actual {name}")
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at end\n" for line in lines)


def wanted_files(case):
    folder = case / "expected"
    return [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]


def read(path):
    return path.read_text(encoding="utf-8", errors="backslashreplace") if path.is_file() else ""


def compare(pairs, update):
    """pairs: (name, expected path, actual text). Returns the differences; with update writes the actual text instead."""
    found = []
    for name, path, actual in pairs:
        if update:
            path.write_text(actual, encoding="utf-8")
        elif not path.is_file():
            found.append(f"{path} is not there; tools/update_goldens.sh writes it from:\n{actual}")
        else:
            found.append(difference(name, read(path), actual))
    return "".join(found)


def run_case(case, ks, update):
    case = Path(case).resolve()
    if "SHARED" in (case / "cmd").read_text(encoding="utf-8") and not SHARED.is_dir():
        print(f"{case.name}: Skipped\nshared data is absent")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="kernelscope-case-") as folder:
        done = run_command(case, ks, folder)
        places = {os.path.realpath(folder): "TMP", folder: "TMP", str(case): "CASE", str(DATA): "DATA", str(SHARED): "SHARED", ks: "kernelscope"}
        pairs = [("expected.txt", case / "expected.txt", transcript(case, done, places))]
        for name in wanted_files(case):
            pairs.append((str(name), case / "expected" / name, normalise(read(Path(folder) / name), places)))
        found = compare(pairs, update)
    print(f"{case.name}: " + ("written" if update else "differs\n" + found if found else "as expected"))
    return 1 if found else 0


def main(args):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ks", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args(args)
    results = {run_case(case, os.path.realpath(options.ks), options.update) for case in options.cases}
    return 1 if 1 in results else max(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
