#!/usr/bin/env python3
"""Kernel times of `kadvise profile` against a plain loop between two CUDA events, over 20 kernels from 20 us to 2 ms; and,
where ncu is on the machine, instruction counts and DRAM bytes against it.

  kernel_times.py --bin build/release/bin [--only NAME] [--json FILE]

A row is good when both agree within 3% from 100 us on, and within 1 us + 3% below.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import torch

EXPRESSIONS = {
    "scale": "x * 1.5", "add": "x + x", "relu": "torch.relu(x)", "gelu": "torch.nn.functional.gelu(x)", "exp": "torch.exp(x)",
    "mul": "x * x", "sum": "x.sum(-1)", "softmax": "torch.softmax(x, -1)", "max": "torch.amax(x, -1)", "sigmoid": "torch.sigmoid(x)",
}
SHAPES = {"small": (8192, 2048), "large": (16384, 16384)}  # 64 MiB and 1 GiB of float32
ROUNDS, CALLS = 7, 20


def module_of(expression):
    class Call(torch.nn.Module):
        def forward(self, x):
            return eval(expression, {"torch": torch}, {"x": x})

    return Call()


def by_events(run):
    """Median time of a call in a row of calls; as a CUDA graph, so that a slow host does not count."""
    run()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            run()
    graph.replay()
    times = []
    for _ in range(ROUNDS):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1000 / CALLS)
    return sorted(times)[ROUNDS // 2]


def profiled(args, folder, name, spec, *options):
    out = subprocess.run([os.path.join(args.bin, "kadvise"), "profile", f"{name}.pt", "--input", spec, "--device", "cuda", "--json", "-", *options],
                         cwd=folder, check=True, capture_output=True, text=True).stdout
    return json.loads(out)["profile"]


def ncu(args, folder, name, spec, metrics):
    """The last kernel's counters, as the vendor's tool reads them."""
    command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--target-processes", "all", "--metrics", ",".join(metrics), "--csv",
               os.path.join(args.bin, "kadvise"), "profile", f"{name}.pt", "--input", spec, "--device", "cuda", "--quiet"]
    out = subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout
    values = {}
    for line in out.splitlines():
        cells = [c.strip('"') for c in line.split('","')]
        if len(cells) > 3 and cells[-3] in metrics:
            values[cells[-3]] = float(cells[-1].replace(",", ""))
    return values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size, shape in SHAPES.items():
            x = torch.randn(shape, device="cuda")
            for name, expression in EXPRESSIONS.items():
                if args.only and args.only != name:
                    continue
                module = module_of(expression)
                torch.jit.trace(module, x).save(os.path.join(folder, f"{name}.pt"))
                event = by_events(lambda: module(x))
                view = profiled(args, folder, name, f"float32[{shape[0]},{shape[1]}]")["views"][0]
                kernel = sum(k["us"] for k in view["kernels"])
                good = abs(kernel - event) <= (0.03 * event if event >= 100 else 1 + 0.03 * event)
                rows.append({"name": name, "size": size, "eventUs": event, "kernelUs": kernel, "good": good})
                print(f"{name:8} {size:6} events {event:9.2f} us  kernels {kernel:9.2f} us  {100 * (kernel / event - 1):+6.2f} %  {'ok' if good else 'OFF'}",
                      flush=True)
            del x
        if shutil.which("ncu"):
            metrics = ["smsp__inst_executed.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"]
            spec = "float32[16384,16384]"
            for name in ("scale", "softmax"):
                ours = profiled(args, folder, name, spec, "--counters", "1")["counted"]
                theirs = ncu(args, folder, name, spec, metrics)
                rows.append({"name": name, "ours": ours[0]["metrics"] if ours else {}, "ncu": theirs})
                print("ncu", json.dumps(rows[-1]), flush=True)
        else:
            print("no ncu on this machine")
    if args.json:
        with open(args.json, "w") as f:
            json.dump(rows, f, indent=1)
    print(sum(r.get("good", False) for r in rows), "of", sum("good" in r for r in rows), "agree")


if __name__ == "__main__":
    main()
