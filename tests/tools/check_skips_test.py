"""Unit tests of tools/check_skips.py."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_skips import main  # noqa: E402

CORPUS = "/src/io/x_test.cc:12: Skipped\ncorpus is absent\n[  SKIPPED ] X.Y (0 ms)\n"
SHARED = "/src/io/z_test.cc:7: Skipped\nshared data is absent\n"


class CheckSkips(unittest.TestCase):
    def check(self, log, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as f, contextlib.redirect_stdout(io.StringIO()) as out:
            f.write(log)
            f.flush()
            return main([*options, f.name]), out.getvalue()

    def test_nothing_skipped(self):
        self.assertEqual(self.check("[  PASSED  ] 1 test.\n", "--require-shared"), (0, ""))

    def test_corpus_may_be_absent(self):
        code, out = self.check(CORPUS + CORPUS, "--require-shared")
        self.assertEqual((code, out), (0, "skipped 2 tests: corpus is absent\n"))

    def test_shared_data_may_not_where_required(self):
        self.assertEqual(self.check(CORPUS + SHARED)[0], 0)
        code, out = self.check(CORPUS + SHARED, "--require-shared")
        self.assertEqual(code, 1)
        self.assertIn("not allowed to be skipped here: shared data is absent", out)

    def test_reason_must_be_given(self):
        self.assertEqual(self.check("a_test.cc:1: Skipped\n\n", "--require-shared")[0], 1)


if __name__ == "__main__":
    unittest.main()
