"""kadvise::scatter_slices against zeros with slices written into it, as the attention of sliding windows writes its diagonals.

    python3 scatter_slices.py --library build/release/lib/libkadvise_kernels.so [--shapes 24x3x256] [--warm] [--rounds 15] [--json FILE]

Shapes are heads of all texts x chunks x half the window. comparison.py says what the columns are.
"""
import comparison
import torch

SHAPES = "24x3x256 24x15x256 96x7x64"
END = (1 << 63) - 1


def inputs(device, dtype, heads, chunks, half):
    return (torch.randn(heads, chunks, 2 * half, 2 * half + 1, device=device, dtype=dtype),)


def moved(heads, chunks, half):
    return (2 * heads * (chunks + 1) * half * (2 * half + 1))


def parts(x):
    half = x.shape[2] // 2
    return [x[:, :, :half, : half + 1], x[:, -1, half:, : half + 1], x[:, :, -(half + 1) : -1, half + 1 :],
            x[:, 0, : half - 1, 1 - half :]]


def sizes(x):
    return [x.shape[0], x.shape[1] + 1, x.shape[2] // 2, x.shape[3]]


def ours(x):
    half = x.shape[2] // 2
    slices = [2, 1, 0, -1, 1, 3, half, END, 1, 2, 1, -1, 0, 0, 2, half, END, 1, 2, 1, 1, END, 1, 3, 0, half, 1,
              3, 1, 0, 0, 0, 1, 1, half, 1, 2, 1, half, 1]
    return torch.ops.kadvise.scatter_slices(parts(x), slices, sizes(x), 0)


def written_out(x):
    half = x.shape[2] // 2
    out = x.new_zeros(sizes(x))
    above, last, below, first = parts(x)
    out[:, :-1, :, half:] = above
    out[:, -1, :, half:] = last
    out[:, 1:, :, :half] = below
    out[:, 0, 1:half, 1:half] = first
    return out


comparison.main([comparison.Benchmark("scatter_slices", inputs, moved, ours, {"torch": written_out}, SHAPES, "2x2x8", {"rtol": 0, "atol": 0})])
