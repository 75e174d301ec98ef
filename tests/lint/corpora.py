#!/usr/bin/env python3
"""kadvise lint over other people's sources: is every file read, is every kernel analysed, how much is said of it?

  corpora.py KADVISE [NAME=]FOLDER… [--headers auto|stub|toolkit] [--sample NAME=COUNT] [--submodule NAME/PATH=FOLDER]
             [--json OUT] [--only CORPUS] [-- ARGUMENTS OF LINT]

A crash is a file at which kadvise-source ended by itself, a time-out one at which it was stopped. A kernel is analysed when no
error of the language lies in it. --submodule puts a folder where a checkout of the corpus has that submodule: then a copy of the
corpus is read, and what the folder holds is there to be included but not counted. Exits with 1 when a bar is missed: 0 crashes, 0 time-outs, 97 % of the kernels analysed, fewer
than 1.5 findings a kernel.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

EXTENSIONS = (".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".inl")
SEED = 20
LEAST_ANALYSED, MOST_FINDINGS = 0.97, 1.5
BATCH = 400  # files a run, so that a long corpus shows that it moves


def sources(folder):
    out = []
    for base, folders, files in os.walk(folder):
        folders.sort()
        out += [os.path.join(base, f) for f in sorted(files) if f.endswith(EXTENSIONS)]
    return out


def with_submodules(name, folder, submodules, work):
    """The corpus itself when it is given none, else a copy that has them."""
    inside = [(where[len(name) + 1:], what) for where, what in submodules.items() if where.startswith(name + "/")]
    if not inside:
        return folder
    copy = os.path.join(work, name)
    shutil.copytree(folder, copy, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for where, what in inside:
        os.makedirs(os.path.dirname(os.path.join(copy, where)), exist_ok=True)
        shutil.rmtree(os.path.join(copy, where), ignore_errors=True)  # a part of it may be there
        os.symlink(os.path.abspath(what), os.path.join(copy, where))  # os.walk does not follow it
    return copy


def report_of(program, files, arguments):
    command = [program, "lint", "--no-cache", "--output-format", "json", "--exit-zero", *arguments, "--", *files]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{' '.join(command[:8])} …: exit {done.returncode}: {done.stderr[-2000:]}")


def failure_kind(text):
    if "was stopped" in text or "did not end" in text:
        return "timeouts"
    return "crashes" if "kadvise-source" in text else "refused"


def judge(program, name, folder, arguments, sample):
    files = sources(folder)
    if sample and sample < len(files):
        files = sorted(random.Random(SEED).sample(files, sample))
    out = {"name": name, "files": len(files), "crashes": [], "timeouts": [], "refused": [], "kernels": 0, "broken": {}, "findings": 0,
           "rules": collections.Counter(), "missing": collections.Counter(), "errors": collections.Counter(), "seconds": 0, "suppressed": 0}
    start = time.perf_counter()
    for first in range(0, len(files), BATCH):
        for f in report_of(program, files[first:first + BATCH], arguments)["files"]:
            path = os.path.relpath(f["path"], folder)
            if f["failure"]:
                out[failure_kind(f["failure"])].append(f"{path}: {f['failure']}")
            out["kernels"] += f["kernels"]
            if f["brokenKernels"]:
                out["broken"][path] = f["brokenKernels"]
                out["errors"].update(e["message"] for e in f["errors"])
            out["findings"] += len(f["findings"])
            out["suppressed"] += f["suppressed"]
            out["rules"].update(x["rule"] for x in f["findings"])
            out["missing"].update(f["missing"])
    out["seconds"] = round(time.perf_counter() - start, 1)
    return out


def total(corpora):
    out = {"name": "all"}
    for key in ("files", "kernels", "findings", "suppressed"):
        out[key] = sum(c[key] for c in corpora)
    out["seconds"] = round(sum(c["seconds"] for c in corpora), 1)
    for key in ("crashes", "timeouts", "refused"):
        out[key] = [f"{c['name']}/{x}" for c in corpora for x in c[key]]
    out["broken"] = {f"{c['name']}/{path}": n for c in corpora for path, n in c["broken"].items()}
    for key in ("rules", "missing", "errors"):
        out[key] = sum((c[key] for c in corpora), collections.Counter())
    return out


def analysed(c):
    return 1 - sum(c["broken"].values()) / c["kernels"] if c["kernels"] else 1


def table(corpora):
    print(f"{'corpus':16s}{'files':>7s}{'crashes':>9s}{'time-outs':>11s}{'refused':>9s}{'kernels':>9s}{'analysed':>10s}{'findings':>10s}{'a kernel':>10s}{'s':>8s}")
    for c in corpora:
        print(f"{c['name']:16s}{c['files']:7d}{len(c['crashes']):9d}{len(c['timeouts']):11d}{len(c['refused']):9d}{c['kernels']:9d}"
              f"{analysed(c):10.2%}{c['findings']:10d}{c['findings'] / max(1, c['kernels']):10.2f}{c['seconds']:8.0f}")


def rules_table(corpora):
    names = [c["name"][:9] for c in corpora]
    print(f"\n{'rule':36s}" + "".join(f"{n:>10s}" for n in names))
    for rule, _ in corpora[-1]["rules"].most_common():
        print(f"{rule:36s}" + "".join(f"{c['rules'][rule] or '':>10}" for c in corpora))


def details(c, most=25):
    for key in ("crashes", "timeouts", "refused"):
        for line in c[key][:most]:
            print(f"{key}: {line}")
    for title, counts in (("kernels with errors", collections.Counter(c["broken"])), ("errors in files with such kernels", c["errors"]),
                          ("headers not found", c["missing"])):
        print(f"\n{title}")
        for what, n in counts.most_common(most):
            print(f"{n:7d}  {what}")


def main():
    own, behind = sys.argv[1:], []
    if "--" in own:
        own, behind = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kadvise")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--headers", default="auto")
    parser.add_argument("--sample", action="append", default=[], metavar="NAME=COUNT")
    parser.add_argument("--submodule", action="append", default=[], metavar="NAME/PATH=FOLDER")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--json")
    parser.add_argument("-v", "--verbose", action="store_true", help="what was not analysed, and why")
    args = parser.parse_args(own)
    samples = {name: int(count) for name, count in (s.split("=") for s in args.sample)}
    submodules = dict(s.split("=", 1) for s in args.submodule)
    work = tempfile.mkdtemp(prefix="kadvise-corpora-")
    corpora = []
    for folder in args.folders:
        name, _, path = folder.partition("=") if "=" in folder else (os.path.basename(os.path.normpath(folder)), "", folder)
        if args.only and name not in args.only:
            continue
        path = with_submodules(name, path, submodules, work)
        corpora.append(judge(args.kadvise, name, path, ["--headers", args.headers, *behind], samples.get(name)))
        print(f"{name}: {corpora[-1]['seconds']} s", file=sys.stderr)
    shutil.rmtree(work)
    corpora.append(total(corpora))
    table(corpora)
    rules_table(corpora)
    if args.verbose:
        details(corpora[-1])
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(corpora, out, indent=1)
    c = corpora[-1]
    missed = c["crashes"] or c["timeouts"] or analysed(c) < LEAST_ANALYSED or c["findings"] >= MOST_FINDINGS * max(1, c["kernels"])
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
