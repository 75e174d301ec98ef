"""kadvise::window_attention against attention written out and torch's scaled_dot_product_attention.

    python3 window_attention.py --library build/release/lib/libkadvise_kernels.so [--only "biased windows"]
                                [--dtypes bfloat16,float16] [--shapes 8x64x3x49x32] [--rounds 15] [--json FILE]

Shapes are images x windows x heads x tokens x elements of a head; q, k and v are cut out of one projection, and the result is
joined again. Biased windows have each a bias, which all images share. comparison.py says what the columns are; the bytes are
those of the projection, the result and the biases.
"""
import sys

import comparison
import torch

F = torch.nn.functional
WINDOWS = "8x64x3x49x32 8x16x6x49x32 8x4x12x49x32 8x1x24x49x32 2x64x3x49x32 4x64x4x64x32 1x256x6x64x40 16x16x4x49x64"
TEXTS = "2x1x12x64x64 8x1x12x64x64 32x1x12x64x64 64x1x12x32x64 8x1x8x32x64 16x1x16x48x64 128x1x8x50x64 256x1x12x16x64"


def packed(device, dtype, images, windows, heads, tokens, width):
    return torch.randn(images * windows, tokens, 3, heads, width, device=device, dtype=dtype)


def of_windows(device, dtype, images, windows, heads, tokens, width):
    return torch.randn(windows, heads, tokens, tokens, device=device, dtype=dtype), packed(device, dtype, images, windows, heads, tokens, width)


def of_texts(device, dtype, *sizes):
    return (packed(device, dtype, *sizes),)


def moved(images, windows, heads, tokens, width):
    return 4 * images * windows * heads * tokens * width


def moved_with_biases(images, windows, heads, tokens, width):
    return moved(images, windows, heads, tokens, width) + windows * heads * tokens * tokens


def parts(qkv):
    return qkv.permute(2, 0, 3, 1, 4).unbind(0)


def joined(heads):
    return heads.transpose(1, 2).flatten(2)


def for_all(bias, q):
    return bias.repeat(q.shape[0] // bias.shape[0], 1, 1, 1)


def written(q, k, v, bias=None):
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    if bias is not None:
        apart = scores.unflatten(0, (-1, bias.shape[0]))
        scores = (apart + bias).flatten(0, 1)
    return scores.softmax(-1) @ v


def ours(q, k, v, bias=None):
    return torch.ops.kadvise.window_attention(q, k, v, bias, False, None)


def sdpa(q, k, v, bias=None):
    return F.scaled_dot_product_attention(q, k, v, None if bias is None else for_all(bias, q))


def with_bias(attention):
    return lambda bias, qkv: joined(attention(*parts(qkv), bias))


def without(attention):
    return lambda qkv: joined(attention(*parts(qkv)))


def benchmark(name, inputs, bytes_moved, form, shapes):
    return comparison.Benchmark(name, inputs, bytes_moved, form(ours), {"written": form(written), "sdpa": form(sdpa)}, shapes,
                                "2x4x3x49x32", {"rtol": 0.05, "atol": 0.05})


if "--dtypes" not in sys.argv:
    sys.argv += ["--dtypes", "bfloat16,float16"]
comparison.main([benchmark("biased windows", of_windows, moved_with_biases, with_bias, WINDOWS),
                 benchmark("short texts", of_texts, moved, without, TEXTS)])
