"""Generated reductions over dimensions that are not the last, against ATen and torch.compile.

    python3 reductions.py --library build/release/lib/libkadvise_kernels.so [--only sum_dim0] [--device cuda|cpu]
                          [--dtypes bfloat16,float32] [--rounds 15] [--json FILE]

The bound is one pass over the input: `copy` moves the same bytes. comparison.py says what the columns are.
"""
import math

import comparison
import torch

ATEN = {
    "sum": lambda x, dims: torch.sum(x, dims),
    "mean": lambda x, dims: torch.mean(x, dims),
    "max": lambda x, dims: torch.amax(x, dims),
    "var": lambda x, dims: torch.var(x, dims, correction=0),
}
# Word, reduced dimensions, sizes on a GPU, sizes on a CPU: rows of a matrix, the middle of three dimensions, statistics of
# channels, pixels over channels.
CASES = [
    ("sum", (0,), "4096x8192", "256x512"),
    ("mean", (0,), "65536x1024", "1024x128"),
    ("max", (1,), "64x1024x1024", "4x64x128"),
    ("var", (1,), "32x4096x512", "4x128x64"),
    ("sum", (0, 1), "128x512x1024", "8x16x128"),
    ("mean", (0, 2, 3), "32x256x56x56", "2x16x14x14"),
    ("var", (0, 2, 3), "64x64x112x112", "2x8x28x28"),
    ("max", (1,), "32x256x56x56", "2x16x14x14"),
]


def text(word, dims, rank, dtype):
    name = str(dtype).removeprefix("torch.")
    reduced = " ".join(str(d) for d in dims)
    return f"row_program 1\nrank {rank}\nreduce {reduced}\nx = in {name}\ny = {word} x\nout y {name} drop\n"


def benchmark(word, dims, gpu_shape, cpu_shape):
    def moved(*sizes):
        return math.prod(sizes) + math.prod(size for d, size in enumerate(sizes) if d not in dims)

    return comparison.Benchmark(
        f"{word}_dim{''.join(map(str, dims))}_of_{gpu_shape.count('x') + 1}",
        lambda device, dtype, *sizes: (torch.randn(sizes, device=device, dtype=dtype),), moved,
        lambda x: torch.ops.kadvise.row_program(text(word, dims, x.dim(), x.dtype), [x])[0],
        {"aten": lambda x: ATEN[word](x, dims)}, gpu_shape, cpu_shape,
        {"rtol": 0.02, "atol": 0.02})  # sums of many: in another order


if __name__ == "__main__":
    comparison.main([benchmark(*case) for case in CASES])
