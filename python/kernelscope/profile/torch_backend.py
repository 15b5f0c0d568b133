"""Measures Inductor's kernel files on a GPU: the `cupti` and `time` backends of worker.py.

A kernel file made with TORCHINDUCTOR_BENCHMARK_KERNEL=1 brings get_args() and call(args). The first call compiles or
loads all configs, lets Inductor choose the winner and is the warm-up; what is measured is a later launch, so always the
winner. Loading and first calls share the GPU with other workers, a measurement has it alone (gpu_lock.py).
"""
import contextlib
import importlib
import importlib.util
import os
import statistics
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

from backend import Backend, BackendProblem, Result
from collector import Collector, CollectorProblem, Launch
from gpu_lock import GpuLock

BATCH = 64  # kernels measured in one session of the counters, which costs 220 ms to open and close
LAUNCHES_PER_KERNEL = 8  # room in a session: the kernel, the eviction before it, what else its call launches
LATENCY_LAUNCHES = 21
HOLD_S = 2.0  # so long a kernel that is ready may wait for others, if these have to be compiled
KEEP_SHARE = 16  # of the GPU's memory one in so many parts may be held between kernels; other workers want some, too


class Prepared:
    """A kernel that has run once: its module, its arguments, and how to put these back as they were."""

    def __init__(self, module: Any, tuner: Any) -> None:
        self.module, self.tuner = module, tuner
        self.name: str = tuner.fn.__name__
        self.args: Any = None
        self.saved: Dict[int, Any] = {}
        self.since = time.monotonic()

    def make_args(self) -> None:
        self.args = self.module.get_args()

    def save_mutated(self) -> None:
        names = list(getattr(self.tuner.fn, "arg_names", []))
        for name in getattr(self.tuner, "mutated_arg_names", None) or []:
            index = names.index(name) if name in names else -1
            if 0 <= index < len(self.args) and hasattr(self.args[index], "clone"):
                self.saved[index] = self.args[index].clone()

    def restore(self) -> None:
        for index, saved in self.saved.items():
            self.args[index].copy_(saved)

    def call(self) -> None:
        self.module.call(self.args)


def import_what_kernels_import() -> None:
    for name in ("torch._inductor.runtime.triton_heuristics", "torch._dynamo.testing"):
        with contextlib.suppress(Exception):  # of another version; the kernel's own import will say
            importlib.import_module(name)


def config_text(launcher: Any) -> str:
    config = getattr(launcher, "config", None)
    if config is None:
        return ""
    parts = [f"{name}: {value}" for name, value in config.kwargs.items()]
    return ", ".join(parts + [f"num_warps: {config.num_warps}", f"num_stages: {config.num_stages}"])


def is_fatal(error: Exception) -> bool:
    """Whether the CUDA context is of no use any more."""
    kind, text = getattr(error, "kind", ""), str(error)
    return kind == "fault" or any(words in text for words in (
        "illegal memory access", "unspecified launch failure", "device-side assert", "misaligned address",
        "illegal instruction", "illegal address"))


def known(error: Exception) -> Exception:
    return BackendProblem(error.kind, str(error)) if isinstance(error, CollectorProblem) else error


def attempt(call: Callable[[], Dict[str, Any]]) -> Result:
    try:
        return call()
    except Exception as error:  # a harness may raise anything
        if is_fatal(error):
            raise
        return known(error)


def driver_version() -> str:
    """Of the kernel module; CUDA's own number says only what API the driver speaks."""
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            words = file.readline().split()
    except OSError:
        return ""
    return next((word for word in words if word[:1].isdigit() and word.count(".") >= 1), "")


