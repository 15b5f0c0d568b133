#!/usr/bin/env python3
"""Holds the order of the folders of src/, and the place of each third-party library.

  check_layers.py SRC        prints what is wrong, one line each; exit 1 if anything is
"""
import re
import sys
from pathlib import Path

# Lowest first. A file may include its own folder and any folder of a lower row.
ROWS = [["base"], ["io"], ["trace"], ["ir"], ["run"], ["ndjson"], ["inductor", "analyze"],
        ["store", "profile", "replay"], ["report"], ["serve", "cli", "python"]]
LEVEL = {folder: level for level, row in enumerate(ROWS) for folder in row}

# Third-party header: the folders, or stems of files, that may include it. Tests may check one library against another.
HOMES = {"simdjson.h": ("trace",), "duckdb.h": ("store",), "CLI/CLI.hpp": ("cli",), "igzip_lib.h": ("io",),
         "isa-l/igzip_lib.h": ("io",), "isa-l.h": ("io",), "isa-l/crc.h": ("io",),
         "libdeflate.h": ("io",), "zstd.h": ("io",), "zlib.h": ("io",), "cuda.h": ("profile/collector/api",),
         "cupti_callbacks.h": ("profile/collector/api",), "cupti_range_profiler.h": ("profile/collector/api",),
         "cupti_profiler_host.h": ("profile/collector/api",)}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
# Talking to the user, ending the process and reading the environment are the command line's business.
TALK = re.compile(r"(?<![\w:.>])(?:std::)?(?:printf|puts|exit|getenv|fprintf)\s*\(|std::c(?:out|err)\b|(?:fmt|std)::print(?:ln)?\s*\(")
COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//.*')


def check_include(folder, name, header):
    target = header.split("/")[0]
    if "/" in header and target in LEVEL and target != folder:
        if LEVEL[target] >= LEVEL[folder]:
            return f"{folder} may not include {target} ({header})"
    homes = HOMES.get(header)
    if homes and "_test" not in name and not any(name == h or name.startswith((h + "/", h + ".", h + "_")) for h in homes):
        return f"{header} belongs in {', '.join(homes)}"
    return None


def check_line(name, line):
    folder = name.split("/")[0]
    if folder not in LEVEL:
        return f"folder {folder} has no place in the order"
    include = INCLUDE.match(line)
    if include:
        return check_include(folder, name, include.group(1))
    talk = TALK.search(COMMENT.sub("", line))
    if talk and folder != "cli" and not name.endswith("_test.cc"):
        return f"{talk.group(0).rstrip('(')} outside src/cli"
    return None


def check_tree(src):
    for path in sorted(p for p in Path(src).rglob("*") if p.suffix in (".cc", ".h")):
        name = path.relative_to(src).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            problem = check_line(name, line)
            if problem:
                yield f"{name}:{number}: {problem}"


if __name__ == "__main__":
    problems = list(check_tree(sys.argv[1]))
    print("\n".join(problems) or "layers: in order")
    sys.exit(1 if problems else 0)
