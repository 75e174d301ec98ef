"""Every schedule that can run a program, timed side by side: what the choice among them is calibrated with.

    python3 rowprogram_schedules.py [--programs layer_norm,…] [--shapes 16384x4096,…] [--dtypes bfloat16,float32]
                                    [--seconds 500] [--rounds 5] [--all]

For each cell a line for each schedule, the fastest first: its time, GB/s, its share of the faster copy, whether it is right, and
whether the generator's usual choice (timed among its candidates, `chosen`; by its model alone with KADVISE_TUNE=0) is that one.
Without --all only the fastest twelve and the chosen one. timing.py says how is measured.
"""
import argparse
import itertools
import math
import os
import statistics
import sys
import time

import timing
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kernels/rowprogram"))
import programs  # noqa: E402
from runtime import Runtime  # noqa: E402

PROGRAMS = "gelu,bias_gelu,layer_norm,rms_norm,add_rms_norm,softmax"
SHAPES = "16384x4096,8192x1024,131072x128,64x131072"
SHOWN = 12


def schedules(program, columns, dtype):
    """Texts of all that are thinkable; the library refuses those that cannot run."""
    if not program.reduces:
        return [f"flat/t{block}/k{k}/b{block}" for block in (128, 256, 512) for k in (1, 2, 4, 8)]
    each = 16 // dtype.itemsize
    vectors = max(1, columns // each if columns % each == 0 else (columns + 2 * each - 2) // each)
    all_of_them = []

    def add(form, threads, block, parts=1, most=16, suffixes=("",)):
        k = math.ceil(vectors / (threads * parts))
        if k > most or threads * parts >= 2 * vectors:
            return
        part = f"/p{parts}" if parts > 1 else ""
        all_of_them.extend(f"{form}/t{threads}/k{k}/b{block}{part}{suffix}" for suffix in suffixes)

    for threads, block in itertools.product((1, 2, 4, 8, 16, 32), (32, 64, 128, 256)):
        add("lanes", threads, block, suffixes=("", "/persistent"))
    for threads in (64, 96, 128, 160, 192, 256, 384, 512, 768, 1024):
        add("block", threads, threads, suffixes=("", "/persistent", *(f"/o{most // threads}" for most in (2048, 1536) if most % threads == 0)))
    if columns % each:
        for threads in (32, 64, 128, 256, 512, 1024):
            k = math.ceil(columns / threads)
            if 2 <= k <= 32:
                all_of_them.append(f"{'lanes' if threads == 32 else 'block'}/t{threads}/k{k}/b{threads}/v1")
    for threads in (64, 128, 256, 512, 1024):
        add("shared", threads, threads, most=64)
        for parts in (2, 4, 8):
            if columns >= 2048:
                add("cluster", threads, threads, parts, most=64)
    if columns >= 8192:
        all_of_them += [f"split/t256/k{k}/b256/p{parts}" for k in (1, 2, 4) for parts in (4, 8, 16, 32)]
    return all_of_them


def is_right(program, results, exact, dtype):
    unit = 8 * torch.finfo(dtype).eps
    return all(((a.double() - b).abs().max() <= unit * b.abs().max()).item() for a, b in zip(results, exact))


def passes_of(runtime, program, dtype, sets):
    """Passes of all schedules that run, by their texts; those that are wrong."""
    text, passes, wrong = program.text(dtype), {}, []
    exact = program.aten(*[tensor.double() for tensor in sets[0][:-1]])

    def asking(schedule):
        return lambda *one: runtime.run(text, list(one[:-1]), schedule)[0]

    rows, columns = sets[0][0].shape
    for schedule in schedules(program, columns, dtype):
        results, ran = runtime.run(text, list(sets[0][:-1]), schedule)
        if ran != schedule:
            continue
        if not is_right(program, results, exact, dtype):
            wrong.append(schedule)
        passes[schedule] = timing.Pass(asking(schedule), sets, "cuda")
    return passes, wrong


def sets_of(program, dtype, rows, columns, moved):
    made = []
    for _ in range(timing.sets_needed("cuda", moved)):
        copied = torch.empty(1, max(16, moved // 2 // dtype.itemsize), device="cuda", dtype=dtype).normal_()
        made.append((*program.tensors("cuda", dtype, rows, columns), copied))
    return made


def measure(runtime, program, dtype, rows, columns, options):
    moved = int(program.moved(rows, columns)) * dtype.itemsize
    sets = sets_of(program, dtype, rows, columns, moved)
    chosen = runtime.run(program.text(dtype), list(sets[0][:-1]))[1]
    passes, wrong = passes_of(runtime, program, dtype, sets)
    copy = programs.named("copy").text(dtype)
    passes["clone"] = timing.Pass(lambda *one: one[-1].clone(), sets, "cuda")
    passes["own copy"] = timing.Pass(lambda *one: runtime.run(copy, [one[-1]])[0], sets, "cuda")
    samples = timing.measure(passes, options.rounds)
    us = {name: statistics.median(values) for name, values in samples.items()}
    fastest = min(us.pop("clone"), us.pop("own copy"))
    print(f"\n{program.name} {dtype} {rows}x{columns}: {moved >> 20} MiB, a copy takes {fastest:.1f} us; {len(us)} schedules")
    for place, (schedule, time_of) in enumerate(sorted(us.items(), key=lambda item: item[1])):
        marks = ("  chosen" if schedule == chosen else "") + ("  WRONG" if schedule in wrong else "")
        if place < SHOWN or marks or options.all:
            print(f"{place + 1:4}  {schedule:<34}{time_of:9.1f} us{moved / time_of / 1e3:7.0f} GB/s  of copy {fastest / time_of:5.2f}{marks}")
    if chosen not in us:
        print(f"      chosen: {chosen or 'INTERPRETER'}, not among them")
    sys.stdout.flush()
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/release/lib/libkadvise_kernels.so")
    parser.add_argument("--programs", default=PROGRAMS)
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--dtypes", default="bfloat16,float32")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    end, right = time.monotonic() + options.seconds, True
    runtime = Runtime(options.library)
    timing.describe("cuda", ["python3", *sys.argv])
    cells = itertools.product(options.shapes.split(","), options.programs.split(","), options.dtypes.split(","))
    with torch.inference_mode():
        for shape, name, dtype in cells:
            if time.monotonic() > end:
                print("the time is spent")
                break
            rows, columns = (int(size) for size in shape.split("x"))
            right &= measure(runtime, programs.named(name), getattr(torch, dtype), rows, columns, options)
            torch.cuda.empty_cache()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
