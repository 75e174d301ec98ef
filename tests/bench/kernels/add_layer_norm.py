"""kadvise::add_layer_norm against torch's two operators, and what a call costs the host.

    python3 add_layer_norm.py --library build/release/lib/libkadvise_kernels.so [--device cuda|cpu]
                              [--dtypes bfloat16,float32] [--shapes 16384x4096,131072x128] [--rounds 15] [--json FILE]

Four passes over memory: x, residual, the sum, the normalized sum. comparison.py says what the columns are.
"""
import statistics
import time

import comparison
import torch

GPU_SHAPES = """131072x128 65536x256 32768x512 16384x768 16384x1024 8192x2048 16384x4096 8192x5120 8192x8192 4096x16384
2048x32768 512x65536 256x131072 16384x1000 16384x1023 4096x768 512x4096 256x768 16x131072 8x1048576"""
CPU_SHAPES = "8192x128 4096x768 2048x1023 1024x4096 64x65536"


def inputs(device, dtype, rows, length):
    tensors = [torch.randn(rows, length, device=device, dtype=dtype) for _ in range(2)]
    return (*tensors, *(torch.randn(length, device=device).to(dtype) for _ in range(2)))


def torch_way(x, residual, weight, bias):
    total = x + residual
    return torch.nn.functional.layer_norm(total, weight.shape, weight, bias), total


def kadvise_way(x, residual, weight, bias):
    return torch.ops.kadvise.add_layer_norm(x, residual, weight.shape, weight, bias, 1e-5)


def host_microseconds(way, device):
    """Host time of one call on a tiny input: the cost of Python, dispatch and launch."""
    arguments = inputs(device, torch.float32, 1, 768)
    samples = []
    for _ in range(20):
        begin = time.perf_counter()
        for _ in range(100):
            way(*arguments)
        samples.append((time.perf_counter() - begin) * 1e4)
        if device == "cuda":
            torch.cuda.synchronize()
    return statistics.median(samples)


comparison.main([comparison.Benchmark(
    "add_layer_norm", inputs, lambda rows, length: 4 * rows * length, kadvise_way, {"torch": torch_way}, GPU_SHAPES, CPU_SHAPES,
    {"rtol": 0.02, "atol": 0.05})])  # of a sum that is rounded before the norm, or not
device = "cuda" if torch.cuda.is_available() else "cpu"
with torch.inference_mode():
    host = {name: host_microseconds(way, device) for name, way in {"kadvise": kadvise_way, "torch": torch_way}.items()}
print(f"host time of a call on 1x768: kadvise {host['kadvise']:.1f} us, torch {host['torch']:.1f} us")
