#!/usr/bin/env python3
"""kadvise over a folder of modules, on one GPU or several at once: what was rewritten, how much faster the whole is, and
whether the written module gives the original's results on fresh inputs, another batch and another length.

  all_models.py --models DIR [--bin build/release/bin] [--lib build/release/lib] [--gpus N] [--budget SECONDS] [--only REGEX]
                [--limit-seconds N] [--out FILE]

DIR holds NAME.pt and NAME.inputs.pt, made on the GPU. Prints a line a model, the totals, and what each rule gained in the
regions of its candidates. With --jobs above --gpus several share a GPU: for results, not for times.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAME_RESULTS = HERE.parent / "models" / "same_results.py"
sys.path.insert(0, str(SAME_RESULTS.parent))
import findings

SLACK_SECONDS = 90


def ran(command, gpu, seconds):
    """(exit code or None after the limit, what it printed)."""
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES=str(gpu))
    try:
        run = subprocess.run([str(c) for c in command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=seconds)
        return run.returncode, run.stdout
    except subprocess.TimeoutExpired:
        return None, "it did not end in time"


def differences(model, fast, inputs, args, gpu):
    command = [sys.executable, "-W", "ignore", SAME_RESULTS, model, fast, inputs, "--library", args.lib / "libkadvise_kernels.so"]
    code, said = ran(command + (["--torchvision"] if model.stem in findings.NEEDS_TORCHVISION else []), gpu, 300)
    lines = [line for line in said.splitlines() if line and not line.startswith("refused:")]
    return lines if code == 0 or lines else [f"same_results.py ended with {code}"]


def row(model, args, gpu, scratch):
    inputs = model.with_name(model.stem + ".inputs.pt")
    fast, report = scratch / (model.stem + ".fast.pt"), scratch / (model.stem + ".json")
    libraries = [o for path in findings.torchvision_libraries() for o in ("--op-library", path)] if model.stem in findings.NEEDS_TORCHVISION else []
    code, said = ran([args.bin / "kadvise", model, "--inputs", inputs, "--device", "cuda", "--budget", args.budget, "--apply",
                      "-o", fast, "--json", report, "--no-config", "--quiet", *libraries], gpu, args.budget + SLACK_SECONDS)
    out = {"model": model.stem, "exit": code, "differences": []}
    if not report.exists():
        return {**out, "outcome": "no report", "reason": said.strip()[-300:]}
    with open(report) as file:
        r = json.load(file)
    whole, composed = r.get("whole") or {}, r.get("composition") or {}
    graphs = (r.get("cudaGraph") or {}).get("status", "")
    out.update(outcome=whole.get("outcome"), speedup=whole.get("speedup"), reason=whole.get("reason", ""), graphs=graphs,
               sites=sum(a["sites"] for a in composed.get("applied", [])), written=fast.exists(), measured=measured(r))
    if fast.exists():
        out["differences"] = differences(model, fast, inputs, args, gpu)
        fast.unlink()
    return out


def measured(report):
    """[rule, outcome, times faster in its region] of every candidate that was measured."""
    rules = {c["id"]: c["rule"] for c in report["candidates"]}
    return [[rules[v["candidate"]], v["outcome"], v["speedup"]["mid"]] for v in report["verdicts"]
            if v["candidate"] in rules and v["outcome"] != "not-run"]


def rule_table(rows):
    """Per rule: how many candidates were measured, and the speed of those whose outputs are equal."""
    by_rule = {}
    for rule, outcome, mid in (m for r in rows for m in r.get("measured", [])):
        by_rule.setdefault(rule, []).append((outcome, mid))
    lines = [f"{'rule':36}{'measured':>9}{'faster':>8}{'same':>6}{'slower':>8}{'unclear':>9}{'refused':>9}  in its region: median (least to most)"]
    for rule, seen in sorted(by_rule.items()):
        counts = [sum(o in kinds for o, _ in seen) for kinds in (("faster",), ("same",), ("slower",), ("ambiguous",), ("wrong-output", "failed"))]
        speeds = [mid for outcome, mid in seen if mid and outcome not in ("wrong-output", "failed")]
        gain = f"{statistics.median(speeds):.2f}x ({min(speeds):.2f} to {max(speeds):.2f})" if speeds else "-"
        lines.append(f"{rule:36}{len(seen):9}{counts[0]:8}{counts[1]:6}{counts[2]:8}{counts[3]:9}{counts[4]:9}  {gain}")
    return "\n".join(lines)


def words(r):
    s = r.get("speedup") or {}
    figure = f"{s['mid']:.2f}x ({s['low']:.2f}-{s['high']:.2f})" if s.get("mid") else "-"
    notes = "; ".join([*r["differences"], r.get("reason", "") if not r.get("written") else ""])[:160]
    graphs = " graphs" if r.get("graphs") == "applied" else ""
    return f"{r['model']:28} {r.get('sites', 0):4} sites{graphs:8} {r['outcome'] or '-':14} {figure:22} {'written' if r.get('written') else '':8} {notes}"


def totals(rows):
    written = [r for r in rows if r.get("written")]
    slower = [r["model"] for r in written if r["speedup"]["high"] is not None and r["speedup"]["high"] < 1]
    different = [r["model"] for r in rows if r["differences"] or r["outcome"] in ("wrong-output", "failed")]
    gains = [r["speedup"]["mid"] for r in written if r["speedup"]["mid"]]
    mean = math.exp(sum(map(math.log, gains)) / len(gains)) if gains else float("nan")
    return (f"{len(rows)} models, {len(written)} rewritten, {mean:.2f}x in the geometric mean of those; interval wholly below 1.00: "
            f"{', '.join(slower) or 'none'}; different or failed: {', '.join(different) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--lib", type=pathlib.Path, default=ROOT / "build/release/lib")
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--jobs", type=int, help="models at a time; as many as there are GPUs")
    parser.add_argument("--budget", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit-seconds", type=float, default=float("inf"), help="start no model after that")
    parser.add_argument("--out", help="the rows as JSON")
    args = parser.parse_args()
    models = sorted(m for m in args.models.glob("*.pt") if not m.name.endswith(".inputs.pt") and re.search(args.only, m.stem))
    free, began = queue.Queue(), time.monotonic()
    jobs = args.jobs or args.gpus
    for job in range(jobs):
        free.put(job % args.gpus)

    def one(model):
        gpu = free.get()
        try:
            if time.monotonic() - began > args.limit_seconds:
                return None
            r = row(model, args, gpu, pathlib.Path(scratch))
            print(words(r), flush=True)
            return r
        finally:
            free.put(gpu)

    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = [r for r in pool.map(one, models) if r]
    print(totals(rows), f"(--budget {args.budget}; {len(models) - len(rows)} left out for time)")
    print(f"\n{rule_table(rows)}")
    if args.out:
        pathlib.Path(args.out).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
