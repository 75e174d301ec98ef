"""kadvise::rope against the forms written out.

    python3 rope.py --library build/release/lib/libkadvise_kernels.so [--only halves] [--device cuda|cpu]
                    [--dtypes bfloat16,float32] [--shapes 4x2048x32x128] [--rounds 15] [--json FILE]

Shapes are batch x positions x heads x elements; heads are transposed before positions, as in models, so that a row is
a head's. comparison.py says what the columns are; cos and sin, which all heads share, count once.
"""
import comparison
import torch

GPU_SHAPES = "4x2048x32x128 4x2048x8x128 16x512x16x64 1x16384x32x128 2x128x32x128 1x4096x71x64 32x1x32x128"
CPU_SHAPES = "2x128x16x64"


def inputs(device, dtype, batch, positions, heads, length):
    x = torch.randn(batch, positions, heads, length, device=device, dtype=dtype).transpose(1, 2)
    cos, sin = (torch.randn(1, 1, positions, length, device=device, dtype=dtype) for _ in range(2))
    return x, cos, sin


def moved(batch, positions, heads, length):
    return 2 * batch * positions * heads * length + 2 * positions * length


def halves(x, cos, sin):
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def neighbours(x, cos, sin):
    return x * cos + torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2) * sin


def partial(x, cos, sin):
    part = x.shape[-1] // 4
    return torch.cat((halves(x[..., :part], cos[..., :part], sin[..., :part]), x[..., part:]), -1)


def ours(interleaved, share=1):
    def call(x, cos, sin):
        part = x.shape[-1] // share
        return torch.ops.kadvise.rope(x, cos[..., :part], sin[..., :part], interleaved, part)

    return call


def benchmark(name, function, rival):
    return comparison.Benchmark(name, inputs, moved, function, {"written": rival}, GPU_SHAPES, CPU_SHAPES,
                                {"rtol": 0.02, "atol": 0.06})


comparison.main([benchmark("halves", ours(False), halves), benchmark("neighbours", ours(True), neighbours),
                 benchmark("a quarter, halves", ours(False, 4), partial)])
