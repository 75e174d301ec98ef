"""torch.classes.kadvise.GraphRunner from Python: every situation gives the plain module's results.

    python3 graph_runner_use.py --library build/release/lib/libkadvise_kernels.so [--device cpu|cuda] [--only WORDS]

Prints one line a check; exits 1 when one failed.
"""
import argparse
import sys
import time
import traceback

import torch

from graph_runner import calls, common, in_place, lifecycle, memory, refusals, results, streams

PARTS = [refusals, lifecycle, calls, results, streams, memory, in_place]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--only", default="", help="a part of the names of checks")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("SKIPPED: torch sees no GPU, so nothing was tested")
        return 77
    torch.ops.load_library(options.library)
    failed = run(options, lambda part: part.CHECKS)
    if options.device == "cuda":
        failed += run(options, lambda part: part.GPU_CHECKS)
        print("once more, with memory used in place where calls come back to it")
        common.IN_PLACE["on"] = True
        failed += run(options, lambda part: [] if part is in_place else part.GPU_CHECKS)
    return 1 if failed else 0


def run(options, checks_of):
    """How many failed."""
    failed = 0
    for check in [check for part in PARTS for check in checks_of(part) if options.only in check.__name__]:
        begin = time.perf_counter()
        try:
            check(options.device)
            print(f"ok {check.__name__} ({time.perf_counter() - begin:.2f} s)", flush=True)
        except Exception:
            failed += 1
            print("FAILED", check.__name__, flush=True)
            traceback.print_exc(file=sys.stdout)
    return failed


if __name__ == "__main__":
    sys.exit(main())
