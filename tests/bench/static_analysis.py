#!/usr/bin/env python3
"""How long kadvise takes before anything is measured: start-up, and static analysis of BERT-base with its trace.

  static_analysis.py [--bin build/release/bin] [--runs 5]

Prints medians and ranges of whole commands, wall time, file cache warm.
"""
import argparse
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def seconds(command, cwd):
    start = time.perf_counter()
    run = subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {run.returncode}: {run.stderr.strip()}")
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    kadvise = os.path.join(os.path.abspath(args.bin), "kadvise")
    folder = os.path.join(ROOT, "build/bench/models")
    os.makedirs(folder, exist_ok=True)
    model = os.path.join(folder, "bert.pt")
    if not os.path.exists(model):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests/models/make.py"), "--out", folder, "bert"], check=True)
    cases = {
        "kadvise --help": [kadvise, "--help"],
        "kadvise rules list": [kadvise, "rules", "list"],
        "BERT-base, --no-verify": [kadvise, model, "--inputs", model.replace(".pt", ".inputs.pt"), "--no-verify", "--device", "cpu"],
    }
    print(f"{'command':28s} {'median':>10s} {'fastest':>10s} {'slowest':>10s}   ({args.runs} runs, {os.cpu_count()} cores)")
    for name, command in cases.items():
        seconds(command, folder)  # warms the file cache
        times = sorted(seconds(command, folder) for _ in range(args.runs))
        print(f"{name:28s} {statistics.median(times) * 1e3:8.1f} ms {times[0] * 1e3:8.1f} ms {times[-1] * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
