"""A backend without a GPU, for tests: values are computed from the kernel file's text.

Lines of a kernel file such as `# fake: hang @measure` make it misbehave, in the phase after the @ (load, args,
first_call, measure; load without one).

  hang            never returns                  exit N          ends the process with this code
  kill            SIGKILL to itself              raise TEXT      RuntimeError(TEXT)
  print N         N bytes to stdout              print_fd N      the same to descriptor 1, past Python
  nonsense TEXT   TEXT instead of an answer      close           closes the channel and goes on
  oom             as torch says it               host_oom        more than the machine has
  fault           as torch says it               abort_fault     the same from a destructor: on stderr, then abort
  import NAME     import NAME                    problem KIND TEXT   BackendProblem
  orphan          leaves a child that hangs      nan             the values are not finite
  value NAME X    this metric has this value     wait            says that it waits for the GPU, then hangs
  once FILE ...   the rest only where FILE is not there yet; makes it

The device's name (CUDA_VISIBLE_DEVICES) can make the start fail: fail-KIND (a status), fail-exit, fail-hang,
fail-nonsense, fail-first (dies after the greeting, before it takes a task).
"""
import hashlib
import importlib
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

from backend import Backend, BackendProblem, Result

Actions = List[Tuple[str, str, List[str]]]  # phase, action, arguments
BATCH = 4
PHASES = ("load", "args", "first_call", "measure")


def actions_of(text: str) -> Actions:
    found: Actions = []
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["#", "fake:"] and len(words) > 2:
            phase = words.pop()[1:] if words[-1][1:] in PHASES and words[-1][0] == "@" else "load"
            found.append((phase, words[2], words[3:]))
    return found


def hang() -> None:
    while True:
        time.sleep(3600)


def descriptor_of_channel() -> int:
    """The only socket that we have."""
    import stat
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            continue
    return -1


def write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data):]


def once(words: List[str]) -> None:
    if not os.path.exists(words[0]):
        open(words[0], "w").close()
        perform(words[1], words[2:])


def orphan() -> None:
    """A child that keeps all our descriptors open, as a fork without exec does."""
    if os.fork() == 0:
        hang()


def say(error: BaseException) -> None:
    raise error


def abort_fault() -> None:
    sys.stderr.write("terminate called: CUDA error: an illegal memory access was encountered\n")
    sys.stderr.flush()
    os.abort()


ACTIONS: Dict[str, Callable[[List[str]], Any]] = {
    "hang": lambda words: hang(),
    "exit": lambda words: os._exit(int(words[0])),
    "kill": lambda words: os.kill(os.getpid(), signal.SIGKILL),
    "raise": lambda words: say(RuntimeError(" ".join(words))),
    "print": lambda words: print("x" * int(words[0])),
    "print_fd": lambda words: write_all(1, b"y" * int(words[0])),
    "nonsense": lambda words: write_all(descriptor_of_channel(), (" ".join(words) + "\n").encode()),
    "close": lambda words: os.close(descriptor_of_channel()),
    "oom": lambda words: say(RuntimeError("CUDA out of memory. Tried to allocate 9.00 GiB.")),
    "host_oom": lambda words: bytearray(1 << 62),
    "fault": lambda words: say(RuntimeError("CUDA error: an illegal memory access was encountered\nmore text")),
    "abort_fault": lambda words: abort_fault(),
    "import": lambda words: importlib.import_module(words[0]),
    "problem": lambda words: say(BackendProblem(words[0], " ".join(words[1:]))),
    "orphan": lambda words: orphan(),
    "once": once,
    "quit": lambda words: sys.exit(" ".join(words) or 0),
}


def perform(action: str, words: List[str]) -> None:
    if action in ACTIONS:
        ACTIONS[action](words)


class Loaded:
    def __init__(self, text: str, kernel: str) -> None:
        self.text, self.kernel, self.actions = text, kernel, actions_of(text)


