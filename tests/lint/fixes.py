#!/usr/bin/env python3
r"""The fixes of kadvise lint over other people's sources: the files still parse, a second run changes nothing, nvcc still takes them.

  fixes.py KADVISE FOLDER… [--unsafe] [--headers stub] [--nvcc NVCC] [--draw 60]
           [--mentioning REGEX] [--select RULE,RULE] [--jobs N] [--json OUT] [--keep DIR]

Works on copies. Of the files that fixes touched, --draw are compiled before and after (chosen by a fixed seed); one that compiled
before and does not after is a failure. --mentioning reads only files with such a text in them: those in which fixes are at all
possible, where their number is known to be small (for the safe ones 'cudaThread[SE]|(\.|->)(data<|type\(\)|contiguous\(\))').
--select also names rules that are off. Exits with 1 when there is any failure.
"""
import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from corpora import BATCH, SEED, report_of, sources

COMPILED = (".cu", ".cpp", ".cc", ".cxx")
# What fixes take out of sources, and CUDA 13 took out of its headers: else no such file would compile before.
GONE = """#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
#endif
"""


def reports(program, files, arguments):
    out, fixed, notes = {}, {}, []
    for first in range(0, len(files), BATCH):
        report = report_of(program, files[first:first + BATCH], arguments)
        out.update({f["path"]: f for f in report["files"]})
        fixed.update({f["path"]: f for f in report["fixed"]})
        notes += report["notes"]
    return out, fixed, notes


def mentions(file, pattern):
    if not pattern:
        return True
    with open(file, encoding="utf-8", errors="replace") as text:
        return re.search(pattern, text.read()) is not None


def compiles(nvcc, file, folder):
    """As a user would, with the folders above the file for its includes."""
    above, at = [], os.path.dirname(file)
    while len(at) >= len(folder):
        above += ["-I", at]
        above += [word for name in ("include", "Common", "common", "src") for word in ("-I", os.path.join(at, name)) if os.path.isdir(os.path.join(at, name))]
        at = os.path.dirname(at)
    with tempfile.TemporaryDirectory() as out:
        gone = os.path.join(out, "gone.h")
        with open(gone, "w", encoding="utf-8") as text:
            text.write(GONE)
        done = subprocess.run([nvcc, "-c", "-include", gone, "-O0", "-w", "-std=c++17", "-arch=sm_90", "-x", "cu", *above, "-o", os.path.join(out, "a.o"), file],
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
    parser.add_argument("--mentioning")
    parser.add_argument("--select")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of kadvise and of nvcc")
    parser.add_argument("--json")
    parser.add_argument("--keep", help="where the copies stay (default: nowhere)")
    args = parser.parse_args()
    work = args.keep or tempfile.mkdtemp(prefix="kadvise-fixes-")
    how = ["--headers", args.headers, "--jobs", str(args.jobs)] + (["--unsafe-fixes"] if args.unsafe else []) + (["--select", args.select] if args.select else [])
    touched, failures, rules = [], [], {}
    for folder in args.folders:
        folder = os.path.abspath(folder)
        copy = os.path.join(work, os.path.basename(folder))
        shutil.copytree(folder, copy, dirs_exist_ok=True, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns(".git"))
        files = [f for f in sources(copy) if mentions(f, args.mentioning)]
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
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
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
