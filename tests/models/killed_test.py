#!/usr/bin/env python3
"""Each engine is killed once by SIGKILL in each phase of a real campaign. The front says so in a sentence, goes on or
exits with 2, and leaves nothing half-written.

  killed_test.py --bin build/release/bin [--moments N]

With --moments each engine is killed at N random moments of a campaign instead.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make

BUDGET = "6"  # enough for a verdict on candidates and on the whole
CAMPAIGN_SECONDS = 9  # about, with that budget


def holds(name):
    return lambda work: os.path.exists(os.path.join(work, name))


# What the work directory shows when the phase has begun, and who is killed then. Progress is no sign: it is told of what
# takes a second, which depends on the machine.
PHASES = [
    ("kadvise-graph", "loading", lambda work: True),
    ("kadvise-measure", "loading", lambda work: True),
    ("kadvise-measure", "tracing", holds("base.pt")),
    ("kadvise-graph", "matching", holds("values.json")),
    ("kadvise-measure", "normal form", holds("regions.json")),
    ("kadvise-measure", "a candidate", holds("C1.inputs.pt")),
    ("kadvise-graph", "a candidate", holds("C1.inputs.pt")),
    ("kadvise-measure", "the whole module", holds("whole.pt")),
]


def child_named(parent, name):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            command = os.readlink(f"/proc/{pid}/exe")
        except OSError:
            continue
        if int(stat[1]) == parent and os.path.basename(command) == name:
            return int(pid)
    return None


def kill_in_phase(kadvise, folder, engine, begun):
    """Runs a campaign, kills the engine once when the phase has begun; returns (killed, exit code, text)."""
    work, errors = os.path.join(folder, "work"), os.path.join(folder, "errors.txt")
    with open(errors, "w") as sink:
        run = subprocess.Popen(
            [kadvise, "m.pt", "--inputs", "m.inputs.pt", "--device", "cpu", "--budget", BUDGET, "--keep", "equal", "--work-dir", work,
             "--json", "report.json", "--apply", "-o", "fast.pt"], cwd=folder, stdout=subprocess.PIPE, stderr=sink, text=True)
        killed = False
        deadline = time.time() + 120
        while run.poll() is None and not killed and time.time() < deadline:
            if begun(work):
                pid = child_named(run.pid, engine)
                if pid:
                    os.kill(pid, signal.SIGKILL)
                    killed = True
            time.sleep(0.005)
        out, _ = run.communicate(timeout=300)
    return killed, run.returncode, out + open(errors).read()


def moments(count):
    """So many for each engine, over the time that a campaign takes."""
    dice = random.Random(9)

    def at(seconds):
        end = []

        def begun(work):
            end[:] = end or [time.time() + seconds]
            return time.time() >= end[0]
        return begun
    return [(engine, f"the second {s:.2f}", at(s)) for engine in ("kadvise-graph", "kadvise-measure")
            for s in sorted(dice.uniform(0, CAMPAIGN_SECONDS) for _ in range(count))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--moments", type=int, default=0, metavar="N")
    args = parser.parse_args()
    phases = moments(args.moments) if args.moments else PHASES
    kadvise = os.path.join(os.path.abspath(args.bin), "kadvise")
    failed = 0
    for engine, phase, begun in phases:
        with tempfile.TemporaryDirectory() as folder:
            module, inputs = make.make("encoder")
            torch.jit.save(module, os.path.join(folder, "m.pt"))
            torch.save(inputs, os.path.join(folder, "m.inputs.pt"))
            killed, code, text = kill_in_phase(kadvise, folder, engine, begun)
            problems = []
            # At a random moment it may have said all it had to say, or be over.
            if not killed and not args.moments:
                problems.append("the phase was never seen")
            elif killed and "SIGKILL" not in text and not (args.moments and code == 0):
                problems.append("nobody said that the engine was killed")
            if code not in (0, 1, 2):
                problems.append(f"exit {code}")
            left = [f for f in os.listdir(folder) if f.endswith(".tmp") or f.startswith(".fast")]
            if left:
                problems.append(f"left {left}")
            for name, read in (("fast.pt", torch.jit.load), ("report.json", lambda p: json.load(open(p)))):
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    try:
                        if name == "fast.pt":
                            torch.ops.load_library(os.path.join(os.path.dirname(os.path.abspath(args.bin)), "lib", "libkadvise_kernels.so"))
                        read(path)
                    except Exception as e:
                        problems.append(f"{name} cannot be read: {e}")
            print(f"{'FAIL' if problems else 'ok  '} {engine} killed in {phase}: exit {code}", flush=True)
            for p in problems:
                print("     " + p + "\n" + text[-1500:])
            failed += bool(problems)
    print(f"{len(phases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
