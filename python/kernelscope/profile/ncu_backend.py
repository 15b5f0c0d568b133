"""Kernels under ncu: only the launch between cudaProfilerStart and Stop is profiled (--profile-from-start off).

ncu itself takes the counters, flushes the caches, and puts memory back between passes; what we say is which kernels ran
and with what config. The report's rows are matched with that by the parent.
"""
from typing import Any, Callable, Dict, List, Sequence

from backend import Backend, Result
from torch_backend import TorchBackend, config_text


class NcuBackend(TorchBackend):
    def __init__(self) -> None:
        super().__init__("", counters=False)

    def hello(self) -> Dict[str, object]:
        return dict(super().hello(), source="ncu", tool="", clock_control="")

    def room_for_more(self, prepared: Sequence[Any]) -> bool:
        return False

    def measure(self, batch: Sequence[Any], request: Dict[str, Any], on_turn: Callable[[int], None]) -> List[Result]:
        return Backend.measure(self, batch, request, on_turn)

    def measure_one(self, prepared: Any, request: Dict[str, Any]) -> Dict[str, Any]:
        cuda = self._torch.cuda
        prepared.restore()
        cuda.synchronize()
        with self._gpu(alone=True, phase="measure"):
            cuda.cudart().cudaProfilerStart()
            try:
                prepared.call()
                cuda.synchronize()
            finally:
                cuda.cudart().cudaProfilerStop()
        result: Dict[str, Any] = {"status": "ok", "metrics": {}, "launch": {"kernel": prepared.name}}
        launchers = getattr(prepared.tuner, "launchers", None) or []
        if launchers:
            result["config"] = config_text(launchers[0])
        if request.get("latency"):
            result["notes"] = ["no latency is taken under ncu: its own work would be in it"]
        return result
