"""Copies into another order as kadvise::row_program makes them, against contiguous().

    python3 copies.py --library build/release/lib/libkadvise_kernels.so [--only heads] [--device cuda|cpu]
                      [--dtypes bfloat16,float32] [--shapes 8x512x12x64] [--rounds 15] [--json FILE]

Shapes are those of what lies in memory; each benchmark names what is read of it. comparison.py says what the columns are.
"""
import math

import comparison
import torch

PROGRAM = "row_program 1\nrank {}\nx = in {}\nout x {} contiguous"


def copied(x):
    dtype = str(x.dtype)[6:]
    return torch.ops.kadvise.row_program(PROGRAM.format(x.dim(), dtype, dtype), [x])[0]


def benchmark(name, view, gpu_shapes, cpu_shapes):
    return comparison.Benchmark(
        name, lambda device, dtype, *sizes: (view(torch.randn(*sizes, device=device, dtype=dtype)),),
        lambda *sizes: 2 * math.prod(sizes), copied, {"torch": lambda x: x.contiguous()}, gpu_shapes, cpu_shapes)


comparison.main([
    benchmark("heads", lambda x: x.transpose(1, 2), "8x512x12x64 2x256x12x64 128x49x3x32", "2x9x3x8"),
    benchmark("queries, keys and values", lambda x: x.permute(2, 0, 3, 1, 4), "2x197x3x12x64", "2x9x3x2x8"),
    benchmark("windows", lambda x: x.permute(0, 1, 3, 2, 4, 5), "2x8x7x8x7x96", "2x2x3x2x3x8"),
    benchmark("channels first", lambda x: x.permute(0, 3, 1, 2), "8x56x56x64 128x128x128x64 16x28x28x256", "2x5x5x8"),
    benchmark("channels last", lambda x: x.permute(0, 2, 3, 1), "8x64x56x56 128x64x128x128 16x256x28x28", "2x8x5x5"),
    benchmark("columns", lambda x: x.transpose(1, 2), "8x512x256", "2x9x8"),
])
