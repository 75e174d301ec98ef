"""kadvise::roll against torch.roll, by (-3, -3) in two dimensions, as windows of images are shifted.

    python3 roll.py --library build/release/lib/libkadvise_kernels.so [--shapes 8x56x56x96] [--warm] [--rounds 15] [--json FILE]

Shapes are images x rows x columns x channels. comparison.py says what the columns are.
"""
import comparison
import torch

SHAPES = "8x56x56x96 8x28x28x192 8x14x14x384 2x56x56x128 32x56x56x96"
SHIFT, DIMS = (-3, -3), (1, 2)


def inputs(device, dtype, *sizes):
    return (torch.randn(*sizes, device=device, dtype=dtype),)


def moved(images, rows, columns, channels):
    return 2 * images * rows * columns * channels


comparison.main([comparison.Benchmark("roll", inputs, moved, lambda x: torch.ops.kadvise.roll(x, SHIFT, DIMS),
                                      {"torch": lambda x: torch.roll(x, SHIFT, DIMS)}, SHAPES, "2x14x14x32", {"rtol": 0, "atol": 0})])
