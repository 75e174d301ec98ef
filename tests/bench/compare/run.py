#!/usr/bin/env python3
"""Compares side by side what users call: eager, frozen TorchScript, TorchScript in a CUDA graph, torch.compile and its
modes, and what kadvise writes, over the components of a transformer and whole models.

  run.py --out DIR [--only PATTERN,…] [--budget-seconds N] [--columns NAME,…] [--list]

Each cell (a subject, a size, a dtype) is one process and one file, DIR/CELL.json. A file that is there is not made
again, so that a run can be taken up where another one ended; --budget-seconds ends between two cells. table.py prints
what lies in DIR.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cells

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
EXPECTED_SECONDS = {True: 40, False: 90}  # of a component, of a model, before one has been run
RESTART = 75  # of cell.py
OWN_STEPS = ("", "making", "timing")  # a cell that dies in one of these is lost as a whole


@dataclasses.dataclass
class Attempt:
    """How one process of a cell ended."""
    code: int | None  # None: it did not end in time
    at: str  # the column that it was making ready, or the step
    reason: str


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="folder of the results")
    parser.add_argument("--only", default="", help="cells, or what they time, as shell patterns with commas: 'bert*,*-small-bfloat16'")
    parser.add_argument("--columns", default=",".join(cells.COLUMNS))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--tiny", action="store_true", help="tiny subjects, to test the benchmark itself")
    parser.add_argument("--others", action="store_true", help="the models of others.py, which are not in the table of what is wanted")
    parser.add_argument("--list", action="store_true", help="print the cells and end")
    parser.add_argument("--again", action="store_true", help="also cells whose file says that they failed")
    parser.add_argument("--budget-seconds", type=float, default=float("inf"), help="start no cell that would end later")
    parser.add_argument("--cell-limit", type=float, default=600, help="seconds after which a process of a cell is ended")
    parser.add_argument("--mode", default="no_grad", choices=("no_grad", "inference_mode"), help="of all calls")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10, help="of timing in each cell")
    parser.add_argument("--budget", type=float, default=0, help="kadvise's own, in seconds (default: what it chooses)")
    parser.add_argument("--kadvise-options", default="", help="further options of kadvise, in one argument")
    parser.add_argument("--kadvise", default=os.path.join(ROOT, "build/release/bin/kadvise"))
    parser.add_argument("--library", default=os.path.join(ROOT, "build/release/lib/libkadvise_kernels.so"))
    args = parser.parse_args(arguments)
    if not args.out and not args.list:
        parser.error("--out is missing")
    return args


def command_of(cell, args, scratch, result):
    passed = ("device", "columns", "mode", "rounds", "seconds", "budget")
    options = [f"--{name}={getattr(args, name)}" for name in passed] + [f"--kadvise-options={args.kadvise_options}"]
    files = {"scratch": scratch, "result": result, "kadvise": args.kadvise, "library": args.library}
    options += [f"--{name}={os.path.abspath(path)}" for name, path in files.items()]
    return [sys.executable, os.path.join(HERE, "cell.py"), cell.id, *options]


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def ended(process, limit_seconds):
    """Its exit code, or None after the limit. Whatever it started, kadvise or compilers, never outlives it."""
    try:
        return process.wait(limit_seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def attempt(command, failed, scratch, limit_seconds, environment):
    """Runs the process of a cell; what it prints is kept for the reason of its death."""
    log = os.path.join(scratch, "log")
    with open(log, "w") as output:
        process = subprocess.Popen([*command, "--failed", json.dumps(failed)], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        code = ended(process, limit_seconds)
    last = (read(log).strip().splitlines() or [""])[-1][:300]
    how = f"not ready after {limit_seconds:.0f} s" if code is None else f"the process ended with {code}"
    reason = read(os.path.join(scratch, "reason")) if code == RESTART else f"{how}: {last}"
    return Attempt(code, read(os.path.join(scratch, "column")), reason)


def lost(cell, why):
    return {"cell": cell.id, "subject": cell.subject, "size": cell.size, "dtype": cell.dtype, "lost": why}


def run_cell(cell, command, scratch, result, limit_seconds, environment):
    """Starts the cell's process again without the column that ended it, until it is through."""
    failed = {}
    while True:
        last = attempt(command, failed, scratch, limit_seconds, environment)
        if last.code == 0 and os.path.exists(result):
            with open(result) as file:
                return json.load(file)
        if last.at in OWN_STEPS or last.at in failed or last.at == "eager":
            return lost(cell, f"{last.at or 'starting'}: {last.reason}")
        failed[last.at] = last.reason


def is_done(path, again):
    text = read(path)
    return bool(text) and not (again and "lost" in json.loads(text))


def write(path, document):
    """Whole or not at all."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w") as file:
        json.dump(document, file)
    os.replace(temporary, path)


def said(document):
    if "lost" in document:
        return "lost: " + document["lost"]
    words = [f"{name} {column['reason']}" for name, column in document["columns"].items() if column["state"] == "failed"]
    seconds = ", ".join(f"{name} {s:.0f} s" for name, s in document["seconds"].items())
    return "; ".join([seconds, *words])


def run_all(table, args):
    """The number of cells that were run, and of those left for another time."""
    began, longest, done = time.monotonic(), dict(EXPECTED_SECONDS), 0
    compiled = tempfile.mkdtemp(prefix="kadvise-compiled-")  # torch.compile starts from nothing in each run
    environment = dict(os.environ, TORCHINDUCTOR_CACHE_DIR=compiled, TRITON_CACHE_DIR=os.path.join(compiled, "triton"))
    waiting = [cell for cell in table if not is_done(os.path.join(args.out, cell.id + ".json"), args.again)]
    for number, cell in enumerate(waiting):
        if time.monotonic() - began + longest[cell.is_component] > args.budget_seconds:
            continue
        start, scratch = time.monotonic(), tempfile.mkdtemp(prefix="kadvise-cell-")
        result = os.path.join(scratch, "result.json")
        document = run_cell(cell, command_of(cell, args, scratch, result), scratch, result, args.cell_limit, environment)
        document["command"] = " ".join(sys.argv)
        write(os.path.join(args.out, cell.id + ".json"), document)
        shutil.rmtree(scratch, ignore_errors=True)
        longest[cell.is_component] = max(longest[cell.is_component], time.monotonic() - start)
        done += 1
        print(f"{number + 1}/{len(waiting)} {cell.id}: {time.monotonic() - start:.0f} s ({said(document)})", flush=True)
    shutil.rmtree(compiled, ignore_errors=True)
    return done, len(waiting) - done


def main():
    args = parse()
    cases = cells.tiny_table() if args.tiny else cells.other_table() if args.others else cells.whole_table()
    table = cells.chosen(cases, [p for p in args.only.split(",") if p])
    if args.list:
        print("\n".join(cell.id for cell in table))
        return 0
    os.makedirs(args.out, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that a cell's process ends with this one
    done, left = run_all(table, args)
    print(f"{done} cells run, {len(table) - done - left} were there, {left} left")
    return 0 if left == 0 else 3


if __name__ == "__main__":
    sys.exit(main())
