"""kadvise::conv2d_relu and conv2d_add_relu against torch's operators in a row.

    python3 conv_epilogue.py --library build/release/lib/libkadvise_kernels.so [--only conv2d_relu] [--device cuda|cpu]
                         [--dtypes bfloat16,float32] [--rounds 15] [--json FILE]

Shapes are images x channels x height x kernel, channels_last, as many channels out as in. The share of the copy says
how far from memory's limit a convolution is, not how good it is. comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
CONV_SHAPES = "2x64x56x3 2x256x14x3 32x64x56x3 32x256x14x3 32x256x56x1"
TOLERANCE = {"rtol": 0.05, "atol": 0.05}


def conv_inputs(device, dtype, images, channels, height, kernel):
    last = torch.channels_last
    x = torch.randn(images, channels, height, height, device=device, dtype=dtype).to(memory_format=last)
    weight = torch.randn(channels, channels, kernel, kernel, device=device, dtype=dtype).to(memory_format=last)
    return x, weight / (channels**0.5 * kernel), torch.randn(channels, device=device, dtype=dtype), torch.randn_like(x)


def same(weight):
    return weight.shape[-1] // 2


def conv(name, function, rival, tensors):
    return comparison.Benchmark(
        name, conv_inputs,
        lambda images, channels, height, kernel: tensors * images * channels * height**2 + channels**2 * kernel**2,
        function, {"torch": rival}, CONV_SHAPES, "2x16x28x3", TOLERANCE)


OPS = torch.ops.kadvise
comparison.main([
    conv("conv2d_relu", lambda x, w, b, z: OPS.conv2d_relu(x, w, b, 1, same(w)),
         lambda x, w, b, z: F.relu(F.conv2d(x, w, b, 1, same(w))), 2),
    conv("conv2d_add_relu", lambda x, w, b, z: OPS.conv2d_add_relu(x, w, z, None, b, 1, same(w)),
         lambda x, w, b, z: F.relu(F.conv2d(x, w, b, 1, same(w)) + z), 3),
])
