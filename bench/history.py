"""Recorded figures: bench/history.ndjson, one line per measurement, only ever appended to."""
import datetime
import json
import os
import platform
import subprocess
from pathlib import Path

PATH = Path(__file__).resolve().parent / "history.ndjson"


def machine():
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"model": model, "cores": os.cpu_count()}


def commit():
    """The commit that was measured, with a + where the checkout differs from it."""
    def git(*arguments):
        return subprocess.run(["git", "-C", str(PATH.parent), *arguments], capture_output=True, text=True, check=True).stdout.strip()
    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def last(input_name, mode, cores_used):
    """The newest line for the same input, mode and kind of machine; None without one."""
    found, here = None, machine()
    if PATH.is_file():
        for line in PATH.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            same = (entry["input"], entry["mode"], entry["cores_used"]) == (input_name, mode, cores_used)
            if same and entry["machine"] == here:
                found = entry
    return found


def append(entries, load):
    common = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "commit": commit(), "machine": machine(),
              "load": round(load, 1)}
    with open(PATH, "a", encoding="utf-8") as file:
        for entry in entries:
            file.write(json.dumps({**common, **entry}) + "\n")
