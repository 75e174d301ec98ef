#!/usr/bin/env python3
"""Tables of a fixed size that forward makes on the device where it was traced: positions, masks, what is moved there. A trace
on a GPU names it where they are made, and they must come out of kadvise as they came in, or replaced and equal.

  traced_tables_test.py --bin build/release/bin --lib build/release/lib --device cpu | cuda
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch


class Positions(torch.nn.Module):
    """As the encoders of speech have them: all places of a table, whatever comes in."""

    def __init__(self):
        super().__init__()
        self.places, self.linear = torch.nn.Embedding(64, 32), torch.nn.Linear(32, 32)

    def forward(self, x):
        return self.linear(x + self.places(torch.arange(64, device=x.device)))


class Waves(torch.nn.Module):
    """As detectors have them: sines of the places of a grid, under a mask of ones."""

    def forward(self, x):
        rows = torch.ones(8, 8, device=x.device).cumsum(0).flatten().unsqueeze(-1)
        turned = rows / 10000 ** (torch.arange(32, device=x.device, dtype=torch.float32) / 32)
        return x * torch.ones(64, 1, dtype=torch.bool, device=x.device) + turned.sin().to(x.dtype)


class Moved(torch.nn.Module):
    """A causal mask that is made on the host, and moved."""

    def forward(self, x):
        mask = torch.full((64, 64), float("-inf")).triu(1).to(x.device, x.dtype)
        return (x @ x.transpose(-1, -2) + mask).softmax(-1) @ x


MODELS = (Positions, Waves, Moved)


def failures(args, kind, folder):
    torch.manual_seed(0)
    dtype = torch.float32 if args.device == "cpu" else torch.bfloat16
    module, x = kind().eval().to(args.device, dtype), torch.randn(4, 64, 32, device=args.device, dtype=dtype)
    path, inputs, fast = folder / "m.pt", folder / "m.inputs.pt", folder / "fast.pt"
    with torch.no_grad():
        torch.jit.trace(module, (x,)).save(str(path))
        want = module(x)
    torch.save((x,), inputs)
    run = subprocess.run(list(map(str, [args.bin / "kadvise", path, "--inputs", inputs, "--device", args.device, "--apply", "-o", fast, "--keep", "equal",
                                        "--budget", 10, "--no-config", "--json", "-"])), capture_output=True, text=True)
    if run.returncode not in (0, 1):  # 1: there are findings
        return [f"kadvise ended with {run.returncode}: {run.stderr[-400:]}"]
    report = json.loads(run.stdout)
    if report["errors"]:
        return [str(report["errors"])]
    if not fast.exists():
        reason = report["output"]["reason"]
        return [] if reason == "nothing to apply" else [f"nothing was written: {reason}"]
    with torch.no_grad():
        have = torch.jit.load(str(fast))(x)
    bound = {"rtol": 1e-4, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 3e-2, "atol": 3e-2}
    return [] if torch.allclose(have.float(), want.float(), **bound) else ["the written module computes something else"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--lib", type=pathlib.Path, required=True)
    parser.add_argument("--device", choices=("cpu", "cuda"), required=True)
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    torch.ops.load_library(str(args.lib / "libkadvise_kernels.so"))
    failed = 0
    for kind in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            wrong = failures(args, kind, pathlib.Path(folder))
        print(kind.__name__, "; ".join(wrong) or "ok", flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
