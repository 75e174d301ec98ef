#!/usr/bin/env python3
"""Hardware counters against what is known: a copy of 1 GiB moves 1 GiB each way, a sum reads its input, a product of two
N x N matrices takes 2 N^3 operations. Needs a GPU whose counters may be read.

  counters_test.py --bin build/release/bin
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch

GIB = 1 << 30
N = 4096


class Copy(torch.nn.Module):
    def forward(self, x):
        return x * 1.0  # a kernel; clone() is a copy of the driver's, which has no counters


class Sum(torch.nn.Module):
    def forward(self, x):
        return x.sum()


class Product(torch.nn.Module):
    def forward(self, x, y):
        return torch.mm(x, y)


def counted(args, folder, name, module, *specs):
    torch.jit.script(module).save(os.path.join(folder, f"{name}.pt"))
    inputs = [word for spec in specs for word in ("--input", spec)]
    out = subprocess.run([os.path.join(args.bin, "kadvise"), "profile", f"{name}.pt", *inputs, "--device", "cuda", "--counters", "1", "--json", "-"],
                         cwd=folder, check=True, capture_output=True, text=True).stdout
    profile = json.loads(out)["profile"]
    if not profile["counted"]:
        sys.exit(f"{name}: no counters: {profile['absent']}")
    kernel = profile["counted"][0]
    print(f"{name}: {kernel['us']:.1f} us, read {kernel['dramReadBytes'] / GIB:.4f} GiB, written {kernel['dramWriteBytes'] / GIB:.4f} GiB, "
          f"tensor {kernel['tensorFlop']:.6g} flop, {kernel['bound']}-bound: {kernel['why']}", flush=True)
    for absent in profile["absent"]:
        print("  not given:", absent)
    print("  ", json.dumps(kernel["metrics"]))
    return kernel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    wrong = []

    def near(what, value, known, tolerance):
        if abs(value / known - 1) > tolerance:
            wrong.append(f"{what}: {value:.6g}, known are {known:.6g}")

    with tempfile.TemporaryDirectory() as folder:
        big = f"float32[{GIB // 4}]"
        copy = counted(args, folder, "copy", Copy(), big)
        near("a copy of 1 GiB reads", copy["dramReadBytes"], GIB, 0.03)
        near("a copy of 1 GiB writes", copy["dramWriteBytes"], GIB, 0.03)
        if copy["bound"] != "memory":
            wrong.append("a copy is bound by memory, not by " + copy["bound"])
        near("a sum over 1 GiB reads", counted(args, folder, "sum", Sum(), big)["dramReadBytes"], GIB, 0.03)
        square = f"float16[{N},{N}]"
        product = counted(args, folder, "product", Product(), square, square)
        near("a product takes", product["tensorFlop"], 2.0 * N**3, 1e-6)
        if product["bound"] != "compute":
            wrong.append("a large product is bound by computing, not by " + product["bound"])
    print("\n".join(wrong) or "ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
