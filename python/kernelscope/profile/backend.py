"""What worker.py and its backends agree on."""
from typing import Any, Callable, Dict, List, Sequence, Union

Result = Union[Dict[str, Any], BaseException]  # a measurement as in src/profile/measurement.h, or why there is none


class BackendProblem(Exception):
    """A reason that is known: `kind` is a status of src/profile/measurement.h."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Backend:
    """hello(), load(), prepare(), release(), and measure() or measure_one(). worker.py sets report_phase."""

    report_phase: Callable[[str], None] = staticmethod(lambda phase: None)

    def room_for_more(self, prepared: Sequence[Any]) -> bool:
        """Whether another kernel may be prepared before these are measured."""
        return False

    def measure(self, batch: Sequence[Any], request: Dict[str, Any], on_turn: Callable[[int], None]) -> List[Result]:
        """One result or error for each. `on_turn` is told whose launch comes next, so that a hang has a name. What it
        raises says that nothing more can be measured in this process."""
        results: List[Result] = []
        for index, prepared in enumerate(batch):
            on_turn(index)
            results.append(self.measure_one(prepared, request))
        return results

    def measure_one(self, prepared: Any, request: Dict[str, Any]) -> Dict[str, Any]:
        raise NotImplementedError
