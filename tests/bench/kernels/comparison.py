"""An operator against its rivals over shapes and dtypes: the frame of the benchmarks beside this file.

Columns: microseconds a call (medians, cold cache, or with --warm one set of inputs again and again) of the operator, its
rivals (ATen's operators or the form written out, and what torch.compile makes of the first of them, for this shape alone)
and a copy of the same bytes; bandwidth; the share of the copy's speed; the speed-up over each rival; a control: the
operator against itself. Shares and speed-ups are medians over rounds with their 95 % intervals. Below the tables: their geometric means.
"""
import argparse
import dataclasses
import json
import math
import statistics
import sys
from typing import Callable

import timing
import torch


@dataclasses.dataclass
class Benchmark:
    name: str
    inputs: Callable  # (device, dtype, *sizes) -> the tensors of one call
    moved: Callable  # (*sizes) -> elements read and written, each once
    ours: Callable  # (*tensors) -> results
    rivals: dict  # name -> the same
    gpu_shapes: str  # sizes as "16384x4096"
    cpu_shapes: str
    tolerance: dict = dataclasses.field(default_factory=dict)  # of torch.testing.assert_close
    checked_in_float32: bool = False  # where rivals add 16-bit numbers in 16 bits


def check(benchmark, rivals, tensors):
    """A fast wrong answer is no answer."""
    ours = benchmark.ours(*tensors)
    if benchmark.checked_in_float32:
        tensors = [t.float() if t.is_floating_point() else t for t in tensors]
    for rival in list(rivals.values())[: 1 if benchmark.checked_in_float32 else None]:
        torch.testing.assert_close(ours, rival(*tensors), check_dtype=not benchmark.checked_in_float32, **benchmark.tolerance)


def rivals_of(benchmark, is_compiled):
    """Compiled anew for each shape, so that neither its sizes nor the number of shapes before it are a disadvantage."""
    if not is_compiled:
        return benchmark.rivals
    torch._dynamo.reset()
    if not benchmark.rivals:
        return {}
    first = next(iter(benchmark.rivals.values()))
    return {**benchmark.rivals, "compile": torch.compile(first, dynamic=False)}


def variants(benchmark, rivals):
    """Functions of one set of inputs, whose last member is what the copy copies."""
    functions = {"kadvise": benchmark.ours, **rivals}
    taking = {name: (lambda *one, f=f: f(*one[:-1])) for name, f in functions.items()}
    return {**taking, "copy": lambda *one: one[-1].clone()}


WARM_CALLS = 20  # in one pass, so that the start of a graph does not count


