"""kadvise::max_pool and kadvise::avg_pool against torch's operators, the largest value with a ReLU behind.

    python3 pool.py --library build/release/lib/libkadvise_kernels.so [--only "max_pool NHWC"] [--device cuda|cpu]
                    [--dtypes bfloat16,float32] [--shapes 32x64x112x3x2] [--rounds 15] [--json FILE]

Shapes are images x channels x height x kernel x stride, padded by half the kernel where it is odd; a volume is as deep as it
is high, a signal (NCL) one row of an image. NHWC is channels_last. comparison.py says what the columns are.
"""
import comparison
import torch

F = torch.nn.functional
OPS = torch.ops.kadvise
IMAGES = "32x64x112x3x2 32x256x56x2x2 8x64x224x2x2 32x192x28x3x1"
VOLUMES = "2x32x64x2x2 2x64x48x3x2 2x128x32x2x2 2x64x32x3x1"
SIGNALS = "32x64x16384x2x2 32x64x16384x3x1 32x64x16384x8x1 32x64x16384x8x8"
TOLERANCE = {"rtol": 0.02, "atol": 0.02}


def inputs_in(dims, channels_last):
    last = torch.channels_last if dims == 2 else torch.channels_last_3d  # there are no signals of it

    def inputs(device, dtype, images, channels, height, kernel, stride):
        x = torch.randn(images, channels, *[height] * dims, device=device, dtype=dtype)
        x = x.to(memory_format=last) if channels_last else x
        window = torch.empty(kernel, stride, 0, device=device, dtype=dtype)  # kernel and stride travel as its sizes
        return window, x

    return inputs


def windows(window):
    kernel, stride, _ = window.shape
    return kernel, stride, kernel // 2 * (kernel % 2)


def ours(kind):
    def run(window, x):
        kernel, stride, pad = windows(window)
        kernel, stride, pad = ([1, kernel], [1, stride], [0, pad]) if x.dim() == 3 else ([kernel], [stride], [pad])
        images = x.unsqueeze(2) if x.dim() == 3 else x
        if kind == "max":
            y = OPS.max_pool(images, kernel, stride, pad, [1], False, "relu")
        else:
            y = OPS.avg_pool(images, kernel, stride, pad, False, True, None, None)
        return y.squeeze(2) if x.dim() == 3 else y

    return run


def of_torch(kind):
    def run(window, x):
        dims = x.dim() - 2
        if kind == "max":
            return F.relu(getattr(F, f"max_pool{dims}d")(x, *windows(window)))
        return getattr(F, f"avg_pool{dims}d")(x, *windows(window))

    return run


NAMES = {1: ("NCL",), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
SHAPES = {1: (SIGNALS, "2x16x100x3x2"), 2: (IMAGES, "2x16x14x3x2"), 3: (VOLUMES, "1x8x8x2x2")}


def benchmark(kind, dims, channels_last):
    return comparison.Benchmark(
        f"{kind}_pool {NAMES[dims][channels_last]}", inputs_in(dims, channels_last),
        lambda images, channels, height, kernel, stride: images * channels * (height**dims + (height // stride) ** dims),
        ours(kind), {"torch": of_torch(kind)}, *SHAPES[dims], TOLERANCE)


comparison.main([benchmark(kind, dims, last) for kind in ("max", "avg") for dims, names in NAMES.items()
                 for last in range(len(names))])
