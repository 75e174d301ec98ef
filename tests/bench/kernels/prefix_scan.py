"""kadvise::prefix_scan against torch's scans, and against the forms made of several operators.

    python3 prefix_scan.py --library build/release/lib/libkadvise_kernels.so [--only "last,backwards"] [--device cuda|cpu]
                           [--dtypes bfloat16,float32] [--shapes 16384x4096x1] [--rounds 15] [--json FILE]

Shapes are rows x times x columns; the scan is along times. comparison.py says what the columns are.
"""
import comparison
import torch

LAST = "32768x1024x1 16384x4096x1 2048x32768x1 128x4096x1"
ACROSS = "64x1024x1024 16x4096x2048 512x128x768 1x65536x1024"
CPU_SHAPES = "8x200x16"


def inputs(device, dtype, rows, times, columns):
    sizes = (rows, times) if columns == 1 else (rows, times, columns)
    return torch.randn(*sizes, device=device, dtype=dtype), torch.rand(*sizes, device=device) < 0.5


def moved(rows, times, columns):
    return 2 * rows * times * columns


def ours(exclusive, reverse, masked):
    return lambda x, mask: torch.ops.kadvise.prefix_scan(x, 1, "sum", exclusive, reverse, mask if masked else None)


def plain(x, mask):
    return torch.cumsum(x, 1)


def backwards(x, mask):
    return torch.cumsum(x.flip(1), 1).flip(1)


def masked(x, mask):
    return torch.cumsum(x * mask, 1)


def exclusive(x, mask):
    sums = torch.cumsum(x, 1)
    return torch.cat((torch.zeros_like(sums[:, :1]), sums[:, :-1]), 1)


def benchmark(name, function, rival, shapes):
    # torch adds 16-bit values in 16 bits, whose error grows with the length.
    return comparison.Benchmark(name, inputs, moved, function, {"torch": rival}, shapes, CPU_SHAPES,
                                {"rtol": 0.01, "atol": 0.5}, checked_in_float32=True)


comparison.main([benchmark("last", ours(False, False, False), plain, LAST),
                 benchmark("across", ours(False, False, False), plain, ACROSS),
                 benchmark("backwards", ours(False, True, False), backwards, LAST),
                 benchmark("exclusive", ours(True, False, False), exclusive, LAST),
                 benchmark("masked", ours(False, False, True), masked, LAST)])
