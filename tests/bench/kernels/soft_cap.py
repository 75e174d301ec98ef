"""kadvise::soft_cap against torch's operators.

    python3 soft_cap.py --library build/release/lib/libkadvise_kernels.so
                        [--device cuda|cpu] [--dtypes bfloat16,float32] [--shapes 8192x11008] [--json FILE]

comparison.py says what the columns are.
"""
import comparison
import torch

CAP = 30.0


def scores(device, dtype, rows, length):
    return (torch.randn(rows, length, device=device, dtype=dtype) * CAP,)


comparison.main([comparison.Benchmark(
    "soft cap", scores, lambda rows, length: 2 * rows * length, lambda x: torch.ops.kadvise.soft_cap(x, CAP),
    {"torch": lambda x: CAP * torch.tanh(x / CAP)}, "65536x256 8192x4096 8192x11007 4096x16384 256x256000 32x256000",
    "512x4096", {"rtol": 0.02, "atol": 0.02})])
