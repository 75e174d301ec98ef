#!/usr/bin/env python3
"""kadvise over 70 public architectures: no crash, no hang; what expected.py derives is found; every optimised module
gives the original's results (same_results.py).

  all_models_test.py --models DIR --bin build/release/bin --lib build/release/lib [--only REGEX] [--jobs 2] [--static-only]

DIR holds NAME.pt (torch.jit.save) and NAME.inputs.pt (torch.save of a tuple of tensors) for the names of expected.py.
Models that are missing there are named and skipped. Ends with the table of models and rules, and a line of totals.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import expected
import findings
from vary_weights import vary_weights

HANG_SECONDS = 120  # for the static analysis
NOTHING_TO_WRITE = 1
FAILED = ("wrong-output", "failed")
BEYOND_IN_THE_WHOLE = ("in the whole module it leaves its bounds", "together with the others the module leaves its bounds")
FAR_BEYOND = 20  # times the original's own error: no rounding


def prepared(name, args, folder):
    """The model with varied weights, and its inputs, in a folder of its own."""
    import torchvision  # noqa: F401, its operators are in some models

    folder = os.path.join(folder, name)
    os.makedirs(folder)
    model, inputs = os.path.join(folder, "model.pt"), os.path.join(folder, "inputs.pt")
    torch.jit.save(vary_weights(torch.jit.load(os.path.join(args.models, name + ".pt"))), model)
    shutil.copy(os.path.join(args.models, name + ".inputs.pt"), inputs)
    return model, inputs


def merely_less_exact(verdict):
    """Refused by the bounds, and not far beyond them, as a norm folded into weights of a random model may be: the rule
    is right, and the written module is without it."""
    errors = re.search(r"max error (\S+) ulp, rms (\S+) where the original has ([^ ;]+) and ([^ ;]+)(?:;|$)", verdict["reason"])
    if not errors:
        return False
    highest, rms, own_highest, own_rms = map(float, errors.groups())
    return highest <= FAR_BEYOND * own_highest and rms <= FAR_BEYOND * own_rms


def ended_badly(run, fine):
    if run.code is None:
        return "hangs: not ended in time"
    if run.code not in fine:
        return f"exit {run.code}: {run.errors[-400:]}"
    return "; ".join(f"{e['where']}: {e['what']}" for e in run.report.get("errors", []))


def optimised_problems(name, args, model, inputs):
    """Applies all equal rewrites, and compares the written module with the original."""
    written = os.path.join(os.path.dirname(model), "fast.pt")
    run = findings.run(args.kadvise, model, inputs, os.path.join(os.path.dirname(model), "applied.json"),
                       [*args.options, "--keep", "equal", "--budget", str(args.budget), "--apply", "-o", written],
                       HANG_SECONDS + 10 * args.budget)
    if bad := ended_badly(run, fine=(0, NOTHING_TO_WRITE)):
        return [bad]
    outcome = run.report["whole"]["outcome"]
    if outcome in FAILED:
        return [f"whole module: {outcome}: {run.report['whole']['reason']}"]
    lost = [f"candidate {v['candidate']}: {v['outcome']}: {v['reason']}" for v in run.report["verdicts"]
            if v["outcome"] in FAILED and not merely_less_exact(v)]
    # What the whole does not bear stays out of it, which is no fault unless it is far off there.
    beyond = [d for d in run.report["composition"]["dropped"] if d["reason"].startswith(BEYOND_IN_THE_WHOLE)]
    lost += [f"candidate {d['candidate']}: {d['reason']}" for d in beyond if not merely_less_exact(d)]
    if not os.path.exists(written):
        applicable = any(fix.get("rewrite") for f in run.report["findings"] for fix in f["fixes"])
        # A result, too: each proposal was compared, and rounds more here than its bounds allow.
        verdicts = [v for v in run.report["verdicts"] if v["candidate"] != "normal-form"]
        known = {d["candidate"] for d in beyond}
        too_inexact = bool(verdicts) and all(merely_less_exact(v) or v["candidate"] in known for v in verdicts)
        return lost + ([f"nothing written: {run.report['whole']['reason']}"] if applicable and not too_inexact else [])
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "same_results.py"), model, written, inputs,
               "--library", args.library] + (["--torchvision"] if name in findings.NEEDS_TORCHVISION else [])
    try:
        same = subprocess.run(command, capture_output=True, text=True, timeout=10 * HANG_SECONDS)
    except subprocess.TimeoutExpired:
        return lost + ["the written module hangs in Python"]
    if same.returncode != 0:
        return lost + ((same.stdout.strip() or f"exit {same.returncode}: {same.stderr.strip()[-400:]}").splitlines())
    return lost


def check(name, args, folder):
    """Returns (rows of the table, what generated kernels could do, problems)."""
    model, inputs = prepared(name, args, folder)
    run = findings.run(args.kadvise, model, inputs, os.path.join(os.path.dirname(model), "static.json"),
                       [*args.options, "--no-verify"], HANG_SECONDS)
    if bad := ended_badly(run, fine=(0,)):
        return [], None, [bad]
    wanted = {expected.rule_id(rule): number for rule, number in expected.EXPECTED[name].items()}
    rows = findings.compare(run.report, wanted, [expected.rule_id(r) for r in expected.RULES], args.known)
    problems = [f"{r.rule}: found {r.found}, expected {r.expected}" for r in rows if r.wrong()]
    if not args.static_only:
        problems += optimised_problems(name, args, model, inputs)
    shutil.rmtree(os.path.dirname(model))
    return rows, run.report.get("generated"), problems


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=os.environ.get("KADVISE_MODELS", ""), help="folder (default: KADVISE_MODELS)")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--only", default="", help="regular expression on names")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=int, default=10, help="seconds of measuring for each model")
    parser.add_argument("--static-only", action="store_true", help="count the findings, apply nothing")
    args = parser.parse_args()
    args.kadvise = os.path.join(os.path.abspath(args.bin), "kadvise")
    args.library = os.path.join(os.path.abspath(args.lib), "libkadvise_kernels.so")
    args.options = ["--device", "cpu"] + [o for path in findings.torchvision_libraries() for o in ("--op-library", path)]
    args.known = findings.known_rules(args.kadvise)
    return args


def print_shares(shares):
    """Of all models together by bytes, which large ones decide, and by model."""
    if not shares:
        return
    total, inside = (sum(s[key] for _, s in shares) for key in ("bytes", "bytesInside"))
    print("\n".join(findings.share_line(name, share) for name, share in shares))
    print(f"  of all bytes {100 * inside / max(total, 1):.1f} %; "
          f"{sum(s['share'] >= 0.95 for _, s in shares)} of {len(shares)} models have 95 % or more, "
          f"{sum(findings.share_of_neighbours(s) >= 0.95 for _, s in shares)} of what has neighbours")


def main():
    args = parse()
    if not os.path.isdir(args.models):
        print(f"no folder of models ({args.models or '--models or KADVISE_MODELS names one'}): skipped")
        return 77
    wanted = [n for n in expected.EXPECTED if re.search(args.only, n)]
    names = [n for n in wanted if os.path.exists(os.path.join(args.models, n + ".pt"))]
    table, shares, failed = [findings.HEAD], [], 0

    def timed(name):
        start = time.time()
        try:
            rows, share, problems = check(name, args, folder)
        except Exception as e:  # one model must not stop the rest
            rows, share, problems = [], None, [f"{type(e).__name__}: {e}"]
        return name, rows, share, problems, time.time() - start

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        for name, rows, share, problems, seconds in pool.map(timed, names):
            failed += bool(problems)
            print(f"{'FAIL' if problems else 'ok  '} {name:28s} {seconds:6.1f} s", *problems, sep="\n     ", flush=True)
            table += [findings.line(name, row) for row in rows]
            shares += [(name, share)] if share else []
    print("\n".join(table))
    print_shares(shares)
    if lacking := sorted({expected.rule_id(r) for r in expected.RULES} - args.known):
        print("this build has no rule " + ", ".join(lacking))
    if missing := sorted(set(wanted) - set(names)):
        print(f"not in {args.models}: " + ", ".join(missing))
    print(f"{len(names) - failed} passed, {failed} failed, {len(wanted) - len(names)} skipped")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