class TorchBackend(Backend):
    def __init__(self, collector: str = "", counters: bool = True, lock_folder: str = "") -> None:
        try:
            import torch
            import triton
        except ImportError as error:
            raise BackendProblem("no_device", f"{sys.executable} has no torch or no Triton: {error}") from None
        if not torch.cuda.is_available():
            raise BackendProblem("no_device", "torch sees no CUDA device")
        self._torch, self._triton, self._counters = torch, triton, counters
        # What every kernel file imports takes seconds; the driver takes its time beside that.
        imports = threading.Thread(target=import_what_kernels_import)
        imports.start()
        properties = torch.cuda.get_device_properties(0)
        self._lock = GpuLock(str(getattr(properties, "uuid", "") or os.environ.get("CUDA_VISIBLE_DEVICES", "0")),
                             lock_folder)
        self._properties = properties
        self._collector: Optional[Collector] = None
        self._metrics: List[str] = []
        self._passes = 0
        self._chip = ""
        self._keep_bytes = properties.total_memory // KEEP_SHARE
        self._start(collector)
        imports.join()

    @contextlib.contextmanager
    def _gpu(self, alone: bool, phase: str) -> Iterator[None]:
        self.report_phase("wait")
        with self._lock.alone() if alone else self._lock.shared():
            self.report_phase(phase)
            yield

    def _start(self, path: str) -> None:
        try:
            if path:
                self._collector = Collector(path, self._cupti_of_torch())  # before the CUDA context is made
            self._torch.zeros(1, device="cuda")
            if self._collector:
                with self._lock.alone():
                    self._chip = self._collector.attach(self._counters) or ""
            elif self._counters:
                raise BackendProblem("unsupported", "the collector library is missing")
        except CollectorProblem as problem:
            raise BackendProblem(problem.kind, str(problem)) from None

    @staticmethod
    def _cupti_of_torch() -> Optional[str]:
        """torch's wheel depends on NVIDIA's CUPTI wheel; the CUDA toolkit's copy is found by the collector itself."""
        folders = [os.path.join(p, "nvidia", *rest) for p in sys.path
                   for rest in (("cu13", "lib"), ("cuda_cupti", "lib"))]
        folders += [os.path.join(p, "triton", "backends", "nvidia", "lib", "cupti") for p in sys.path]
        for folder in folders:
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            for name in names:
                if name.startswith("libcupti.so"):
                    return os.path.join(folder, name)
        return None

    def hello(self) -> Dict[str, object]:
        torch, properties = self._torch, self._properties
        tool = f"collector {self._collector.version}" if self._collector and self._counters else "torch"
        return {"source": "cupti" if self._counters else "time", "device": properties.name, "chip": self._chip,
                "capability": f"{properties.major}.{properties.minor}", "sm_count": properties.multi_processor_count,
                "driver": driver_version(), "cuda": torch.version.cuda or "", "torch": torch.__version__,
                "triton": self._triton.__version__, "tool": tool, "clock_control": "none"}

    # One kernel

    def load(self, path: str, kernel: str) -> Prepared:
        spec = importlib.util.spec_from_file_location("kernelscope_kernel", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        tuner = getattr(module, kernel, None)
        if tuner is None or not hasattr(tuner, "run"):
            tuners = [value for value in vars(module).values() if hasattr(value, "run") and hasattr(value, "launchers")]
            if len(tuners) != 1:
                raise BackendProblem("import_error", f"the file has no kernel {kernel}")
            tuner = tuners[0]
        if not hasattr(module, "get_args") or not hasattr(module, "call"):
            raise BackendProblem("no_harness", "the file has no get_args and call")
        return Prepared(module, tuner)

    def prepare(self, loaded: Prepared, request: Dict[str, Any]) -> Prepared:
        configs = getattr(loaded.tuner, "configs", None) or []
        self._pin(loaded.tuner, request.get("pinned_config") or "")
        # Inductor times its configs against each other: that must not happen beside other kernels.
        with self._gpu(alone=False, phase="args"):
            self._torch.manual_seed(0)  # random indices decide what atomics and gathers cost
            loaded.make_args()
            loaded.save_mutated()
            self._torch.cuda.synchronize()
        with self._gpu(alone=len(configs) > 1, phase="first_call"):
            loaded.call()
            self._torch.cuda.synchronize()
        return loaded

    @staticmethod
    def _pin(tuner: Any, wanted: str) -> None:
        if not wanted:
            return
        fitting = [c for c in tuner.configs if config_text(type("L", (), {"config": c})) == wanted]
        if not fitting:
            raise BackendProblem("kernel_error", f"the kernel has no config {wanted}")
        tuner.configs = fitting

    def room_for_more(self, prepared: Sequence[Prepared]) -> bool:
        """Whether another kernel may be prepared before these are measured: all keep their arguments until then."""
        held_s = time.monotonic() - prepared[0].since
        return len(prepared) < BATCH and held_s < HOLD_S and self._torch.cuda.memory_allocated() < self._keep_bytes

    def measure(self, batch: Sequence[Prepared], request: Dict[str, Any],
                on_turn: Callable[[int], None]) -> List[Result]:
        """One result or error for each. `on_turn` is told whose launch comes next, so that a hang has a name."""
        cold = request.get("cache_control", "all") == "all"
        with self._gpu(alone=True, phase="measure"):
            if not self._counters:
                results = [attempt(lambda p=p, i=i: (on_turn(i), self._time(p, cold))[1]) for i, p in enumerate(batch)]
            else:
                results = self._count(batch, request["metrics"], cold, on_turn)
            if request.get("latency"):
                results = [attempt(lambda r=r, i=i: self._with_latency(r, batch[i], cold, lambda: on_turn(i)))
                           if isinstance(r, dict) else r for i, r in enumerate(results)]
        return [self._complete(p, result, cold) if isinstance(result, dict) else result
                for p, result in zip(batch, results)]

    def _complete(self, prepared: Prepared, result: Dict[str, Any], cold: bool) -> Dict[str, Any]:
        launchers = getattr(prepared.tuner, "launchers", None) or []
        if launchers:
            result["config"] = config_text(launchers[0])
            spills = getattr(launchers[0], "n_spills", None)
            if isinstance(spills, int):
                result["launch"]["spills"] = spills
        result["circumstances"] = dict(self.hello(), cache_control="all" if cold else "none")
        return dict(result, status="ok")

    def release(self, prepared: Prepared) -> None:
        prepared.args, prepared.saved, prepared.module, prepared.tuner = None, {}, None, None
        if self._torch.cuda.memory_reserved() > self._keep_bytes:
            self._torch.cuda.empty_cache()

    def _configure(self, metrics: List[str]) -> None:
        if metrics != self._metrics:
            self._passes = self._collector.configure(self._chip, metrics)
            self._metrics = list(metrics)

    def _count(self, batch: Sequence[Prepared], metrics: List[str], cold: bool,
               on_turn: Callable[[int], None]) -> List[Result]:
        try:
            return self._count_together(batch, metrics, cold, on_turn)
        except Exception as error:  # a harness may raise anything
            if is_fatal(error):
                raise
            if len(batch) == 1:
                return [known(error)]
        # Something went wrong in the shared session: one by one, so that it is put down to the right kernel.
        return [self._count([p], metrics, cold, lambda _, i=i: on_turn(i))[0] for i, p in enumerate(batch)]

    def _count_together(self, batch: Sequence[Prepared], metrics: List[str], cold: bool,
                        on_turn: Callable[[int], None]) -> List[Result]:
        self._configure(metrics)
        collector, launches, more = self._collector, [], True
        collector.begin(LAUNCHES_PER_KERNEL * len(batch))
        try:
            while more:
                for prepared in batch:
                    prepared.restore()
                self._torch.cuda.synchronize()
                collector.start()
                launches = []
                for i, prepared in enumerate(batch):
                    on_turn(i)
                    collector.arm(prepared.name, cold)
                    prepared.call()
                    launches.append(collector.disarm())
                more = collector.stop()
            return [self._counted(collector.values(launch), launch) for launch in launches]
        finally:
            collector.end()

    def _counted(self, values: Dict[str, float], launch: Launch) -> Dict[str, Any]:
        result: Dict[str, Any] = {"metrics": values, "passes": self._passes, "launch": launch.facts()}
        if launch.launches > 1:
            result["notes"] = [f"one call launches the kernel {launch.launches} times; the first was measured"]
        return result

    def _evict(self) -> None:
        if self._collector:
            self._collector.evict(self._torch.cuda.current_stream().cuda_stream)

    def _with_latency(self, result: Dict[str, Any], prepared: Prepared, cold: bool,
                      on_turn: Callable[[], None]) -> Dict[str, Any]:
        on_turn()
        return dict(result, latency_us=self._latency(prepared, cold), latency_source="events")

    def _latency(self, prepared: Prepared, cold: bool) -> float:
        """Median of launches between two events, in us. For short kernels it holds the launch's own cost."""
        torch, times = self._torch, []
        for _ in range(LATENCY_LAUNCHES):
            prepared.restore()
            if cold:
                self._evict()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            prepared.call()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        return statistics.median(times)

    def _time(self, prepared: Prepared, cold: bool) -> Dict[str, Any]:
        """Without counters: the kernel's own begin and end from CUPTI's activity records, through torch's profiler."""
        torch = self._torch
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(5):
                prepared.restore()
                if cold:
                    self._evict()
                prepared.call()
                torch.cuda.synchronize()
        times = [event.time_range.elapsed_us() for event in profile.events() if event.name == prepared.name]
        if not times:
            raise BackendProblem("not_launched", f"the call launched no kernel named {prepared.name}")
        return {"metrics": {"gpu__time_duration.sum": statistics.median(times) * 1e3}, "passes": 0,
                "launch": {"kernel": prepared.name}}
