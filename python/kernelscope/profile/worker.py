"""A resident process that measures one kernel after another and says what came of it.

  worker.py --backend cupti|time|fake [--collector LIBRARY]     asked over descriptor 3, one JSON object a line
  worker.py --backend ncu --list FILE --sidecar FILE            under ncu: requests from a file, answers to a file

Messages: docs/profile.md, "Workers". Kernel files are foreign code: they may print, raise, hang, or end the process, so
nothing that matters goes over stdout, and the parent takes silence for an answer.
"""
import argparse
import json
import math
import os
import select
import signal
import sys
from typing import Any, Dict, List, Optional, Tuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from backend import BackendProblem  # noqa: E402

CHANNEL = 3
EXIT_FAULT = 86  # the GPU context is dead
MAX_REASON = 300
# CUDA errors after which every later call in this process fails as well, in the words of torch and of the driver.
FAULTS = ("illegal memory access", "unspecified launch failure", "device-side assert", "misaligned address",
          "illegal instruction", "invalid address space", "invalid program counter", "hardware stack error",
          "CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_MISALIGNED_ADDRESS",
          "CUDA_ERROR_ASSERT", "uncorrectable ECC error")
# What BackendProblem may say of the machine instead of the kernel.
GREETING_PROBLEMS = ("no_permission", "busy", "no_device", "unsupported")

Message = Dict[str, Any]


def clean(value: Any) -> Any:
    """The same value with nothing that JSON cannot hold: no nan, no lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(str(k)): clean(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[0].split())[:MAX_REASON] if lines else ""


def is_out_of_memory(error: BaseException) -> bool:
    names = {c.__name__ for c in type(error).__mro__}
    return bool(names & {"OutOfMemoryError", "MemoryError"}) or "out of memory" in str(error).lower()


def is_fault(error: BaseException) -> bool:
    text = str(error)
    return any(fault in text for fault in FAULTS)


def status_of(error: BaseException, phase: str, path: str) -> str:
    if isinstance(error, BackendProblem):
        return error.kind
    if is_fault(error):
        return "fault"
    if is_out_of_memory(error):
        return "out_of_memory"
    if phase == "load":
        if isinstance(error, FileNotFoundError) and error.filename == path:
            return "no_file"
        if isinstance(error, (ImportError, SyntaxError)):
            return "import_error"
    return "kernel_error"


def reason_of(error: BaseException) -> str:
    text = one_line(str(error))
    if isinstance(error, BackendProblem):
        return text
    name = type(error).__name__
    return f"{name}: {text}"[:MAX_REASON] if text else name


class Channel:
    """Requests in, answers out. Descriptors, as a harness may close or replace any Python file."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests, self._answers, self._pending = requests, answers, b""

    def send(self, message: Message) -> None:
        line = json.dumps(clean(message), allow_nan=False).encode() + b"\n"
        while line:
            line = line[os.write(self._answers, line):]

    def receive(self, wait: bool) -> Optional[Message]:
        """The next request; nothing where none is there yet. The end of all requests is a request to exit."""
        while b"\n" not in self._pending:
            if not wait and not select.select([self._requests], [], [], 0)[0]:
                return None
            data = os.read(self._requests, 1 << 16)
            if not data:
                return {"op": "exit"}
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        # A path need not be UTF-8.
        return json.loads(line.decode("utf-8", "surrogateescape"))


class Task:
    """One request on its way through the backend."""

    def __init__(self, request: Message, channel: Channel) -> None:
        self.request, self._channel, self.phase, self.state = request, channel, "", None

    def enter(self, phase: str) -> None:
        """Backends call it as report_phase(): "first_call"; and "wait" while another has the GPU, which is not counted
        against the kernel's time."""
        self.phase = phase
        self._channel.send({"op": "phase", "id": self.request["id"], "phase": phase})

    def prepare(self, backend: Any) -> None:
        backend.report_phase = self.enter
        self.enter("load")
        self.state = backend.load(self.request["path"], self.request["kernel"])
        self.enter("args")
        self.state = backend.prepare(self.state, self.request)

    def release(self, backend: Any) -> None:
        if self.state is not None:
            backend.release(self.state)
        self.state = None


