#!/usr/bin/env python3
"""The tests that need a GPU.

  run.py KIT [unittest arguments]     KIT: a folder made by `./run gpu-kit`

Needs python3 with torch and Triton, an NVIDIA GPU whose counters this user may read, and nothing else.
"""
import csv
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernels  # noqa: E402

KIT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "."
KS = os.path.join(KIT, "kernelscope")
TIMEOUT_S = "15"


def profile(*arguments, check=None, **options):
    done = subprocess.run([KS, "profile", *arguments], capture_output=True, text=True, timeout=300, **options)
    if check is not None and done.returncode != check:
        raise AssertionError(f"exit code {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["kernel_name"]: row for row in csv.DictReader(file)}


class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kernelscope-gpu-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.kernels = os.path.join(self.folder, "kernels")
        os.mkdir(self.kernels)
        self.out = os.path.join(self.folder, "out.csv")
        self.cache = os.path.join(self.folder, "cache")
        self.common = ["--cache", self.cache, "--timeout", TIMEOUT_S, "-o", self.out, "--overwrite"]

    def write(self, name, change=None):
        return kernels.write(self.kernels, name, change)

    def measure(self, *more, check=0):
        done = profile(self.kernels, *self.common, *more, check=check)
        return rows(self.out), done

    def assertMeasured(self, row):
        self.assertEqual(row["status"], "ok", row["reason"])
        # 16 MiB read twice and written once; the writes stay in L2 in part.
        self.assertAlmostEqual(float(row["dram_read_bytes"]), 2 * (4 << 22), delta=0.02 * 2 * (4 << 22))
        self.assertGreater(float(row["duration_us"]), 5)
        self.assertGreater(int(row["registers"]), 0)

    def test_a_kernel_moves_the_bytes_it_must(self):
        self.write("good")
        table, _ = self.measure()
        row = table["triton_poi_good"]
        self.assertMeasured(row)
        self.assertEqual(row["source"], "cupti")
        self.assertIn("XBLOCK", row["config"])
        self.assertEqual(row["spills"], "0")

    def test_bad_kernels_cost_themselves_only(self):
        for i in range(6):
            self.write(f"good{i}")
        for name, (old, new, _) in kernels.BAD.items():
            self.write(name, (old, new))
        self.write("noisy", kernels.NOISY)
        table, _ = self.measure()
        for name in [f"good{i}" for i in range(6)] + ["noisy"]:
            self.assertMeasured(table["triton_poi_" + name])
        found = {name: table["triton_poi_" + name]["status"] for name in kernels.BAD}
        self.assertEqual(found, {name: status for name, (_, _, status) in kernels.BAD.items()})

    def test_second_run_comes_from_the_cache(self):
        self.write("good")
        first, _ = self.measure()
        second, done = self.measure()
        for table in (first, second):
            del table["triton_poi_good"]["best_config"]  # Inductor writes it beside the kernel in the first run
        self.assertEqual(first, second)
        self.assertIn("1 of them from the cache", done.stderr)

    def test_killed_worker_loses_nothing(self):
        for i in range(12):
            self.write(f"good{i}")
        process = subprocess.Popen([KS, "profile", self.kernels, *self.common], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        killed = 0
        while process.poll() is None and killed < 2:
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
            for pid in children.stdout.split()[:1]:
                time.sleep(6)  # torch takes about 4 s to start: now and then this hits work, now and then the start
                try:
                    os.kill(int(pid), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
        output, _ = process.communicate(timeout=200)
        table = rows(self.out)
        self.assertEqual(len(table), 12, output)
        for row in table.values():
            self.assertIn(row["status"], ("ok", "crash"), output)
        self.assertLessEqual(sum(row["status"] == "crash" for row in table.values()), killed)

    def test_two_runs_on_one_cache(self):
        for i in range(8):
            self.write(f"good{i}")
        other = os.path.join(self.folder, "other.csv")
        command = [KS, "profile", self.kernels, "--cache", self.cache, "--timeout", TIMEOUT_S]
        both = [subprocess.Popen([*command, "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for out in (self.out, other)]
        for process in both:
            _, err = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, err)
        for out in (self.out, other):
            for row in rows(out).values():
                self.assertMeasured(row)

    def test_read_only_kernel_folder(self):
        self.write("good")
        os.chmod(self.kernels, stat.S_IRUSR | stat.S_IXUSR)
        try:
            table, _ = self.measure()
        finally:
            os.chmod(self.kernels, stat.S_IRWXU)
        self.assertMeasured(table["triton_poi_good"])

    def test_full_disk_is_said_and_the_table_comes_out(self):
        small = os.path.join(self.folder, "small")
        os.mkdir(small)
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small],
                                               capture_output=True).returncode:
            self.skipTest("cannot mount a small file system")
        try:
            with open(os.path.join(small, "filler"), "wb", buffering=0) as file:
                try:
                    while file.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
            self.write("good")
            done = profile(self.kernels, "--cache", os.path.join(small, "cache"), "-o", self.out)
            self.assertIn("No space left", done.stderr)
            self.assertMeasured(rows(self.out)["triton_poi_good"])
        finally:
            subprocess.run(["umount", small], check=True)

    def test_sol_set_has_more_passes(self):
        self.write("good")
        table, _ = self.measure("--metrics", "sol")
        self.assertMeasured(table["triton_poi_good"])
        self.assertGreater(int(table["triton_poi_good"]["passes"]), 1)
        self.assertLess(float(table["triton_poi_good"]["l2_hit_pct"]), 60)

    def test_warm_cache_moves_less(self):
        self.write("good")
        table, _ = self.measure("--cache-control", "none")
        self.assertEqual(table["triton_poi_good"]["status"], "ok")
        self.assertLess(float(table["triton_poi_good"]["dram_read_bytes"]), 2 * (4 << 22) * 0.9)

    def test_time_needs_no_counters(self):
        self.write("good")
        table, _ = self.measure("--source", "time", "--latency")
        row = table["triton_poi_good"]
        self.assertEqual(row["status"], "ok", row["reason"])
        self.assertGreater(float(row["duration_us"]), 5)
        self.assertGreater(float(row["latency_us_under_profiling"]), float(row["duration_us"]) * 0.5)
        self.assertEqual(row["dram_bytes"], "")

    def test_ncu_agrees(self):
        if not shutil.which("ncu"):
            self.skipTest("no ncu")
        self.write("good")
        ours, _ = self.measure()
        ncu, _ = self.measure("--source", "ncu")
        ours, ncu = ours["triton_poi_good"], ncu["triton_poi_good"]
        self.assertEqual(ncu["status"], "ok", ncu["reason"])
        for column, tolerance in (("duration_us", 0.1), ("dram_read_bytes", 0.02), ("l2_bytes", 0.03)):
            self.assertAlmostEqual(float(ours[column]) / float(ncu[column]), 1, delta=tolerance, msg=column)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
