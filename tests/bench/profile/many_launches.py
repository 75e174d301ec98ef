#!/usr/bin/env python3
"""What `kadvise profile` needs in memory for a call of very many launches, beside one of few.

  many_launches.py --bin build/release/bin [--launches 1000000]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch


class Loop(torch.nn.Module):
    def __init__(self, turns):
        super().__init__()
        self.turns: int = turns

    def forward(self, x):
        for _ in range(self.turns):
            x = x + 1
        return x


def largest_mib(args, folder, turns):
    """Of a child that had no part in what came before."""
    torch.jit.script(Loop(turns)).save(os.path.join(folder, "loop.pt"))
    program = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)")
    out = os.path.join(folder, "profile.json")
    text = subprocess.run([sys.executable, "-c", program, os.path.join(args.bin, "kadvise"), "profile", "loop.pt", "--input", "float32[64]",
                           "--device", args.device, "--quiet", "--json", out], cwd=folder, check=True, capture_output=True, text=True).stdout
    with open(out) as f:
        view = json.load(f)["profile"]["views"][0]
    launches = sum(row["launches"] for row in view["kernels"]) or sum(row["calls"] for row in view["operators"])
    return int(text.split()[-1]), launches, view


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--launches", type=int, default=1_000_000)
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    with tempfile.TemporaryDirectory() as folder:
        few, _, _ = largest_mib(args, folder, 100)
        many, launches, view = largest_mib(args, folder, args.launches)
    print(f"{launches} launches: {many} MiB at most, {few} MiB for 100; {many - few} MiB for the records; "
          f"{view['attribution']['toModule']:.4f} of the time assigned")
    return 0 if many - few < 1024 * args.launches / 1_000_000 + 64 else 1


if __name__ == "__main__":
    sys.exit(main())
