"""kadvise::rms_norm and add_rms_norm against the forms written out and torch's own rms_norm.

    python3 rms_norm.py --library build/release/lib/libkadvise_kernels.so [--only rms_norm] [--device cuda|cpu]
                        [--dtypes bfloat16,float32] [--shapes 16384x4096] [--rounds 15] [--json FILE]

comparison.py says what the columns are.
"""
import comparison
import torch

EPS = 1e-6
GPU_SHAPES = """131072x128 65536x256 32768x512 16384x1024 8192x2048 16384x4096 8192x5120 8192x8192 4096x16384
2048x32768 256x131072 16384x1000 16384x1023 512x4096 256x2048 16x131072"""
CPU_SHAPES = "8192x128 1024x4096"


def random(device, dtype, *sizes):
    return torch.randn(sizes, device=device, dtype=dtype)


def inputs(device, dtype, rows, length):
    return random(device, dtype, rows, length), random(device, dtype, length)


def mixed_inputs(device, dtype, rows, length):
    return random(device, dtype, rows, length), random(device, torch.float32, length)


def add_inputs(device, dtype, rows, length):
    return random(device, dtype, rows, length), *inputs(device, dtype, rows, length)


def written_out(x, weight):
    high = x.float()
    return weight * (high * torch.rsqrt(high.pow(2).mean(-1, keepdim=True) + EPS)).to(x.dtype)


def written_out_rounded_once(x, weight):
    high = x.float()
    return (high * torch.rsqrt(high.pow(2).mean(-1, keepdim=True) + EPS) * weight).to(x.dtype)


def of_torch(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, EPS)


def with_sum(norm):
    def add(x, residual, weight):
        total = x + residual
        return norm(total, weight), total

    return add


TOLERANCE = {"rtol": 0.02, "atol": 0.02}  # of one rounding more or less
comparison.main([
    comparison.Benchmark(
        "rms_norm", inputs, lambda rows, length: 2 * rows * length,
        lambda x, weight: torch.ops.kadvise.rms_norm(x, weight, EPS, True),
        {"written": written_out, "torch": of_torch}, GPU_SHAPES, CPU_SHAPES, TOLERANCE),
    comparison.Benchmark(
        "rms_norm, float weight", mixed_inputs, lambda rows, length: 2 * rows * length,
        lambda x, weight: torch.ops.kadvise.rms_norm(x, weight, EPS, False),
        {"written": written_out_rounded_once}, "32768x512 16384x4096 8192x8192", "1024x4096", TOLERANCE),
    comparison.Benchmark(
        "add_rms_norm", add_inputs, lambda rows, length: 4 * rows * length,
        lambda x, residual, weight: torch.ops.kadvise.add_rms_norm(x, residual, weight, EPS, True),
        {"written": with_sum(written_out), "torch": with_sum(of_torch)}, GPU_SHAPES, CPU_SHAPES, TOLERANCE),
])
