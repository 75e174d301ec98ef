"""kadvise::group_norm against torch's group norm and SiLU.

    python3 group_norm.py --library build/release/lib/libkadvise_kernels.so [--only "group_norm NHWC"] [--device cuda|cpu]
                          [--dtypes bfloat16,float32] [--shapes 2x320x64x32] [--rounds 15] [--json FILE]

Shapes are images x channels x height x groups. NHWC is channels_last. comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
EPS = 1e-5
SHAPES = "2x320x64x32 2x640x32x32 8x128x128x32 1x128x512x32 1x512x64x32 16x64x128x64 2x256x256x8 32x256x28x32"
TOLERANCE = {"rtol": 0.03, "atol": 0.03}


def inputs_in(memory_format):
    def inputs(device, dtype, images, channels, height, groups):
        x = torch.randn(images, channels, height, height, device=device, dtype=dtype).to(memory_format=memory_format)
        # The number of groups travels as the length of a tensor: a benchmark's inputs are tensors.
        empty = torch.empty(groups, 0, device=device, dtype=dtype)
        weight, bias = torch.randn(2, channels, device=device, dtype=dtype)
        return empty, weight, bias, x

    return inputs


def moved(images, channels, height, groups):
    return 2 * images * channels * height**2


def benchmark(name, memory_format):
    return comparison.Benchmark(
        name, inputs_in(memory_format), moved,
        lambda groups, w, b, x: torch.ops.kadvise.group_norm(x, groups.shape[0], w, b, EPS, "silu"),
        {"torch": lambda groups, w, b, x: F.silu(F.group_norm(x, groups.shape[0], w, b, EPS))}, SHAPES, "2x64x16x8", TOLERANCE)


comparison.main([benchmark("group_norm NCHW", torch.contiguous_format), benchmark("group_norm NHWC", torch.channels_last)])
