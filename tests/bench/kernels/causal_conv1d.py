"""kadvise::causal_conv1d against the grouped convolution, its cut and SiLU.

    python3 causal_conv1d.py --library build/release/lib/libkadvise_kernels.so [--only "channels dense"] [--device cuda|cpu]
                             [--dtypes bfloat16,float32] [--shapes 4x2048x1536] [--rounds 15] [--json FILE]

Shapes are batch x times x channels, with four taps. comparison.py says what the columns are; weights do not count.
"""
import comparison
import torch
import torch.nn.functional as F

GPU_SHAPES = ("1x2048x1536 1x2048x3072 4x2048x5120 8x1024x2560 16x512x1536 1x16384x4096 32x128x4096 2x4093x1537")
CPU_SHAPES = "2x128x256"


def channels_dense(device, dtype, batch, times, channels):
    """As a projection of rows leaves it."""
    x = torch.randn(batch, times, channels, device=device, dtype=dtype).transpose(1, 2)
    return x, torch.randn(channels, 1, 4, device=device, dtype=dtype), torch.randn(channels, device=device, dtype=dtype)


def times_dense(*sizes):
    x, *rest = channels_dense(*sizes)
    return x.contiguous(), *rest


def moved(batch, times, channels):
    return 2 * batch * times * channels


def written(x, weight, bias):
    return F.silu(F.conv1d(x, weight, bias, padding=3, groups=x.shape[1])[..., : x.shape[2]])


def ours(x, weight, bias):
    return torch.ops.kadvise.causal_conv1d(x, weight, bias, True)


def benchmark(name, inputs):
    return comparison.Benchmark(name, inputs, moved, ours, {"written": written}, GPU_SHAPES, CPU_SHAPES,
                                {"rtol": 0.03, "atol": 0.06})


comparison.main([benchmark("channels dense", channels_dense), benchmark("times dense", times_dense)])