class FakeBackend(Backend):
    def __init__(self) -> None:
        self._report_phase: Callable[[str], None] = lambda phase: None
        self._gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "")

    @property
    def report_phase(self) -> Callable[[str], None]:
        return self._report_phase

    @report_phase.setter
    def report_phase(self, report: Callable[[str], None]) -> None:
        if self._gpu == "fail-first":  # set with each task, before its first phase
            os._exit(9)
        self._report_phase = report

    def hello(self) -> Dict[str, object]:
        failure = self._gpu[5:] if self._gpu.startswith("fail-") else ""
        if failure == "hang":
            hang()
        if failure == "exit":
            sys.stderr.write("ImportError: libfake.so: cannot open shared object file\n")
            sys.stderr.flush()
            os._exit(7)
        if failure == "nonsense":
            perform("nonsense", ["Welcome", "to", "fake"])
        if failure not in ("", "nonsense", "first"):
            raise BackendProblem(failure, f"fake: {failure}")
        return {"source": "fake", "device": "Fake GPU", "chip": "GH100", "capability": "9.0", "sm_count": 132,
                "driver": "1.0", "cuda": "13.0", "torch": "2.11.0", "triton": "3.6.0", "tool": "fake 1",
                "clock_control": "none", "peak_dram_bytes_per_second": 4.8e12}

    def _misbehave(self, loaded: Loaded, phase: str) -> None:
        for when, action, words in loaded.actions:
            if when == phase and action == "wait":
                self.report_phase("wait")
                hang()
            if when == phase:
                perform(action, words)

    def load(self, path: str, kernel: str) -> Loaded:
        with open(path, encoding="utf-8", errors="replace") as file:
            loaded = Loaded(file.read(), kernel)
        self._misbehave(loaded, "load")
        compile(loaded.text, path, "exec")
        if "def get_args(" not in loaded.text or "def call(" not in loaded.text:
            raise BackendProblem("no_harness", "the file has no get_args and call")
        return loaded

    def prepare(self, loaded: Loaded, request: Dict[str, Any]) -> Loaded:
        self._misbehave(loaded, "args")
        self.report_phase("first_call")
        self._misbehave(loaded, "first_call")
        return loaded

    def room_for_more(self, prepared: Sequence[Loaded]) -> bool:
        return len(prepared) < BATCH

    def measure(self, batch: Sequence[Loaded], request: Dict[str, Any], on_turn: Callable[[int], None]) -> List[Result]:
        results: List[Result] = []
        for index, prepared in enumerate(batch):
            on_turn(index)
            try:
                results.append(self.measure_one(prepared, request))
            except (BackendProblem, RuntimeError) as error:
                if "illegal memory access" in str(error):
                    raise
                results.append(error)
        return results

    def measure_one(self, prepared: Loaded, request: Dict[str, Any]) -> Dict[str, Any]:
        self._misbehave(prepared, "measure")
        metrics = {name: self._value(prepared.text, name) for name in request["metrics"]}
        for _, action, words in prepared.actions:
            if action == "nan":
                metrics = dict.fromkeys(metrics, float("nan"))
            if action == "value":
                metrics[words[0]] = float(words[1])
        result: Dict[str, Any] = {"status": "ok", "metrics": metrics, "passes": 1,
                                  "config": request.get("pinned_config") or "XBLOCK: 1024, num_warps: 4, num_stages: 1",
                                  "launch": {"kernel": prepared.kernel, "grid": [256, 1, 1], "block": [128, 1, 1],
                                             "registers": 16, "spills": 0}}
        if request.get("latency"):
            result["latency_us"], result["latency_source"] = self._value(prepared.text, "latency") % 100, "events"
        return result

    def release(self, prepared: Loaded) -> None:
        pass

    @staticmethod
    def _value(text: str, name: str) -> float:
        digest = hashlib.sha256((name + "\0" + text).encode("utf-8", "replace")).digest()
        return float(int.from_bytes(digest[:3], "big") + 1)
