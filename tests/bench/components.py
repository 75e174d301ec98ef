#!/usr/bin/env python3
"""The components that the benchmarks compare, written as models write them: no fused operator, no cuDNN block.

  components.py --out DIR [--dtype bfloat16] [--device cuda] [--sizes small,middle,large] [NAME…]

Writes NAME-SIZE-DTYPE.pt (scripted) and .inputs.pt. Sizes are (batch, tokens, width) with eight heads:
small 4 x 128 x 512, middle 8 x 1024 x 1024, large 2 x 4096 x 1024.
"""
import argparse
import math
import os
import sys

import torch
from torch import nn

SIZES = {"small": (4, 128, 512), "middle": (8, 1024, 1024), "large": (2, 4096, 1024)}
HEADS = 8


class LayerNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)
        self.bias = nn.Parameter(torch.randn(width) * 0.1)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = (centred * centred).mean(-1, keepdim=True)
        return centred / torch.sqrt(variance + 1e-5) * self.weight + self.bias


class RMSNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        dtype = x.dtype
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * y.to(dtype)


class Projections(nn.Module):
    """Query, key and value of one input."""

    def __init__(self, width: int):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return self.query(x), self.key(x), self.value(x)


class Attention(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.heads: int = HEADS
        self.scale = 1 / math.sqrt(width // HEADS)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, x.size(2) // self.heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * self.scale, dim=-1)
        return self.out(torch.matmul(weights, v).transpose(1, 2).reshape(x.size(0), x.size(1), x.size(2)))


class GatedMLP(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        hidden = 8 * width // 3 // 64 * 64
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """A transformer block, norms first."""

    def __init__(self, width: int):
        super().__init__()
        self.attention, self.norm1, self.norm2 = Attention(width), LayerNorm(width), LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


COMPONENTS = {"attention": Attention, "block": Block, "layer-norm": LayerNorm, "rms-norm": RMSNorm, "projections": Projections,
              "gated-mlp": GatedMLP}


def build(name, shape, dtype=torch.float32, device="cpu", seed=0):
    """Returns (Python module, inputs)."""
    torch.manual_seed(seed)
    module = COMPONENTS[name](shape[-1]).eval().to(device=device, dtype=dtype)
    return module, (torch.randn(shape).to(device=device, dtype=dtype),)


def make(name, size, dtype=torch.float32, device="cpu", seed=0):
    """Returns (scripted module, inputs)."""
    module, inputs = build(name, SIZES[size], dtype, device, seed)
    return torch.jit.script(module), inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(COMPONENTS)} (default: all)")
    parser.add_argument("--out", required=True)
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="bfloat16")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--sizes", default=",".join(SIZES))
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    for name in args.names or COMPONENTS:
        for size in args.sizes.split(","):
            module, inputs = make(name, size, getattr(torch, args.dtype), args.device)
            path = os.path.join(args.out, f"{name}-{size}-{args.dtype}")
            torch.jit.save(module, path + ".pt")
            torch.save(inputs, path + ".inputs.pt")
            print(path + ".pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
