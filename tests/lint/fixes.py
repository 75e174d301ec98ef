#!/usr/bin/env python3
"""The fixes of kadvise lint over other people's sources: the files still parse, a second run changes nothing, nvcc still takes them.

  fixes.py KADVISE FOLDER… [--unsafe] [--headers stub] [--nvcc NVCC] [--draw 60] [--json OUT] [--keep DIR]

Works on copies. Of the files that fixes touched, --draw are compiled before and after (chosen by a fixed seed); one that compiled
before and does not after is a failure. Exits with 1 when there is any.
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from corpora import BATCH, SEED, report_of, sources

COMPILED = (".cu", ".cpp", ".cc", ".cxx")


def reports(program, files, arguments):
    out, fixed, notes = {}, {}, []
    for first in range(0, len(files), BATCH):
        report = report_of(program, files[first:first + BATCH], arguments)
        out.update({f["path"]: f for f in report["files"]})
        fixed.update({f["path"]: f for f in report["fixed"]})
        notes += report["notes"]
    return out, fixed, notes


def compiles(nvcc, file, folder):
    """As a user would, with the folders above the file for its includes."""
    above, at = [], os.path.dirname(file)
    while len(at) >= len(folder):
        above += ["-I", at]
        above += [word for name in ("include", "Common", "common", "src") for word in ("-I", os.path.join(at, name)) if os.path.isdir(os.path.join(at, name))]
        at = os.path.dirname(at)
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([nvcc, "-c", "-O0", "-w", "-std=c++17", "-arch=sm_90", "-x", "cu", *above, "-o", os.path.join(out, "a.o"), file],
                              capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


def compile_both(nvcc, before, after, folders):
    was, _ = compiles(nvcc, before, folders[0])
    if not was:
        return None, ""
    return compiles(nvcc, after, folders[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kadvise")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--unsafe", action="store_true")
    parser.add_argument("--headers", default="stub")
    parser.add_argument("--nvcc")
    parser.add_argument("--draw", type=int, default=60)
    parser.add_argument("--json")
    parser.add_argument("--keep", help="where the copies stay (default: nowhere)")
    args = parser.parse_args()
    work = args.keep or tempfile.mkdtemp(prefix="kadvise-fixes-")
    how = ["--headers", args.headers] + (["--unsafe-fixes"] if args.unsafe else [])
    touched, failures, rules = [], [], {}
    for folder in args.folders:
        folder = os.path.abspath(folder)
        copy = os.path.join(work, os.path.basename(folder))
        shutil.copytree(folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
        files = sources(copy)
        before, _, _ = reports(args.kadvise, files, how)
        _, fixed, notes = reports(args.kadvise, files, how + ["--fix"])
        paths = sorted(fixed)
        again, twice, _ = reports(args.kadvise, paths, how + ["--fix"])
        failures += [f"given up: {n}" for n in notes if "not applied" in n]
        for path in paths:
            if again[path]["failure"] or again[path]["errorCount"] > before[path]["errorCount"]:
                failures.append(f"more errors than before: {path}: {again[path]['failure'] or again[path]['errors'][:2]}")
            if path in twice:
                failures.append(f"a second run changes it again: {path}")
            for finding in before[path]["findings"]:
                rules[finding["rule"]] = rules.get(finding["rule"], 0) + bool(finding["fixes"])
            touched.append((os.path.join(folder, os.path.relpath(path, copy)), path, (folder, copy)))
        print(f"{os.path.basename(folder)}: {len(paths)} files, {sum(f['fixes'] for f in fixed.values())} fixes", flush=True)
    counts = {"same": 0, "never": 0, "broken": 0}
    if args.nvcc:
        able = [t for t in touched if t[0].endswith(COMPILED)]
        drawn = random.Random(SEED).sample(able, min(args.draw, len(able)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (_, after, _), (good, text) in zip(drawn, pool.map(lambda t: compile_both(args.nvcc, *t), drawn)):
                counts["never" if good is None else "same" if good else "broken"] += 1
                if good is False:
                    failures.append(f"nvcc no longer takes {after}: {text[:600]}")
        print(f"nvcc, of {len(drawn)} files: {counts['same']} compile before and after, {counts['never']} did not before, {counts['broken']} no longer")
    for rule, n in sorted(rules.items(), key=lambda item: -item[1]):
        print(f"{n:7d}  {rule}")
    print("\n".join(failures) or f"{len(touched)} files, no failure")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump({"touched": [t[0] for t in touched], "rules": rules, "nvcc": counts, "failures": failures}, out, indent=1)
    if not args.keep:
        shutil.rmtree(work)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
