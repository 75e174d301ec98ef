"""kadvise::add_layer_norm against at::add + at::layer_norm, and against a copy that moves the same bytes.

    python3 add_layer_norm.py --library build/release/lib/libkadvise_kernels.so [--device cuda|cpu]
                              [--dtypes bfloat16,float32] [--shapes 16384x4096,131072x128] [--rounds 15]
                              [--json FILE]

Columns: microseconds a call (medians, cold cache), bandwidth of the four passes (x, residual, sum, normalized), the
share of the copy's bandwidth, the speed-up over torch, and a control: the operator against itself. Shares and
speed-ups are medians over rounds with their 95 % intervals.
"""
import argparse
import json
import statistics
import sys
import time

import timing
import torch

GPU_SHAPES = """131072x128 65536x256 32768x512 16384x768 16384x1024 8192x2048 16384x4096 8192x5120 8192x8192 4096x16384
2048x32768 512x65536 256x131072 16384x1000 16384x1023 4096x768 512x4096 256x768 16x131072 8x1048576"""
CPU_SHAPES = "8192x128 4096x768 2048x1023 1024x4096 64x65536"


def torch_way(x, residual, weight, bias):
    total = x + residual
    return torch.nn.functional.layer_norm(total, weight.shape, weight, bias), total


def kadvise_way(x, residual, weight, bias):
    return torch.ops.kadvise.add_layer_norm(x, residual, weight.shape, weight, bias, 1e-5)


def make_sets(device, rows, length, dtype):
    """Inputs of several calls. x and residual are the halves of one tensor, which is what the copy copies."""
    size = torch.empty((), dtype=dtype).element_size()
    weight, bias = (torch.randn(length, device=device).to(dtype) for _ in range(2))
    sets = []
    for _ in range(timing.sets_needed(device, 4 * rows * length * size)):
        both = torch.randn(2, rows, length, device=device, dtype=dtype)
        sets.append((both[0], both[1], weight, bias, both))
    return sets


VARIANTS = {
    "kadvise": lambda x, residual, weight, bias, both: kadvise_way(x, residual, weight, bias),
    "torch": lambda x, residual, weight, bias, both: torch_way(x, residual, weight, bias),
    "copy": lambda x, residual, weight, bias, both: both.clone(),
}


def check(x, residual, weight, bias, _):
    """A fast wrong answer is no answer."""
    normalized, total = kadvise_way(x, residual, weight, bias)
    torch_normalized, torch_total = torch_way(x, residual, weight, bias)
    assert torch.equal(total, torch_total)
    torch.testing.assert_close(normalized, torch_normalized)


def measure_shape(device, rows, length, dtype, rounds):
    sets = make_sets(device, rows, length, dtype)
    check(*sets[0])
    passes = {name: timing.Pass(variant, sets, device) for name, variant in VARIANTS.items()}
    samples = timing.measure(passes, rounds)
    moved = 4 * rows * length * sets[0][0].element_size()
    medians = {name: statistics.median(values) for name, values in samples.items()}
    return {
        "shape": f"{rows}x{length}", "dtype": str(dtype).removeprefix("torch."), "us": medians,
        "gb_per_s": moved / medians["kadvise"] / 1e3,
        "of_copy": timing.speedup_interval(samples, "kadvise", "copy"),
        "over_torch": timing.speedup_interval(samples, "kadvise", "torch"),
        "control": timing.speedup_interval(timing.against_itself(samples["kadvise"]), "a", "b"),
    }


def line(result):
    us = result["us"]
    return (f"{result['shape']:>14} {result['dtype']:>9} {us['kadvise']:11.1f} {us['torch']:9.1f} {us['copy']:9.1f} "
            f"{result['gb_per_s']:6.0f}  {timing.interval(result['of_copy']):<18} {timing.interval(result['over_torch']):<18} "
            f"{timing.interval(result['control'])}")


def host_microseconds(way, device):
    """Host time of one call on a tiny input: the cost of Python, dispatch and launch."""
    arguments = [torch.randn(s, device=device) for s in ((1, 768), (1, 768), (768,), (768,))]
    samples = []
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(100):
            way(*arguments)
        samples.append((time.perf_counter() - begin) * 1e4)
        if device == "cuda":
            torch.cuda.synchronize()
    return statistics.median(samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/release/lib/libkadvise_kernels.so")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtypes", default="bfloat16,float32")
    parser.add_argument("--shapes")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.ops.load_library(options.library)
    timing.describe(options.device, ["python3", *sys.argv])

    default = GPU_SHAPES if options.device == "cuda" else CPU_SHAPES
    shapes = (options.shapes.replace(",", " ") if options.shapes else default).split()
    print(f"{'rows x length':>14} {'dtype':>9} {'kadvise us':>11} {'torch us':>9} {'copy us':>9} {'GB/s':>6}  "
          f"{'of copy':<18} {'over torch':<18} control")
    results = []
    with torch.inference_mode():
        for dtype in options.dtypes.split(","):
            for shape in shapes:
                rows, length = map(int, shape.split("x"))
                results.append(measure_shape(options.device, rows, length, getattr(torch, dtype), options.rounds))
                print(line(results[-1]), flush=True)
        ways = {"kadvise": kadvise_way, "torch": torch_way}
        host = {name: host_microseconds(way, options.device) for name, way in ways.items()}
    print(f"host time of a call on 1x768: kadvise {host['kadvise']:.1f} us, torch {host['torch']:.1f} us")
    if options.json:
        with open(options.json, "w") as file:
            everything = {"command": sys.argv, "torch": torch.__version__, "host_us": host, "results": results}
            json.dump(everything, file)


if __name__ == "__main__":
    main()
