#!/usr/bin/env python3
"""`kadvise levels` over modules as one table: a row for each module, a column for each level.

  levels.py --bin build/release/bin [--budget SECONDS] MODEL.pt…

MODEL.inputs.pt stands beside each. A cell is the median time of a call, how much faster than as loaded with its interval,
and how exact; "-" with the reason below where a level does not exist. Ends with 1 when some level's outputs differ.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys


def level_times(verdict):
    times = [us for t in verdict["after"]["timings"] if t["regime"] == "warm" for us in t["wallUs"]]
    return statistics.median(times) if times else None


def cell(level):
    verdict = level["verdict"]
    us = level_times(verdict)
    if us is None:
        return "-"
    time = f"{us / 1000:.3f} ms"
    speed = verdict["speedup"]
    if level["level"] == 0 or speed["mid"] is None:
        return f"{time} {verdict['accuracy']['grade']}"
    return f"{time} {speed['mid']:.2f}x ({speed['low']:.2f}-{speed['high']:.2f}) {verdict['accuracy']['grade']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--budget", default="8")
    parser.add_argument("models", nargs="+", metavar="MODEL.pt")
    args = parser.parse_args()
    different = 0
    for model in args.models:
        command = [os.path.join(args.bin, "kadvise"), "levels", model, "--inputs", model[:-3] + ".inputs.pt", "--budget", args.budget,
                   "--json", "-"]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        print(os.path.basename(model)[:-3], flush=True)
        if run.returncode != 0:
            print(f"  exit {run.returncode}: {run.stdout[-300:]}")
            different = 1
            continue
        for level in json.loads(run.stdout)["levels"]:
            verdict = level["verdict"]
            reason = f"   {verdict['outcome']}: {verdict['reason']}" if verdict["outcome"] not in ("faster", "slower", "same") else ""
            print(f"  {level['level']} {level['name'][:44]:44} {cell(level):54}{reason if level['level'] else ''}", flush=True)
            different |= verdict["outcome"] in ("wrong-output", "failed")
    return different


if __name__ == "__main__":
    sys.exit(main())
