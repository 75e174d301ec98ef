#!/usr/bin/env python3
"""The estimate of whole models against what is known of them: PyTorch's own count of flops, and the memory that a call
takes. ResNet-50 at 224 x 224 is 8.2 GFLOP an image, BERT-base over 128 tokens 22 GFLOP a sequence.

  estimate_test.py --bin build/release/bin [--device cpu] [MODEL ...]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch
from torch.utils.flop_counter import FlopCounterMode

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make

# GFLOP of one item of the batch.
KNOWN = {"resnet50": 8.18, "bert": 22.35}
TOLERANCE = 0.03


def counted(name, batch):
    """Products and convolutions, a multiply and an add being two."""
    model, inputs, _ = make.MODELS[name](batch)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model.eval()(*inputs)
    return counter.get_total_flops()


def report(name, args, folder):
    subprocess.run([sys.executable, make.__file__, "--out", folder, "--batch", "1", name], check=True, stdout=subprocess.DEVNULL)
    out = os.path.join(folder, name + ".json")
    subprocess.run([os.path.join(args.bin, "kadvise"), f"{name}.pt", "--inputs", f"{name}.inputs.pt", "--device", args.device,
                    "--no-verify", "--quiet", "--arch", "H100", "--json", out], cwd=folder, check=True)
    with open(out) as f:
        return json.load(f)


def check(name, args, folder):
    wrong = []
    found = report(name, args, folder)
    estimate, modules, memory = found["estimate"], {m["path"]: m for m in found["modules"]}, found["memory"]

    def expect(what, holds):
        if not holds:
            wrong.append(f"{name}: {what}")

    gigaflop = estimate["flops"] / 1e9
    expect(f"{gigaflop:.2f} GFLOP, known are {KNOWN[name]}", abs(gigaflop / KNOWN[name] - 1) < TOLERANCE)
    reference = counted(name, 1) / 1e9
    expect(f"{gigaflop:.2f} GFLOP, PyTorch counts {reference:.2f}", abs(gigaflop / reference - 1) < TOLERANCE)
    expect(f"the GPU is {estimate['gpu']}, asked for by '{estimate['reason']}'", estimate["gpu"] == "H100" and "--arch" in estimate["reason"])
    expect("no operator without a formula: " + str(estimate["withoutFormula"]), not estimate["withoutFormula"])
    expect("the whole is the module \"\"", modules[""]["share"] > 0.999 and modules[""]["flops"] == estimate["flops"])
    own = sum(m["ownUs"] for m in modules.values())
    expect(f"modules add up to {own:.1f} of {estimate['estimatedUs']:.1f} us", abs(own / estimate["estimatedUs"] - 1) < 1e-6)
    expect("every parameter is read at least once", estimate["bytesRead"] > 0.2 * memory["parameterBytes"])
    expect("the largest tensors fit into the peak", 0 < sum(t["bytes"] for t in memory["largest"]) <= memory["peakBytes"] * 1.000001)
    expect("the peak has a place", memory["op"] and memory["where"]["scope"])
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("models", nargs="*", default=list(KNOWN))
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    wrong = []
    for name in args.models:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(name, args, folder)
    print("\n".join(wrong) or "ok: " + ", ".join(args.models))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
