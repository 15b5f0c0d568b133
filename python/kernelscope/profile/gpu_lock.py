"""Who may use the GPU when: many share it for loading and first calls, one has it alone for a measurement.

Two files with flock, per GPU and user, so that separate runs on one machine take turns as well, and a worker that dies
lets go of both. The second file is a turnstile: whoever waits for the GPU alone holds it, so that newcomers queue
behind instead of passing by.
"""
import contextlib
import fcntl
import os
import tempfile
from typing import Iterator


class GpuLock:
    def __init__(self, gpu: str, folder: str = "") -> None:
        name = "".join(c if c.isalnum() or c in "-_" else "_" for c in gpu)
        base = os.path.join(folder or tempfile.gettempdir(), f"kernelscope-{os.getuid()}-{name}")
        self._gpu = self._open(base + ".gpu")
        self._turnstile = self._open(base + ".turn")

    @staticmethod
    def _open(path: str) -> int:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        fcntl.flock(self._turnstile, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._gpu, fcntl.LOCK_SH)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._gpu, fcntl.LOCK_UN)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        fcntl.flock(self._turnstile, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._gpu, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._gpu, fcntl.LOCK_UN)
