"""The logs that are measured: made once by the generator beside the repository, kept in build/bench-data."""
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = ROOT.parent / "shared" / "tools" / "gen_scaled_log.py"
CACHE = ROOT / "build" / "bench-data"

# Name: options of the generator. The same options give the same bytes.
LOGS = {"balanced-200": ["--target-mb", "200", "--mix", "balanced"],
        "launch-200": ["--target-mb", "200", "--mix", "launch"],
        "compile-200": ["--target-mb", "200", "--mix", "compile"],
        "balanced-4000": ["--target-mb", "4000", "--mix", "balanced"]}


def key_of(name):
    return hashlib.sha256(GENERATOR.read_bytes() + " ".join(LOGS[name]).encode()).hexdigest()


def folder_of(name):
    """The folder of the log; made where it is missing or was made by another generator."""
    folder, stamp = CACHE / name, CACHE / f"{name}.key"
    if stamp.is_file() and stamp.read_text() == key_of(name):
        return folder
    print(f"making {name} in {CACHE.relative_to(ROOT)}", file=sys.stderr)
    part = CACHE / f"{name}.part"
    shutil.rmtree(part, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    stamp.unlink(missing_ok=True)
    part.mkdir(parents=True)
    subprocess.run([sys.executable, str(GENERATOR), "--out", str(part), *LOGS[name]], check=True, stdout=subprocess.DEVNULL)
    part.rename(folder)
    stamp.write_text(key_of(name))
    return folder


def size_of(folder):
    return sum(path.stat().st_size for path in folder.iterdir())


def into_page_cache(folder):
    """Reads all of it, so that what is measured is the program and not the disk."""
    for path in sorted(folder.iterdir()):
        with open(path, "rb", buffering=0) as file:
            while file.read(8 << 20):
                pass
