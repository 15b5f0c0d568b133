"""libkernelscope_collector.so through ctypes. The contract is src/profile/collector/collector.h."""
import ctypes
from typing import Dict, List, Optional

# Code of problem.h to the kinds that worker.py knows.
KINDS = {1: "no_device", 2: "no_permission", 3: "busy", 4: "metric_error", 5: "unsupported", 6: "out_of_memory",
         7: "not_launched", 8: "fault", 9: "metric_error"}


class CollectorProblem(Exception):
    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Launch(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 1024), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
                ("registers", ctypes.c_int32), ("local_bytes", ctypes.c_int32), ("static_shared", ctypes.c_int32),
                ("dynamic_shared", ctypes.c_int32), ("blocks_per_sm", ctypes.c_int32), ("launches", ctypes.c_int32),
                ("range", ctypes.c_int32)]

    def facts(self) -> Dict[str, object]:
        facts: Dict[str, object] = {"kernel": self.name.decode("utf-8", "replace"), "grid": list(self.grid),
                                    "block": list(self.block)}
        for name in ("registers", "local_bytes", "static_shared", "dynamic_shared", "blocks_per_sm"):
            if getattr(self, name) >= 0:
                facts[name] = getattr(self, name)
        return facts


class Collector:
    def __init__(self, path: str, cupti: Optional[str] = None) -> None:
        self._library = ctypes.CDLL(path)
        for name in ("ks_version", "ks_problem", "ks_cupti_path", "ks_chips", "ks_chip"):
            getattr(self._library, name).restype = ctypes.c_char_p
        self._library.ks_evict.argtypes = [ctypes.c_void_p]
        self.version: str = self._library.ks_version().decode()
        self._metrics: List[str] = []
        self._check(self._library.ks_open(cupti.encode() if cupti else None))

    def _check(self, code: int) -> None:
        if code:
            raise CollectorProblem(KINDS.get(code, "metric_error"), self._library.ks_problem().decode("utf-8", "replace"))

    @property
    def cupti_path(self) -> str:
        return self._library.ks_cupti_path().decode()

    def chips(self) -> List[str]:
        return self._library.ks_chips().decode().split(",")

    def attach(self, counters: bool) -> Optional[str]:
        """Takes the current CUDA context; gives the chip's name."""
        self._check(self._library.ks_attach(int(counters)))
        chip = self._library.ks_chip()
        return chip.decode() if chip else None

    def configure(self, chip: str, metrics: List[str]) -> int:
        """Gives the number of passes."""
        passes = ctypes.c_uint32()
        self._check(self._library.ks_configure(chip.encode(), ",".join(metrics).encode(), ctypes.byref(passes)))
        self._metrics = metrics
        return passes.value

    def begin(self, max_launches: int) -> None:
        """Takes the GPU's counters, until end(). Then rounds of passes: start(), arm() and disarm() around each call,
        stop()."""
        self._check(self._library.ks_begin(max_launches))

    def end(self) -> None:
        self._library.ks_end()

    def start(self) -> None:
        self._check(self._library.ks_start())

    def arm(self, kernel: str, cold: bool) -> None:
        self._check(self._library.ks_arm(kernel.encode(), int(cold)))

    def disarm(self) -> Launch:
        launch = Launch()
        self._check(self._library.ks_disarm(ctypes.byref(launch)))
        return launch

    def stop(self) -> bool:
        """Whether another pass is wanted."""
        more = ctypes.c_int()
        self._check(self._library.ks_stop(ctypes.byref(more)))
        return bool(more.value)

    def values(self, launch: Launch) -> Dict[str, float]:
        values = (ctypes.c_double * max(len(self._metrics), 1))()
        self._check(self._library.ks_values(ctypes.byref(launch), values))
        return {name: value for name, value in zip(self._metrics, values) if value == value}

    def evict(self, stream: int) -> None:
        self._check(self._library.ks_evict(stream))
