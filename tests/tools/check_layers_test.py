"""Unit tests of tools/check_layers.py."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_layers import check_line, check_tree  # noqa: E402


class CheckLine(unittest.TestCase):
    def good(self, name, line):
        self.assertIsNone(check_line(name, line))

    def bad(self, name, line, word):
        self.assertIn(word, check_line(name, line) or "nothing found")

    def test_lower_and_own_folder(self):
        self.good("run/a.cc", '#include "trace/event.h"')
        self.good("run/a.cc", '#include "run/b.h"')
        self.good("cli/main.cc", '#include "store/store.h"')

    def test_upper_folder(self):
        self.bad("trace/a.cc", '#include "run/run.h"', "may not include run")
        self.bad("base/a.h", '  #  include "io/source.h"', "may not include io")

    def test_sibling(self):
        self.bad("store/a.cc", '#include "profile/cache.h"', "may not include profile")
        self.good("store/a.cc", '#include "analyze/diff.h"')

    def test_unknown_folder(self):
        self.bad("extras/a.cc", "int x;", "no place")

    def test_home_of_library(self):
        self.good("trace/decode.cc", "#include <simdjson.h>")
        self.bad("run/a.cc", "#include <simdjson.h>", "belongs in trace")
        self.bad("cli/query.cc", "#include <duckdb.h>", "belongs in store")
        self.good("io/zstd.cc", "#include <zstd.h>")
        self.bad("ndjson/gzip_chunks.cc", "#include <isa-l/crc.h>", "belongs in io")
        self.good("run/a_test.cc", "#include <simdjson.h>")
        self.good("ndjson/reference_test_input.h", "#include <simdjson.h>")
        self.bad("base/hash.cc", "#include <zstd.h>", "belongs in io")
        self.bad("report/a.cc", "#include <CLI/CLI.hpp>", "belongs in cli")

    def test_talk(self):
        self.bad("run/a.cc", '  printf("x");', "printf")
        self.bad("run/a.cc", "  std::cerr << x;", "std::cerr")
        self.bad("run/a.cc", "  std::exit(1);", "exit")
        self.bad("run/a.cc", '  auto home = getenv("HOME");', "getenv")
        self.bad("run/a.cc", '  fmt::print("x");', "fmt::print")
        self.good("cli/a.cc", "  std::exit(1);")
        self.good("run/a_test.cc", '  printf("x");')

    def test_no_false_alarms(self):
        self.good("run/a.cc", "// printf(x) and exit(1) are the command line's business")
        self.good("run/a.cc", '  out += "exit(1)";')
        self.good("run/a.cc", "  on_exit(1); snprintf(b, 1, f); scope.exit(1); ks::exit(1);")


class CheckTree(unittest.TestCase):
    def test_names_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "base").mkdir()
            (Path(folder) / "base" / "a.h").write_text('#pragma once\n#include "cli/x.h"\n')
            self.assertEqual(list(check_tree(folder)), ["base/a.h:2: base may not include cli (cli/x.h)"])


if __name__ == "__main__":
    unittest.main()
