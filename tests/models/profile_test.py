#!/usr/bin/env python3
"""Profiles of real architectures: nearly all of their time belongs to an operator and a module path, as loaded, frozen and,
on a GPU, in the replay of a CUDA graph; and the figures of one profile agree with each other.

  profile_test.py --bin build/release/bin [--device cpu|cuda] [--counters] [--out FOLDER] [MODEL ...]

Models that are in FOLDER already are not made again.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make

LEAST = 0.98  # of the time
# Whose archives know lines of the author: of at least this share of the time. Not frozen: LibTorch joins linear layers
# then, and gives the new nodes no line.
LINES = {"bert-small": 0.9, "resnet-small": 0.9, "llama-small": 0.85, "bert": 0.9, "resnet50": 0.9}


class Profiles:
    def __init__(self, args, folder):
        self.args, self.folder, self.wrong = args, folder, []

    def expect(self, what, holds):
        if not holds:
            self.wrong.append(what)

    def profile(self, name, *options):
        out, trace = (os.path.join(self.folder, f"{name}{''.join(options)}.{kind}") for kind in ("profile.json", "trace.json"))
        subprocess.run([os.path.join(self.args.bin, "kadvise"), "profile", f"{name}.pt", "--inputs", f"{name}.inputs.pt", "--device",
                        self.args.device, "--quiet", "--json", out, "--trace", trace, *options], cwd=self.folder, check=True)
        with open(out) as f, open(trace) as t:
            return json.load(f)["profile"], json.load(t)["traceEvents"]

    def check_view(self, name, view, frozen):
        where = f"{name}, {view['mode']}"
        reached = view.get("attribution", {})
        print(f"{where}: {view['wallUs']['mid']:.1f} us a call, to operator {reached.get('toOperator', 0):.4f}, module "
              f"{reached.get('toModule', 0):.4f}, line {reached.get('toLine', 0):.4f}, durations {reached.get('durations')}, "
              f"overhead of the map {reached.get('overhead', 0):+.2f}", flush=True)
        self.expect(f"{where}: {reached.get('toModule', 0):.4f} of the time is assigned", reached.get("toModule", 0) >= LEAST)
        self.expect(f"{where}: lines", frozen or reached.get("toLine", 0) >= LINES.get(name, 0))
        for table in ("operators", "modules", "lines"):
            shares = sum(row["share"] for row in view[table])
            self.expect(f"{where}: the shares of {table} add up to {shares}", abs(shares - 1) < 1e-6)
        total = sum(row["us"] for row in view["modules"])
        self.expect(f"{where}: operators and modules are the same time", abs(sum(r["us"] for r in view["operators"]) - total) < 1e-3 * total)
        if view["basis"] == "gpu-kernels":
            self.check_gpu(where, view, total)

    def check_gpu(self, where, view, total):
        gpu = view["gpu"]
        print(f"  busy {gpu['busyUs']:.1f} of {gpu['spanUs']:.1f} us, {gpu['kernels']:.0f} kernels, launch-bound {gpu['launchBoundShare']:.2f}, "
              f"records cost {gpu['recordingOverhead']:+.3f}", flush=True)
        self.expect(f"{where}: kernels were recorded", gpu["kernels"] > 0)
        self.expect(f"{where}: busy and idle time make the span", abs(gpu["busyUs"] + gpu["waitingUs"] + gpu["gapUs"] - gpu["spanUs"]) < 0.01 * gpu["spanUs"])
        launches = sum(row["launches"] for row in view["kernels"])
        self.expect(f"{where}: {launches} launches in the table, {gpu['kernels'] + gpu['copies'] + gpu['fills']} recorded",
                    abs(launches - gpu["kernels"] - gpu["copies"] - gpu["fills"]) < 0.5)
        self.expect(f"{where}: kernels take {total} us, the GPU is busy {gpu['busyUs']}", total >= 0.9 * gpu["busyUs"])
        self.expect(f"{where}: occupancy is a share", all(0 <= row["occupancy"] <= 1 for row in view["kernels"]))

    def check_trace(self, name, events):
        slices = [e for e in events if e["ph"] == "X"]
        self.expect(f"{name}: the trace has slices", slices)
        self.expect(f"{name}: times in the trace", all(e["dur"] >= 0 for e in slices))
        tracks = {(e["pid"], e["tid"]) for e in slices}
        named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.expect(f"{name}: every track has a name", tracks <= named)
        if self.args.device == "cuda":
            self.expect(f"{name}: arrows lead from operators to kernels", any(e["ph"] == "s" for e in events))

    def check(self, name):
        if not os.path.exists(os.path.join(self.folder, f"{name}.pt")):
            subprocess.run([sys.executable, make.__file__, "--out", self.folder, "--device", self.args.device, name], check=True, stdout=subprocess.DEVNULL)
        on_gpu = self.args.device == "cuda"
        for options in (["--graph"] if on_gpu else [], ["--frozen"] + (["--graph"] if on_gpu else [])):
            profile, events = self.profile(name, *options)
            for view in profile["views"]:
                self.check_view(name, view, "--frozen" in options)
            self.check_trace(name, events)
            self.expect(f"{name}: memory was watched", profile["memory"]["peakBytes"] > 0)
            modes = [v["mode"] for v in profile["views"]]
            self.expect(f"{name}: {modes}, and absent are {profile['absent']}", not on_gpu or "graph-replay" in modes)
            if not on_gpu:
                self.expect(f"{name}: what a CPU cannot tell has a reason and a remedy",
                            len(profile["absent"]) >= 2 and all(a["reason"] and a["remedy"] for a in profile["absent"]))
            for note in profile["notes"]:
                print("  note:", note)
        if on_gpu and self.args.counters:
            self.check_counters(name)

    def check_counters(self, name):
        profile, _ = self.profile(name, "--counters", "5")
        print("  counters:", profile["countedHow"], profile["absent"])
        self.expect(f"{name}: counters", len(profile["counted"]) == 5)
        for k in profile["counted"]:
            print(f"  {k['us']:8.2f} us  {k['bound']:8} {k['why']}  [{k['op']} {k['where']['scope']}] {k['name'][:50]}")
            self.expect(f"{name}: {k['name']} is bound by something, and the number says so", k["bound"] and any(c.isdigit() for c in k["why"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--counters", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("models", nargs="*", default=["bert-small", "resnet-small", "llama-small"])
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    with tempfile.TemporaryDirectory() as temporary:
        profiles = Profiles(args, os.path.abspath(args.out) if args.out else temporary)
        for name in args.models:
            try:
                profiles.check(name)
            except subprocess.CalledProcessError as e:
                profiles.wrong.append(f"{name}: {e}")
    print("\n".join(profiles.wrong) or "ok")
    return 1 if profiles.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
