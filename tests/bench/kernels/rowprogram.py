"""Generated kernels over the sizes that models have, against a copy, ATen's best operators and torch.compile.

    python3 rowprogram.py --results DIR/rows.jsonl [--part 1/4] [--seconds 500] [--programs a,b] [--shapes 512x512,…]
                          [--dtypes bfloat16,float16,float32] [--no-compile | --compile-only] [--table]

Goes on where it ended: each cell is a line of the results file, and those that are there are not measured again. --part I/N
measures every N-th cell from the I-th on; --seconds starts no cell after that long; --table measures nothing. --compile-only
fills torch.compile's cache. At the end the
table of all cells of the file is printed.

timing.py says how is measured: cold caches, one CUDA graph for each variant, rounds in turns, paired ratios. Tuning runs in the
first call, before anything is captured. `of copy` is against the faster of clone() and the generator's own copy.
"""
import argparse
import json
import math
import os
import statistics
import sys
import time

import timing
import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kernels/rowprogram"))
import programs  # noqa: E402

SHAPES = "512x512 1000x1023 8192x1024 131072x128 8192x4096 16384x4096 4096x16384 64x131072"
DTYPES = "bfloat16,float16,float32"
OF_COPY, MEGABYTES = 0.95, 64  # what is wanted from so many on


def generated(program, dtype):
    text = program.text(dtype)
    return lambda *tensors: torch.ops.kadvise.row_program(text, list(tensors))


def variants_of(program, dtype, is_compiled):
    """Functions of one set: the program's tensors, then what the copies copy."""
    rivals = {"aten": program.aten}
    if is_compiled:
        torch._dynamo.reset()
        rivals["compile"] = torch.compile(program.plainly, dynamic=False)
    ours = generated(program, dtype)
    copy = generated(programs.named("copy"), dtype)
    taking = {name: (lambda *one, f=f: f(*one[:-1])) for name, f in {"kadvise": ours, **rivals}.items()}
    return {**taking, "clone": lambda *one: one[-1].clone(), "own copy": lambda *one: copy(one[-1])}


def check(program, dtype, one):
    """Against float64; the largest distance in units of what the dtype rounds by, relative to the largest value."""
    ours = generated(program, dtype)(*one)
    exact = program.aten(*[tensor.double() for tensor in one])
    unit = torch.finfo(dtype).eps
    worst = max(((a.double() - b).abs().max() / b.abs().max() / unit).item() for a, b in zip(ours, exact))
    if not worst < 8:
        raise AssertionError(f"{program.name} is wrong: {worst} units from float64")
    return worst


