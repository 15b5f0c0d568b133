#!/usr/bin/env python3
"""worker.py on its own: what it makes of errors, and that it does not outlive its parent."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "python" / "kernelscope" / "profile"
sys.path.insert(0, str(SOURCE))

import worker  # noqa: E402
from backend import BackendProblem  # noqa: E402

# A parent that has a worker at work on the file argv[1], says so, and waits.
PARENT = """
import json, os, socket, subprocess, sys
ours, theirs = socket.socketpair()
child = subprocess.Popen([sys.executable, sys.argv[2], "--backend", "fake"], pass_fds=[3],
                         preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
theirs.close()
lines = ours.makefile("rw")
lines.readline()
print(json.dumps({"op": "measure", "id": 0, "path": sys.argv[1], "kernel": "k", "metrics": []}), file=lines, flush=True)
print(json.loads(lines.readline())["phase"], child.pid, flush=True)
lines.readline()
"""


class Clean(unittest.TestCase):
    def test_nothing_that_json_cannot_hold(self):
        value = {"a": float("nan"), "b": [float("-inf"), 1.5, True], "c": "x\udcff", 3: None}
        self.assertEqual(worker.clean(value), {"a": None, "b": [None, 1.5, True], "c": "x?", "3": None})
        json.dumps(worker.clean(value), allow_nan=False).encode()


class Statuses(unittest.TestCase):
    def status(self, error, phase="measure"):
        return worker.status_of(error, phase, "/k.py")

    def test_by_what_was_raised(self):
        out_of_memory = type("OutOfMemoryError", (RuntimeError,), {})
        self.assertEqual(self.status(out_of_memory("CUDA")), "out_of_memory")
        self.assertEqual(self.status(MemoryError()), "out_of_memory")
        self.assertEqual(self.status(RuntimeError("Triton Error [CUDA]: out of memory")), "out_of_memory")
        self.assertEqual(self.status(RuntimeError("CUDA error: misaligned address\nhelp")), "fault")
        self.assertEqual(self.status(BackendProblem("not_launched", "none")), "not_launched")
        self.assertEqual(self.status(SystemExit(1)), "kernel_error")

    def test_loading_has_its_own(self):
        self.assertEqual(self.status(ModuleNotFoundError("torch"), "load"), "import_error")
        self.assertEqual(self.status(IndentationError("x"), "load"), "import_error")
        self.assertEqual(self.status(FileNotFoundError(2, "no", "/k.py"), "load"), "no_file")
        self.assertEqual(self.status(FileNotFoundError(2, "no", "/other"), "load"), "kernel_error")
        self.assertEqual(self.status(ImportError("late"), "measure"), "kernel_error")

    def test_reasons_are_one_line(self):
        self.assertEqual(worker.reason_of(RuntimeError("\n a  b\nc")), "RuntimeError: a b")
        self.assertEqual(worker.reason_of(KeyError()), "KeyError")
        self.assertEqual(worker.reason_of(BackendProblem("busy", "nsys has it")), "nsys has it")
        self.assertLessEqual(len(worker.reason_of(ValueError("x" * 9999))), worker.MAX_REASON)


class Parent(unittest.TestCase):
    @unittest.skipUnless(sys.platform == "linux", "PR_SET_PDEATHSIG")
    def test_a_worker_that_hangs_dies_with_a_killed_parent(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = Path(folder, "k.py")
            kernel.write_text("# fake: hang\n")
            parent = subprocess.Popen([sys.executable, "-c", PARENT, kernel, SOURCE / "worker.py"], stdout=subprocess.PIPE)
            phase, _ = parent.stdout.readline().split()
            self.assertEqual(phase, b"load")
            os.kill(parent.pid, signal.SIGKILL)
            # The worker has this pipe as well: it ends when both are gone.
            self.assertEqual(parent.stdout.read(), b"")
            parent.stdout.close()
            parent.wait()


if __name__ == "__main__":
    unittest.main()