class Server:
    """Prepares the tasks that it is given and measures them together, as many as the backend has room for."""

    def __init__(self, backend: Any, circumstances: Message, channel: Channel) -> None:
        self._backend, self._circumstances, self._channel = backend, circumstances, channel
        self._prepared: List[Task] = []
        self._exit_code: Optional[int] = None  # set: this process is of no use any more

    def serve(self) -> int:
        while self._exit_code is None:
            request = self._channel.receive(wait=not self._prepared)
            if request is None:
                self._measure()
            elif request.get("op") != "measure":
                self._measure()
                return self._exit_code or 0
            else:
                self._take(Task(request, self._channel))
        return self._exit_code

    def _take(self, task: Task) -> None:
        error = self._prepare(task)
        if error is not None and self._prepared and is_out_of_memory(error):
            # The others' arguments are in the way: they are measured first, and it has the memory for itself.
            task.release(self._backend)
            self._measure()
            error = self._prepare(task) if self._exit_code is None else error
        if error is not None:
            self._fail(task, error)
            return
        self._prepared.append(task)
        if not self._backend.room_for_more([t.state for t in self._prepared]):
            self._measure()

    def _prepare(self, task: Task) -> Optional[BaseException]:
        try:
            task.prepare(self._backend)
        except BaseException as error:  # a harness may raise SystemExit or KeyboardInterrupt
            return error
        return None

    def _measure(self) -> None:
        batch, self._prepared = self._prepared, []
        if not batch:
            return
        turn = 0

        def on_turn(index: int) -> None:
            nonlocal turn
            turn = index
            self._backend.report_phase = batch[index].enter
            batch[index].enter("measure")

        self._backend.report_phase = batch[0].enter
        try:
            results = self._backend.measure([t.state for t in batch], batch[0].request, on_turn)
        except BaseException as error:
            # The context is dead, and the measurements with it. The parent gives the others to another worker.
            self._fail(batch[turn], error, last=True)
            return
        for task, result in zip(batch, results):
            if isinstance(result, BaseException):
                self._fail(task, result)
            else:
                self._done(task, result)
            task.release(self._backend)

    def _fail(self, task: Task, error: BaseException, last: bool = False) -> None:
        status = status_of(error, task.phase, task.request["path"])
        # What is left in memory after running out of it is in the way of the next kernel.
        leaving = last or status in ("fault", "out_of_memory")
        if leaving:
            self._exit_code = EXIT_FAULT if status == "fault" else 0
        else:
            task.release(self._backend)
        self._done(task, {"status": status, "reason": reason_of(error)}, leaving)

    def _done(self, task: Task, result: Message, leaving: bool = False) -> None:
        policy = {name: task.request.get(name, "") for name in ("cache_control", "clock_control")}
        # The backend knows better what it did: clocks, for one, are locked by ncu only.
        known = {name: value for name, value in self._circumstances.items() if value}
        result["circumstances"] = {**policy, **known, **result.get("circumstances", {})}
        self._channel.send({"op": "done", "id": task.request["id"], "measurement": result, "leaving": leaving})


def make_backend(name: str, collector: str) -> Any:
    if name == "fake":
        from fake_backend import FakeBackend
        return FakeBackend()
    if name == "ncu":
        from ncu_backend import NcuBackend
        return NcuBackend()
    from torch_backend import TorchBackend
    return TorchBackend(collector, counters=name == "cupti")


def greet(name: str, collector: str, channel: Channel) -> Optional[Tuple[Any, Message]]:
    """Nothing where this worker cannot measure; the parent has then been told why."""
    hello: Message = {"op": "hello", "pid": os.getpid(), "problem": None}
    try:
        backend = make_backend(name, collector)
        circumstances = backend.hello()
    except BackendProblem as problem:
        kind = problem.kind if problem.kind in GREETING_PROBLEMS else "no_device"
        channel.send(dict(hello, problem=kind, text=one_line(str(problem))))
        return None
    channel.send(dict(hello, circumstances=circumstances))
    return backend, circumstances


def die_with_parent() -> None:
    """A worker must not outlive a killed parent, not even while a kernel hangs. Linux only, else we rely on the closed
    channel."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass


def open_channel(requests: str, sidecar: str) -> Channel:
    if requests:
        answers = os.open(sidecar, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return Channel(os.open(requests, os.O_RDONLY), answers)
    os.set_inheritable(CHANNEL, False)
    # Of its own, so that a harness's own use of descriptor 3 meets a closed one.
    channel = os.dup(CHANNEL)
    os.close(CHANNEL)
    return Channel(channel, channel)


def main(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="worker.py")
    parser.add_argument("--backend", required=True, choices=("cupti", "time", "ncu", "fake"))
    parser.add_argument("--collector", default="")
    parser.add_argument("--list", default="")
    parser.add_argument("--sidecar", default="")
    options = parser.parse_args(arguments)
    die_with_parent()
    channel = open_channel(options.list, options.sidecar)
    started = greet(options.backend, options.collector, channel)
    return Server(*started, channel).serve() if started else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    # No atexit handlers, no destructors: those of a dead CUDA context can hang or abort.
    os._exit(code)
