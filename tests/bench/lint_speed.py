#!/usr/bin/env python3
"""How long `kadvise lint` takes: one file with each kind of headers, a tree, and the tree again from the cache.

  lint_speed.py KADVISE PATH...     PATH: files or folders; medians of five runs
"""
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 5


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def main(program, paths):
    lint = [program, "lint", "--exit-zero", "-q"]
    for path in paths:
        for headers in ("stub", "auto"):
            took = statistics.median(seconds([*lint, "--no-cache", "--headers", headers, path]) for _ in range(RUNS))
            print(f"{path}: {took:.2f} s with --headers {headers}")
        with tempfile.TemporaryDirectory() as cache:
            seconds([*lint, "--cache-dir", cache, path])
            again = statistics.median(seconds([*lint, "--cache-dir", cache, path]) for _ in range(RUNS))
        print(f"{path}: {again:.2f} s from the cache")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
