"""kadvise::depthwise_conv against torch's convolution and SiLU.

    python3 depthwise_conv.py --library build/release/lib/libkadvise_kernels.so [--only "depthwise_conv NHWC"]
                              [--device cuda|cpu] [--dtypes bfloat16,float32] [--shapes 32x96x56x7x1] [--rounds 15] [--json FILE]

Shapes are images x channels x height x kernel x stride; of signals images x channels x length x kernel; of other kernels
images x channels x height x rows x columns x dilation. NHWC is channels_last; a slice has half of an image's channels. Float32 is computed in float32 by both. comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
OPS = torch.ops.kadvise
SHAPES = "32x96x56x7x1 32x384x14x7x1 2x96x56x7x1 32x144x56x3x1 32x96x112x3x2 32x240x28x5x1 32x672x14x5x2 8x32x112x3x1"
SIGNALS = "16x512x1024x7 16x1024x2048x4 4x256x4096x5 64x128x512x3"
TOLERANCE = {"rtol": 0.03, "atol": 0.03}
torch.backends.cudnn.allow_tf32 = False


def images_in(memory_format):
    def inputs(device, dtype, images, channels, height, kernel, stride):
        x = torch.randn(images, channels, height, height, device=device, dtype=dtype).to(memory_format=memory_format)
        weight = torch.randn(channels, 1, kernel, kernel, device=device, dtype=dtype) / kernel
        steps = torch.empty(stride, 0, device=device, dtype=dtype)  # the stride travels as its length
        return steps, weight, torch.randn(channels, device=device, dtype=dtype), x

    return inputs


def signals_in(channels_last):
    def inputs(device, dtype, images, channels, length, kernel):
        x = torch.randn(images, channels, length, device=device, dtype=dtype)
        if channels_last:
            x = x.transpose(1, 2).contiguous().transpose(1, 2)
        weight = torch.randn(channels, 1, kernel, device=device, dtype=dtype) / kernel**0.5
        return weight, torch.randn(channels, device=device, dtype=dtype), x

    return inputs


def of_images(name, memory_format):
    return comparison.Benchmark(
        name, images_in(memory_format),
        lambda images, channels, height, kernel, stride: images * channels * (height**2 + (height // stride) ** 2),
        lambda s, w, b, x: OPS.depthwise_conv(x, w, b, [len(s)], [w.shape[-1] // 2], [1], "silu"),
        {"torch": lambda s, w, b, x: F.silu(F.conv2d(x, w, b, len(s), w.shape[-1] // 2, 1, x.shape[1]))},
        SHAPES, "2x16x14x3x1", TOLERANCE)


def other_images_in(memory_format, parts):
    def inputs(device, dtype, images, channels, height, rows, columns, dilation):
        x = torch.randn(images, parts * channels, height, height, device=device, dtype=dtype).to(memory_format=memory_format)
        weight = torch.randn(channels, 1, rows, columns, device=device, dtype=dtype) / (rows * columns) ** 0.5
        steps = torch.empty(dilation, 0, device=device, dtype=dtype)
        return steps, weight, torch.randn(channels, device=device, dtype=dtype), x[:, (parts - 1) * channels :]

    return inputs


def padding_of(dilation, weight):
    return [dilation * (size - 1) // 2 for size in weight.shape[2:]]


def of_other_kernels(name, memory_format, parts=1):
    return comparison.Benchmark(
        name, other_images_in(memory_format, parts),
        lambda images, channels, height, rows, columns, dilation: 2 * images * channels * height**2,
        lambda d, w, b, x: OPS.depthwise_conv(x, w, b, [1], padding_of(len(d), w), [len(d)], "silu"),
        {"torch": lambda d, w, b, x: F.silu(F.conv2d(x, w, b, 1, padding_of(len(d), w), len(d), x.shape[1]))},
        OTHER_KERNELS, "2x16x14x1x5x1", TOLERANCE)


def of_signals(name, channels_last, shapes=SIGNALS):
    return comparison.Benchmark(
        name, signals_in(channels_last), lambda images, channels, length, kernel: 2 * images * channels * length,
        lambda w, b, x: OPS.depthwise_conv(x, w, b, [1], [w.shape[-1] // 2], [1], "silu"),
        {"torch": lambda w, b, x: F.silu(F.conv1d(x, w, b, 1, w.shape[-1] // 2, 1, x.shape[1]))}, shapes, "2x16x64x5", TOLERANCE)


OTHER_KERNELS = ("8x12x56x1x11x1 8x12x56x11x1x1 8x96x14x1x11x1 8x64x56x1x21x1 32x96x56x7x7x3 8x256x28x3x3x2 8x128x32x31x31x1 "
                 "8x512x14x13x13x1")
LONG = "16x512x1024x31 8x512x1600x31 32x256x400x31 1x1024x3000x31"  # of Conformers, in 16 bits


comparison.main([
    of_images("depthwise_conv NCHW", torch.contiguous_format), of_images("depthwise_conv NHWC", torch.channels_last),
    of_signals("depthwise_conv NCL", False), of_signals("depthwise_conv NLC", True),
    of_signals("depthwise_conv NCL long", False, LONG),
    of_other_kernels("depthwise_conv NCHW other kernels", torch.contiguous_format),
    of_other_kernels("depthwise_conv NHWC other kernels", torch.channels_last),
    of_other_kernels("depthwise_conv NHWC slices", torch.channels_last, 2)])
