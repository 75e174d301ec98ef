"""kadvise::grouped_conv against cuDNN's convolution and ReLU, apart and as kadvise::conv2d_relu has them in one call.

    python3 grouped_conv.py --library build/release/lib/libkadvise_kernels.so [--only "grouped_conv NHWC"]
                            [--device cuda|cpu] [--dtypes bfloat16,float32] [--rounds 15] [--json FILE]

Shapes are images x groups x inputs and results of a group x height x kernel x stride: the layers of ResNeXt-50,
RegNetY-400MF and -3.2GF, ResNeSt-26, EfficientViT-B1 and ShuffleNet. NHWC is channels_last.
Float32 is multiplied in TF32 by ours; cuDNN does so for some of these widths. comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
OPS = torch.ops.kadvise
RESNEXT = "8x32x4x4x56x3x1 8x32x8x8x28x3x1 8x32x8x8x56x3x2 8x32x16x16x14x3x1 8x32x32x32x7x3x1"
REGNET = "8x6x8x8x56x3x1 8x13x8x8x28x3x1 8x3x24x24x56x3x1 8x9x24x24x28x3x1 8x24x24x24x14x3x1 8x63x24x24x7x3x1"
WIDE = "8x2x32x64x56x3x1 8x2x64x128x28x3x1 8x2x128x256x14x3x1"
POINTWISE = "8x12x16x16x28x1x1 8x24x16x16x14x1x1 8x48x16x16x7x1x1 8x3x80x80x28x1x1 8x3x160x160x14x1x1"


def images_in(memory_format):
    def inputs(device, dtype, images, groups, width, results, height, kernel, stride):
        x = torch.randn(images, groups * width, height, height, device=device, dtype=dtype).to(memory_format=memory_format)
        weight = torch.randn(groups * results, width, kernel, kernel, device=device, dtype=dtype) / (kernel * width**0.5)
        numbers = torch.empty(stride, groups, 0, device=device, dtype=dtype)  # they travel as sizes
        return numbers, weight.to(memory_format=memory_format), torch.randn(len(weight), device=device, dtype=dtype), x

    return inputs


def of_images(name, memory_format, shapes):
    return comparison.Benchmark(
        name, images_in(memory_format),
        lambda images, groups, width, results, height, kernel, stride:
            images * groups * (width * height**2 + results * (height // stride) ** 2),
        lambda n, w, b, x: OPS.grouped_conv(x, w, b, [n.shape[0]], [w.shape[-1] // 2], [1], n.shape[1], "relu"),
        {"torch": lambda n, w, b, x: F.relu(F.conv2d(x, w, b, n.shape[0], w.shape[-1] // 2, 1, n.shape[1])),
         "in one": lambda n, w, b, x: OPS.conv2d_relu(x, w, b, [n.shape[0]], [w.shape[-1] // 2], [1], n.shape[1])},
        shapes, "2x4x8x8x14x3x1", {"rtol": 0.03, "atol": 0.03})


comparison.main([
    of_images("grouped_conv NHWC ResNeXt", torch.channels_last, RESNEXT),
    of_images("grouped_conv NHWC RegNet", torch.channels_last, REGNET),
    of_images("grouped_conv NHWC two groups", torch.channels_last, WIDE),
    of_images("grouped_conv NHWC one pixel", torch.channels_last, POINTWISE),
    of_images("grouped_conv NCHW RegNet", torch.contiguous_format, REGNET)])