def measure_shape(benchmark, device, shape, dtype, options, is_compiled):
    sizes = [int(size) for size in shape.split("x")]
    moved = benchmark.moved(*sizes) * torch.empty((), dtype=dtype).element_size()
    sets = []
    for _ in range(1 if options.warm else timing.sets_needed(device, moved)):
        copied = torch.randint(256, (moved // 2,), dtype=torch.uint8, device=device)
        sets.append((*benchmark.inputs(device, dtype, *sizes), copied))
    rivals = rivals_of(benchmark, is_compiled)
    check(benchmark, rivals, sets[0][:-1])
    if options.warm:
        sets *= WARM_CALLS
    passes = {name: timing.Pass(variant, sets, device) for name, variant in variants(benchmark, rivals).items()}
    samples = timing.measure(passes, options.rounds)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    return {
        "operator": benchmark.name, "shape": shape, "dtype": str(dtype).removeprefix("torch."), "us": medians,
        "gb_per_s": moved / medians["kadvise"] / 1e3,
        "of_copy": timing.speedup_interval(samples, "kadvise", "copy"),
        "over": {rival: timing.speedup_interval(samples, "kadvise", rival) for rival in rivals},
        "control": timing.speedup_interval(timing.against_itself(samples["kadvise"]), "a", "b"),
    }


def compile_only(benchmark, device, shape, dtype):
    """Leaves what torch.compile makes in its cache on disk, so that many processes can do it at once before one measures."""
    rivals = rivals_of(benchmark, True)
    if "compile" in rivals:
        rivals["compile"](*benchmark.inputs(device, dtype, *(int(size) for size in shape.split("x"))))


def header(benchmark, is_compiled):
    rivals = [*benchmark.rivals, *(["compile"] if is_compiled and benchmark.rivals else [])]
    names = ["kadvise", *rivals, "copy"]
    over = "".join(f"{'over ' + rival:<19}" for rival in rivals)
    times = "".join(f"{name + ' us':>15}" for name in names)
    return f"{benchmark.name}\n{'shape':>16} {'dtype':>9}{times} {'GB/s':>6}  {'of copy':<19}{over}control"


def line(result):
    times = "".join(f"{us:15.1f}" for us in result["us"].values())
    over = "".join(f"{timing.interval(values):<19}" for values in result["over"].values())
    return (f"{result['shape']:>16} {result['dtype']:>9}{times} {result['gb_per_s']:6.0f}  "
            f"{timing.interval(result['of_copy']):<19}{over}{timing.interval(result['control'])}")


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def summary(results):
    """Of each benchmark and dtype: the speed-up over the best rival of each shape, and the share of the copy's speed."""
    lines = ["geometric means over shapes"]
    groups = {}
    for result in results:
        groups.setdefault((result["operator"], result["dtype"]), []).append(result)
    if len({operator for operator, _ in groups}) > 1:
        for result in results:
            groups.setdefault(("all", result["dtype"]), []).append(result)
    for (operator, dtype), of in groups.items():
        best = [min(median for _, median, _ in result["over"].values()) for result in of if result["over"]]
        over = f"over the best rival {geometric_mean(best):5.2f} (worst {min(best):5.2f})  " if best else ""
        lines.append(f"{operator:>24} {dtype:>9} {len(of):2} shapes  {over}of copy "
                     f"{geometric_mean([result['of_copy'][1] for result in of]):5.2f}")
    return "\n".join(lines)


def cells(benchmarks, options):
    """(benchmark, dtype, shape, whether it is the benchmark's first) of all that was asked for."""
    for benchmark in benchmarks:
        if options.only and benchmark.name not in options.only.split(","):
            continue
        benchmark.rivals = {k: v for k, v in benchmark.rivals.items() if k not in options.without.split(",")}
        default = benchmark.gpu_shapes if options.device == "cuda" else benchmark.cpu_shapes
        shapes = (options.shapes.replace(",", " ") if options.shapes else default).split()
        dtypes = options.dtypes.split(",")
        for dtype in dtypes:
            for shape in shapes:
                yield benchmark, dtype, shape, (dtype, shape) == (dtypes[0], shapes[0])


def main(benchmarks):
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/release/lib/libkadvise_kernels.so")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtypes", default="bfloat16,float32")
    parser.add_argument("--only", help="names of benchmarks, with commas")
    parser.add_argument("--shapes", help="in place of the benchmark's own, with commas")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--without", default="", help="names of rivals, with commas")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, help="time torch.compile, too (default: on a GPU)")
    parser.add_argument("--compile-only", action="store_true", help="measure nothing: fill torch.compile's cache")
    parser.add_argument("--part", default="0/1", help="I/N: of --compile-only, every N-th cell from the I-th on")
    parser.add_argument("--json")
    options = parser.parse_args()
    part, parts = (int(number) for number in options.part.split("/"))
    is_compiled = options.device == "cuda" if options.compile is None else options.compile
    torch.ops.load_library(options.library)
    timing.describe(options.device, ["python3", *sys.argv])
    results = []
    with torch.inference_mode():
        for number, (benchmark, dtype, shape, is_first) in enumerate(cells(benchmarks, options)):
            if options.compile_only:
                if number % parts == part:
                    compile_only(benchmark, options.device, shape, getattr(torch, dtype))
                continue
            if is_first:
                print(header(benchmark, is_compiled))
            results.append(measure_shape(benchmark, options.device, shape, getattr(torch, dtype), options, is_compiled))
            print(line(results[-1]), flush=True)
    if results:
        print(summary(results))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"command": sys.argv, "torch": torch.__version__, "results": results}, file)
