"""kadvise::upsample_nearest, upsample_bilinear and upsample_bicubic against torch's operators.

    python3 upsample.py --library build/release/lib/libkadvise_kernels.so [--only "bilinear NCHW"] [--device cuda|cpu]
                        [--dtypes bfloat16,float32] [--shapes 2x256x64x128] [--rounds 15] [--json FILE]

Shapes are images x channels x height of the input x height of the result. "corners" is align_corners, which no factor makes
whole; NHWC is channels_last. comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
OPS = torch.ops.kadvise
# SegFormer's decoder (2, 4 and 8 times), a U-Net's, a head's logits, sizes that no factor makes.
SHAPES = "2x256x64x128 2x256x32x128 2x256x16x128 8x64x112x224 4x21x28x224 2x256x50x128"
NEAREST = "2x640x32x64 2x320x64x128 2x256x50x100 8x64x112x224 2x256x16x128 2x256x50x128"
CUBIC = "2x256x64x128 8x3x224x448 2x256x50x128"
TOLERANCE = {"rtol": 0.02, "atol": 0.02}


def inputs_in(channels_last):
    def inputs(device, dtype, images, channels, height, result):
        x = torch.randn(images, channels, height, height, device=device, dtype=dtype)
        x = x.contiguous(memory_format=torch.channels_last) if channels_last else x
        return torch.empty(result, 0, device=device, dtype=dtype), x  # the size travels as its length

    return inputs


def ours(mode, corners):
    def run(size, x):
        return getattr(OPS, "upsample_" + mode)(x, [len(size)] * 2, None, corners)  # of the nearest: not the exact form

    return run


def of_torch(mode, corners):
    return lambda size, x: F.interpolate(x, size=[len(size)] * 2, mode=mode, align_corners=None if mode == "nearest" else corners)


def benchmark(mode, channels_last, corners=False):
    name = f"{mode}{' corners' if corners else ''} {'NHWC' if channels_last else 'NCHW'}"
    shapes = {"nearest": NEAREST, "bicubic": CUBIC}.get(mode, SHAPES)
    return comparison.Benchmark(
        name, inputs_in(channels_last),
        lambda images, channels, height, result: images * channels * (height**2 + result**2),
        ours(mode, corners), {"torch": of_torch(mode, corners)}, shapes, "2x16x14x28 2x16x14x30", TOLERANCE)


comparison.main([benchmark(mode, last, corners)
                 for mode, corners in (("bilinear", False), ("bilinear", True), ("nearest", False), ("bicubic", False))
                 for last in (False, True)])
