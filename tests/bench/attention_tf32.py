#!/usr/bin/env python3
"""Does scaled_dot_product_attention compute float32 in TF32 where the user allows it for products, and what does it cost?

  attention_tf32.py [--tokens 1024]

For both settings of `torch.set_float32_matmul_precision`: the error of each form against float64, relative to the output's
scale, and the median time of a call. The rule fusion/attention-written-out rests on this table.
"""
import argparse
import statistics

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

BATCH, HEADS, WIDTH = 2, 8, 64


def written_out(q, k, v):
    return ((q @ k.transpose(-1, -2)) / WIDTH**0.5).softmax(-1) @ v


def by(backend):
    def call(q, k, v):
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    return call


FORMS = {"written out": written_out, "memory-efficient": by(SDPBackend.EFFICIENT_ATTENTION), "math": by(SDPBackend.MATH)}


def median_us(call, inputs, blocks=15, calls=20):
    for _ in range(calls):
        call(*inputs)
    times = []
    for _ in range(blocks):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            call(*inputs)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / calls)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=1024)
    tokens = parser.parse_args().tokens
    torch.manual_seed(0)
    inputs = [torch.randn(BATCH, HEADS, tokens, WIDTH, device="cuda") for _ in range(3)]
    truth = written_out(*(t.double() for t in inputs))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; q, k, v of {BATCH} x {HEADS} x {tokens} x {WIDTH} in float32")
    print(f"{'products':10}{'form':20}{'error / scale':>14}{'a call':>12}")
    for precision in ("highest", "high"):
        torch.set_float32_matmul_precision(precision)
        for name, call in FORMS.items():
            with torch.inference_mode():
                error = float((call(*inputs).double() - truth).norm() / truth.norm())
                print(f"{precision:10}{name:20}{error:14.1e}{median_us(call, inputs):9.1f} us")


if __name__ == "__main__":
    main()
