#!/usr/bin/env python3
"""One cell of the comparison, in a process of its own. run.py calls it; by hand only to look into a failure.

  cell.py CELL --scratch DIR --result FILE --kadvise FILE --library FILE [--device cuda] [--failed JSON] …

Makes the module, has kadvise optimise it, makes every column ready, compares their results, times them, and writes the
result. What is being made ready stands in DIR/column, so that run.py knows what a crash is the fault of; those in
--failed are left out, and a module and advice that lie in DIR are used again.
"""
import argparse
import json
import os
import platform
import sys
import time
import traceback

import torch

import advise
import blocks
import cells
import columns
import outputs
import subjects

MODES = {"no_grad": torch.no_grad, "inference_mode": torch.inference_mode}
RESTART = 75  # the exit code that asks for another process, since a column has left this one unusable


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cell")
    for name in ("scratch", "result", "kadvise", "library"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--columns", default=",".join(cells.COLUMNS))
    parser.add_argument("--failed", default="{}", help="columns that failed before, with their reasons")
    parser.add_argument("--mode", choices=MODES, default="no_grad")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--budget", type=float, default=0)
    parser.add_argument("--kadvise-options", default="")
    return parser.parse_args()


def now_at(scratch, what):
    with open(os.path.join(scratch, "column"), "w") as file:
        file.write(what)


def first_line(error):
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:400]


def is_usable(subject):
    """Whether the process still computes after a failure; a broken capture can leave it unable to."""
    try:
        subject.eager(*subject.inputs)
        columns.synchronize(subject.device)
        return True
    except RuntimeError:
        return False


def prepare(name, context, wanted):
    """Returns (call, what is known of the column, its results)."""
    start = time.perf_counter()
    call = columns.PREPARE[name](context)
    out = columns.settle(call, context.subject)
    known = {"readySeconds": time.perf_counter() - start}
    have = outputs.kept(out)  # before another call, which may write them again
    known["error"] = 0.0 if wanted is None else outputs.error(have, wanted)
    known["peakBytes"] = columns.peak_bytes(call, context.subject)
    return call, known, have


def prepare_all(names, context, failed, scratch, dtype):
    """The calls to be timed, and what is known of every column."""
    calls, known, wanted = {}, {name: {"state": "failed", "reason": reason} for name, reason in failed.items()}, None
    for name in [n for n in columns.PREPARE if n in names and n not in failed]:
        now_at(scratch, name)
        try:
            calls[name], known[name], have = prepare(name, context, wanted)
        except columns.NotHere as e:
            known[name] = {"state": "not-here", "reason": str(e)}
            continue
        except Exception as e:  # whatever a compiler throws is that column's result
            traceback.print_exc()
            known[name] = {"state": "failed", "reason": first_line(e)}
            if name == "eager" or is_usable(context.subject):
                continue
            with open(os.path.join(scratch, "reason"), "w") as file:
                file.write(first_line(e))
            sys.exit(RESTART)
        wanted = have if wanted is None else wanted
        known[name]["state"] = "timed" if known[name]["error"] <= outputs.BOUND[dtype] else "wrong-results"
    now_at(scratch, "timing")
    return {name: call for name, call in calls.items() if known[name]["state"] == "timed"}, known


def advice_for(args, subject, paths, is_wanted):
    """Made once for a cell, also where its process is started again."""
    kept = os.path.join(args.scratch, "advice.json")
    if os.path.exists(kept):
        with open(kept) as file:
            return json.load(file)
    now_at(args.scratch, "making")
    subjects.save(subject, paths["module"], paths["inputs"])
    if args.device == "cuda":
        torch.cuda.empty_cache()  # kadvise needs the memory now
    advice = advise.NONE
    if is_wanted:
        advice = advise.advise(args.kadvise, paths["module"], paths["inputs"], paths["optimised"], args.device, args.budget,
                               args.kadvise_options.split(), paths["report"])
    with open(kept, "w") as file:
        json.dump(advice, file)
    return advice


def environment(device):
    gpu = torch.cuda.get_device_name() if device == "cuda" else f"CPU ({platform.machine()}, {torch.get_num_threads()} threads)"
    return {"device": gpu, "torch": torch.__version__, "python": platform.python_version(),
            "float32Matmul": torch.get_float32_matmul_precision(), "cudnnTf32": torch.backends.cudnn.allow_tf32}


def time_all(calls, subject, args):
    """Samples of each column; kadvise stands there twice, which shows what the method makes of no difference."""
    timed = {name: blocks.Column(call, subject.inputs, args.device) for name, call in calls.items()}
    if "kadvise" in calls:
        timed["control"] = blocks.Column(calls["kadvise"], subject.inputs, args.device)
    blocks.measure(timed, args.rounds, args.seconds)
    return {name: {"wallUs": [round(us, 3) for us in column.wall_us],
                   "eventUs": [round(us, 3) for us in column.event_us if us is not None], "calls": column.repetitions}
            for name, column in timed.items()}


def main():
    args = parse()
    cell, start = cells.by_id(args.cell), time.perf_counter()
    names = [name for name in cell.columns if name in args.columns.split(",")]
    paths = {name: os.path.join(args.scratch, file) for name, file in
             {"module": "module.pt", "inputs": "inputs.pt", "optimised": "optimised.pt", "report": "report.json"}.items()}
    now_at(args.scratch, "making")
    subject = subjects.build(cell, args.device)
    advice = advice_for(args, subject, paths, "kadvise" in names)
    seconds = {"making": time.perf_counter() - start - advice["seconds"], "kadvise": advice["seconds"]}
    context = columns.Context(subject, paths["module"], paths["optimised"] if advice["written"] else "", args.library)
    with MODES[args.mode]():
        start = time.perf_counter()
        calls, known = prepare_all(names, context, json.loads(args.failed), args.scratch, cell.dtype)
        seconds["columns"], start = time.perf_counter() - start, time.perf_counter()
        samples = time_all(calls, subject, args)
        seconds["timing"] = time.perf_counter() - start
    result = {"cell": cell.id, "subject": cell.subject, "size": cell.size, "dtype": cell.dtype, "how": subject.how,
              "environment": {**environment(args.device), "mode": args.mode}, "columns": known, "samples": samples,
              "advice": advice, "seconds": seconds}
    with open(args.result, "w") as file:
        json.dump(result, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
