#!/usr/bin/env python3
"""Checks what the bench makes of a program's output; measures nothing."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import history
import measure
import run

SAID = """Timings (2 threads; the phases run at the same time)
  read          0.026 s
  decode        0.507 s
  tables        0.250 s
  wall          0.923 s
  rate            8.2 MB/s
  peak memory     76.6 MB
"""


class Measure(unittest.TestCase):
    def test_phases(self):
        self.assertEqual(measure.phases_of(SAID), {"read": 0.026, "decode": 0.507, "tables": 0.25})

    def test_a_program_that_fails(self):
        with self.assertRaisesRegex(measure.Failed, "ended with 3: no good"):
            measure.run_once(["sh", "-c", "echo no good >&2; exit 3"], measure.pick_cores(1))

    def test_peak_is_the_programs(self):
        once = measure.run_once([sys.executable, "-c", "x = bytearray(100_000_000)"], measure.pick_cores(1))
        self.assertGreater(once["peak_mb"], 100)


class History(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        history.PATH = Path(self.folder.name) / "history.ndjson"

    def tearDown(self):
        self.folder.cleanup()

    def test_newest_of_the_same_kind(self):
        self.assertIsNone(history.last("a", "duckdb", 2))
        for wall in (3, 2):
            history.append([{"input": "a", "mode": "duckdb", "cores_used": 2, "wall_s": wall}], 0)
        history.append([{"input": "a", "mode": "ndjson", "cores_used": 2, "wall_s": 9}], 0)
        self.assertEqual(history.last("a", "duckdb", 2)["wall_s"], 2)
        self.assertIsNone(history.last("a", "duckdb", 4))

    def test_other_machines_do_not_count(self):
        entry = {"input": "a", "mode": "duckdb", "cores_used": 2, "wall_s": 1, "machine": {"model": "other", "cores": 1}}
        history.PATH.write_text(json.dumps(entry) + "\n")
        self.assertIsNone(history.last("a", "duckdb", 2))


class Verdict(unittest.TestCase):
    def test_targets(self):
        entry = {"input": "balanced-200", "mode": "duckdb", "wall_s": 0.7, "peak_mb": 150}
        self.assertEqual(run.verdict(entry), "reached")
        self.assertEqual(run.verdict({**entry, "peak_mb": 151}), "missed: memory")
        self.assertEqual(run.verdict({**entry, "wall_s": 0.8, "peak_mb": 151}), "missed: time and memory")
        self.assertEqual(run.verdict({**entry, "mode": "compat"}), "no target")


if __name__ == "__main__":
    unittest.main()