def measure(cell, options, kernels):
    program, dtype = programs.named(cell["program"]), getattr(torch, cell["dtype"])
    rows, columns = (int(size) for size in cell["shape"].split("x"))
    moved = int(program.moved(rows, columns)) * dtype.itemsize
    sets = []
    for _ in range(timing.sets_needed("cuda", moved)):
        copied = torch.empty(1, max(16, moved // 2 // dtype.itemsize), device="cuda", dtype=dtype).normal_()
        sets.append((*program.tensors("cuda", dtype, rows, columns), copied))
    error = check(program, dtype, sets[0][:-1])
    schedule = kernels.kadvise_row_program_ran().decode()
    passes = {name: timing.Pass(f, sets, "cuda") for name, f in variants_of(program, dtype, options.compile).items()}
    samples = timing.measure(passes, options.rounds)
    us = {name: statistics.median(values) for name, values in samples.items()}
    fastest = min("clone", "own copy", key=us.get)
    rivals = [name for name in ("aten", "compile") if name in us]
    return {**cell, "schedule": schedule, "bytes": moved, "error": error, "us": us, "copy": fastest,
            "of_copy": timing.speedup_interval(samples, "kadvise", fastest),
            "over": {name: timing.speedup_interval(samples, "kadvise", name) for name in rivals},
            "control": timing.speedup_interval(timing.against_itself(samples["kadvise"]), "a", "b")}


def compile_only(cell):
    """Leaves what torch.compile makes in its cache on disk, so that many processes can do it at once before one measures."""
    program, dtype = programs.named(cell["program"]), getattr(torch, cell["dtype"])
    rows, columns = (int(size) for size in cell["shape"].split("x"))
    torch._dynamo.reset()
    torch.compile(program.plainly, dynamic=False)(*program.tensors("cuda", dtype, rows, columns))


def line(r):
    over = "".join(f"  {name} {timing.interval(values)}" for name, values in r["over"].items())
    return (f"{r['program']:<19}{r['dtype']:>9}{r['shape']:>13}  {r['schedule'] or 'INTERPRETER':<34}{r['us']['kadvise']:9.1f} us"
            f"{r['bytes'] / r['us']['kadvise'] / 1e3:7.0f} GB/s  of copy {timing.interval(r['of_copy'])}{over}")


def mean(intervals):
    """Geometric mean of independent ratios: (low, middle, high), and the least and the largest of the middles."""
    logs = [[math.log(v) for v in interval] for interval in intervals]
    middle = statistics.fmean(m for _, m, _ in logs)
    below = math.sqrt(sum((m - low) ** 2 for low, m, _ in logs)) / len(logs)
    above = math.sqrt(sum((high - m) ** 2 for _, m, high in logs)) / len(logs)
    return [math.exp(v) for v in (middle - below, middle, middle + above)], min(i[1] for i in intervals), max(i[1] for i in intervals)


def column(intervals):
    if not intervals:
        return f"{'-':<34}"
    average, least, most = mean(intervals)
    return f"{timing.interval(average)} ({least:.2f} … {most:.2f})".ljust(34)


def table(results):
    print(f"\n{'program':<19}cells  {'of copy':<34}{'over ATen':<34}{'over torch.compile':<34}of copy from {MEGABYTES} MB on")
    for program in programs.ALL:
        mine = [r for r in results if r["program"] == program.name]
        if not mine:
            continue
        large = [r["of_copy"] for r in mine if r["bytes"] >= MEGABYTES << 20]
        over = [column([r["over"][name] for r in mine if name in r["over"]]) for name in ("aten", "compile")]
        print(f"{program.name:<19}{len(mine):5}  {column([r['of_copy'] for r in mine])}{''.join(over)}{column(large)}")
    compiled = [r for r in results if "compile" in r["over"]]
    if compiled:
        ratios = sorted(r["over"]["compile"][1] for r in compiled)
        share = sum(ratio >= 0.97 for ratio in ratios) / len(ratios)
        print(f"\nover torch.compile: {share:.1%} of {len(ratios)} cells at 0.97 or above; least {ratios[0]:.2f}. Below 0.97:")
        for r in sorted(compiled, key=lambda r: r["over"]["compile"][1]):
            if r["over"]["compile"][1] < 0.97:
                print("  " + line(r))
    short = [r for r in results if r["bytes"] >= MEGABYTES << 20 and r["of_copy"][1] < OF_COPY]
    print(f"below {OF_COPY} of a copy from {MEGABYTES} MB on: {len(short)} cells")
    for r in short:
        print("  " + line(r))


def cells_of(options):
    chosen = options.programs.split(",") if options.programs else [program.name for program in programs.ALL]
    every = [{"program": name, "dtype": dtype, "shape": shape} for shape in options.shapes.replace(",", " ").split()
             for dtype in options.dtypes.split(",") for name in chosen]
    part, parts = (int(number) for number in options.part.split("/"))
    return every[part - 1::parts]


def key(cell):
    return cell["program"], cell["dtype"], cell["shape"]


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(text) for text in file if text.endswith("\n")]


def measure_all(options, end):
    import ctypes
    torch.ops.load_library(options.library)
    kernels = ctypes.CDLL(options.library)
    kernels.kadvise_row_program_ran.restype = ctypes.c_char_p
    timing.describe("cuda", ["python3", *sys.argv])
    done = {key(r) for r in read(options.results)}
    with torch.inference_mode(), open(options.results, "a") as file:
        for cell in cells_of(options):
            if key(cell) in done:
                continue
            if time.monotonic() > end:
                print("the time is spent: call again for the rest")
                return
            if options.compile_only:
                compile_only(cell)
                continue
            result = measure(cell, options, kernels)
            file.write(json.dumps(result) + "\n")
            file.flush()
            print(line(result), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/release/lib/libkadvise_kernels.so")
    parser.add_argument("--results", required=True)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--programs", default="")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--dtypes", default=DTYPES)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--table", action="store_true", help="measure nothing")
    options = parser.parse_args()
    if not options.table:
        measure_all(options, time.monotonic() + options.seconds)
    table(read(options.results))


if __name__ == "__main__":
    main()
