"""kadvise::activation and gated_activation against torch's operators.

    python3 gated_activation.py --library build/release/lib/libkadvise_kernels.so [--only "silu, two tensors"]
                                [--device cuda|cpu] [--dtypes bfloat16,float32] [--shapes 8192x11008] [--json FILE]

comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
GPU_SHAPES = "65536x256 8192x4096 8192x11008 8192x11007 4096x16384 256x11008 32x14336"
CPU_SHAPES = "512x4096"


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def one(device, dtype, rows, length):
    return (torch.randn(rows, length, device=device, dtype=dtype),)


def two(device, dtype, rows, length):
    return one(device, dtype, rows, length) + one(device, dtype, rows, length)


def halves(device, dtype, rows, length):
    return torch.randn(rows, 2 * length, device=device, dtype=dtype).chunk(2, -1)


def gated(name, activation, inputs, label):
    return comparison.Benchmark(
        f"{name}, {label}", inputs, lambda rows, length: 3 * rows * length,
        lambda gate, up: torch.ops.kadvise.gated_activation(gate, up, name),
        {"torch": lambda gate, up: activation(gate) * up}, GPU_SHAPES, CPU_SHAPES, TOLERANCE)


def alone(name, activation):
    return comparison.Benchmark(
        f"{name} alone", one, lambda rows, length: 2 * rows * length,
        lambda x: torch.ops.kadvise.activation(x, name), {"torch": activation}, GPU_SHAPES, CPU_SHAPES, TOLERANCE)


TOLERANCE = {"rtol": 0.02, "atol": 0.02}  # of one rounding more or less
comparison.main([
    gated("silu", F.silu, two, "two tensors"), gated("silu", F.silu, halves, "halves of one"),
    gated("gelu", F.gelu, two, "two tensors"), gated("gelu_tanh", gelu_tanh, two, "two tensors"),
    alone("quick_gelu", quick_gelu), alone("gelu_tanh", gelu_tanh), alone("gelu", F.gelu), alone("silu", F.silu),
])
