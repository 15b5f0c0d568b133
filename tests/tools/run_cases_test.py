"""Unit tests of tests/run_cases.py, with /bin/echo as the binary."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import run_cases  # noqa: E402


class RunCases(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.case = Path(scratch.name) / "some_case"
        self.case.mkdir()

    def run_case(self, cmd, expected=None, *options):
        (self.case / "cmd").write_text(cmd)
        if expected is not None:
            (self.case / "expected.txt").write_text(expected)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            return run_cases.main(["--ks", "/bin/echo", *options, str(self.case)]), out.getvalue()

    def test_stdout_stderr_exit(self):
        cmd = "kernelscope hello\necho oops >&2\nexit 3\n"
        expected = "$ kernelscope hello\n$ echo oops >&2\n$ exit 3\nhello\n--- stderr\noops\n--- exit 3\n"
        self.assertEqual(self.run_case(cmd, expected)[0], 0)

    def test_difference_is_shown(self):
        code, out = self.run_case("kernelscope one\n", "$ kernelscope one\ntwo\n--- stderr\n--- exit 0\n")
        self.assertEqual(code, 1)
        self.assertIn("-two\n+one\n", out)

    def test_no_expected_file(self):
        self.assertEqual(self.run_case("true\n")[0], 1)

    def test_paths_are_normalised(self):
        cmd = 'echo "$PWD" "$CASE/x" "$DATA/y"\n'
        self.assertEqual(self.run_case(cmd, f"$ {cmd}TMP CASE/x DATA/y\n--- stderr\n--- exit 0\n")[0], 0)

    def test_written_files(self):
        (self.case / "expected").mkdir()
        (self.case / "expected" / "a.txt").write_text("right\n")
        text = "$ echo {0} > a.txt\n--- stderr\n--- exit 0\n"
        self.assertEqual(self.run_case("echo right > a.txt\n", text.format("right"))[0], 0)
        self.assertEqual(self.run_case("echo wrong > a.txt\n", text.format("wrong"))[0], 1)

    def test_update_then_equal(self):
        self.assertEqual(self.run_case("kernelscope x\n", None, "--update")[0], 0)
        self.assertEqual(self.run_case("kernelscope x\n")[0], 0)

    def test_skip_without_shared_data(self):
        with mock.patch.object(run_cases, "SHARED", self.case / "absent"):
            code, out = self.run_case('ls "$SHARED"\n', "")
        self.assertEqual(code, run_cases.SKIPPED)
        self.assertIn(": Skipped\nshared data", out)


if __name__ == "__main__":
    unittest.main()
