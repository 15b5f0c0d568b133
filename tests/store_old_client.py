#!/usr/bin/env python3
"""A run file opens in an older DuckDB client, and its views answer there.

Usage: store_old_client.py RUN.duckdb
The client must be the one that requirements name (1.2.2: the first format version that we write is
that of 1.2.0). Exit code 77 where it is missing: ctest counts that as skipped.
"""
import sys

WANTED = "1.2."


def main() -> int:
    try:
        import duckdb
    except ImportError:
        print("skipped: no Python package duckdb here; ./run test installs 1.2.2 into .venv")
        return 77
    if not duckdb.__version__.startswith(WANTED):
        print(f"skipped: duckdb {duckdb.__version__} is here, {WANTED}x is what this test is about")
        return 77
    connection = duckdb.connect(sys.argv[1], read_only=True)
    views = [row[0] for row in connection.execute(
        "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()]
    assert "kernels" in views and "source_map" in views, views
    for view in views:
        connection.execute(f"SELECT * FROM {view} LIMIT 10").fetchall()
    texts, empty = connection.execute(
        "SELECT count(*), count(*) FILTER (len(text) = 0) FROM artifact_texts").fetchone()
    kernels = connection.execute("SELECT count(*) FROM kernels").fetchone()[0]
    assert kernels > 0, "no kernels"
    print(f"duckdb {duckdb.__version__}: {len(views)} views, {kernels} kernels, {texts} texts ({empty} empty)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
