"""Every hand-written operator over drawn small cases, on a GPU against its CPU form: few enough launches for
compute-sanitizer (sanitize.sh runs this under each of its tools).

  small_cases.py --library build/release/lib/libkadvise_kernels.so [--cases 20] [--only NAME,…]
"""
import argparse
import random
import sys

import torch

TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}  # of the largest value
ACTIVATIONS = ("relu", "silu", "gelu")


class Drawing:
    """Tensors and choices of one case; a tensor is sometimes strided, or begins at an odd address."""

    def __init__(self, seed):
        self.choice = random.Random(seed)
        self.values = torch.Generator().manual_seed(seed)
        self.dtype = self.of(list(TOLERANCE))

    def of(self, values):
        return self.choice.choice(values)

    def size(self, most):
        return self.of((1, 2, 3, 7, 8, 31, 32, 33, 64, 100, 127, 128, 200, 257, 512, 1000, 1023)[:most])

    def maybe(self, tensor):
        return self.of((tensor, None))

    def tensor(self, *sizes, dtype=None, scale=1.0):
        dtype = dtype or self.dtype
        count = 1
        for s in sizes:
            count *= s
        flat = (torch.randn(count + 1, generator=self.values) * scale).to(dtype)
        return flat[1:].view(sizes) if self.of((True, False, False)) else flat[:count].clone().view(sizes)

    def image(self, most=9):
        x = self.tensor(self.of((1, 2, 3)), self.of((2, 4, 8, 24, 64)), self.size(most), self.size(most))
        return x.contiguous(memory_format=torch.channels_last) if self.of((True, False)) else x


def group_norm(d):
    x = d.image()
    groups = d.of([g for g in (1, 2, 4, 8) if x.shape[1] % g == 0])
    weight, bias, activation = d.maybe(d.tensor(x.shape[1])), d.maybe(d.tensor(x.shape[1])), d.of((None, "silu", "leaky_relu"))
    shift = d.of((None, d.tensor(x.shape[1]), d.tensor(*x.shape[:2])))
    # Channels first torch adds it, and what it writes is not watched.
    is_last = x.is_contiguous(memory_format=torch.channels_last)
    return x, groups, weight, bias, 1e-5, activation, 0.2, shift if is_last else None


def instance_norm(d):
    x = d.image()
    return x, d.maybe(d.tensor(x.shape[1])), d.maybe(d.tensor(x.shape[1])), 1e-5, d.of((None, "relu", "leaky_relu")), 0.01


def depthwise_signal(d):
    x, k = d.tensor(d.of((1, 2)), d.of((2, 8, 24)), d.of((64, 129, 500, 1000))), d.of((2, 4, 9, 10, 31, 34, 40))
    padding = d.of(([k // 2], [k - 1, 0], [0, 1]))
    return x, d.tensor(x.shape[1], 1, k, scale=0.2), d.maybe(d.tensor(x.shape[1])), [1], padding, [1], d.of((None, "relu", "silu"))


def depthwise_conv(d):
    sizes = (7, 14, 31, 32, 56)  # large ones of 16 bits are products of matrices
    if d.of((True, False, False)):
        return depthwise_signal(d)
    x, k = d.tensor(d.of((1, 2)), d.of((2, 8, 24)), d.of(sizes), d.of(sizes)), d.of((3, 5, 7, 9))
    x = x.contiguous(memory_format=torch.channels_last) if d.of((True, False)) else x
    bias = d.maybe(d.tensor(x.shape[1]))
    padding = d.of(([k // 2] * 2, [0, 1, k // 2, k - 1]))
    return x, d.tensor(x.shape[1], 1, k, k, scale=0.2), bias, [1, 1], padding, [1, 1], d.of((None, "relu", "silu"))


def grouped_conv(d):
    x, groups, k = d.image(14), d.of((1, 2)), d.of((1, 3))
    results, bias = d.of((2, 4, 6, 16)), d.of((True, False))
    weight = d.tensor(groups * results, x.shape[1] // groups, k, k, scale=0.2)
    x, weight = (t.half().to(t.dtype) for t in (x, weight))  # which TF32 holds
    activation = d.of((None, "relu", "silu"))
    return x, weight, d.tensor(groups * results) if bias else None, [1, 1], [k // 2] * 2, [1, 1], groups, activation


def window(d):
    k = d.of((2, 3, 4, 5))
    return [k, k], [d.of((1, 2, k))] * 2, [d.of((0, 1))] * 2


def image_of_five(d):  # every window of at most five has something to read
    x = d.image()
    return x if min(x.shape[2:]) >= 5 else torch.nn.functional.pad(x, (2, 2, 2, 2))


def max_pool(d):
    return image_of_five(d), *window(d), [1, 1], d.of((True, False)), d.of((None, "relu"))


def avg_pool(d):
    return image_of_five(d), *window(d), d.of((True, False)), d.of((True, False)), None, d.of((None, "relu"))


def resized(d):
    factor = d.of((1.5, 2.0, 4.0))
    return d.image(), *d.of((([d.size(9), d.size(9)], None), (None, [factor, factor]))), d.of((True, False))


def upsample_nearest(d):
    return resized(d)


def upsample_bilinear(d):
    return resized(d)


def upsample_bicubic(d):
    return resized(d)


def prefix_scan(d):
    x, kind = d.tensor(d.size(5), d.size(17), d.size(6)), d.of(("sum", "prod", "logsumexp"))
    if kind == "prod":
        x.mul_(0.05).add_(1)  # long products stay finite
    return x, d.of((0, 1, 2)), kind, d.of((True, False)), d.of((True, False)), None


def causal_conv1d(d):
    channels, k = d.of((4, 8, 64, 100)), d.of((2, 3, 4))
    return d.tensor(d.of((1, 2)), channels, d.size(17)), d.tensor(channels, 1, k), d.maybe(d.tensor(channels)), d.of((True, False))


def selective_scan(d):
    batch, channels, length, states = d.of((1, 2)), d.of((4, 32, 48)), d.size(14), d.of((8, 16))
    dt = d.tensor(batch, channels, length, scale=0.1).abs()
    a = -d.tensor(channels, states, dtype=torch.float32).abs()
    b, c = d.tensor(batch, states, length), d.tensor(batch, states, length)
    return d.tensor(batch, channels, length), dt, a, b, c, None, None, None, False


def gather_scatter_add(d):
    nodes, edges, width = d.size(12), d.size(17), d.of((1, 4, 7, 32, 64))
    ends = [torch.randint(nodes, (edges,), generator=d.values) for _ in range(2)]
    return d.tensor(nodes, width), *ends, d.maybe(d.tensor(edges)), nodes


def rope(d):
    length, width = d.size(12), d.of((8, 32, 64))
    angles = torch.rand(length, width, generator=d.values) * 6
    return d.tensor(d.of((1, 2)), d.of((1, 4)), length, width), angles.cos().to(d.dtype), angles.sin().to(d.dtype), False, width


def rows(d):
    return d.tensor(d.size(8), d.size(17))


def rms_norm(d):
    x = rows(d)
    return x, d.maybe(d.tensor(x.shape[1])), 1e-5, d.of((True, False))


def add_rms_norm(d):
    x = rows(d)
    return x, d.tensor(*x.shape), d.maybe(d.tensor(x.shape[1])), 1e-5, d.of((True, False))


def add_layer_norm(d):
    x = rows(d)
    return x, d.tensor(*x.shape), [x.shape[1]], d.maybe(d.tensor(x.shape[1])), d.maybe(d.tensor(x.shape[1])), 1e-5


def gated_activation(d):
    x = rows(d)
    return x, d.tensor(*x.shape), d.of(ACTIVATIONS)


def activation(d):
    return rows(d), d.of(ACTIVATIONS)


def soft_cap(d):
    return rows(d), d.of((5.0, 30.0))


def contiguous(d):
    x = d.tensor(d.of((1, 2, 3)), d.size(8), d.size(8), d.of((1, 4, 24)))
    return (x.permute(d.of(((0, 2, 1, 3), (3, 2, 1, 0), (0, 3, 1, 2), (2, 0, 3, 1)))),)


def window_attention(d):
    batches, heads, width, tokens = d.of((1, 2, 6)), d.of((1, 3)), d.of((8, 32, 40, 64)), d.of((1, 16, 31, 49, 56, 64))
    q, k, v = (d.tensor(batches, tokens, heads, width).transpose(1, 2) for _ in range(3))
    bias = d.maybe(d.tensor(d.of([g for g in (1, 2, batches) if batches % g == 0]), d.of((1, heads)), tokens, tokens))
    return q, k, v, bias, bias is None and d.of((True, False)), d.of((0.25, None))


def roll(d):
    x = d.tensor(d.of((1, 2)), d.of((1, 7, 14)), d.of((7, 8, 33)), d.of((1, 3, 8, 32)))
    return x, [d.of((-3, 0, 5)), d.of((-20, 1))], [1, d.of((2, 3))]



def scatter_slices(d):
    sizes = [d.of((1, 3)), d.of((4, 9)), d.of((8, 16, 33))]
    inner = d.of((1, 4, 8))
    parts = [d.tensor(sizes[0], sizes[1], inner), d.tensor(1, sizes[1] // 2, sizes[2] - 1), d.tensor(inner)]
    slices = [1, 2, 0, inner, 1, 2, 1, 1, sizes[1] // 2 * 2, 2, 2, 1, 1 << 62, 1, 2, 0, -1, 0, 0, 1, -inner, 1 << 62, 1]
    return parts, slices, sizes, d.of((0.0, -1.5))


def constant_pad_nd(d):
    x = d.tensor(d.of((1, 2)), d.of((3, 8)), d.of((1, 7)), d.of((8, 16, 33)))
    return x, [d.of((0, 1, 8)), d.of((0, 3)), d.of((0, 2)), 1][: d.of((2, 4))], d.of((0.0, -1.5))


# Those with kernels of ours; products and convolutions by cuBLAS and cuDNN have none.
OPERATORS = (group_norm, instance_norm, depthwise_conv, grouped_conv, max_pool, avg_pool, upsample_nearest,
             upsample_bilinear, upsample_bicubic, prefix_scan, causal_conv1d, selective_scan, gather_scatter_add, rope, rms_norm, add_rms_norm,
             add_layer_norm, gated_activation, activation, soft_cap, contiguous, window_attention, roll, scatter_slices, constant_pad_nd)


def moved(argument):
    if isinstance(argument, (list, tuple)):
        return [moved(a) for a in argument]
    return argument.to("cuda") if isinstance(argument, torch.Tensor) else argument


def largest(x):
    return x.abs().max().item() if x.numel() else 0.0


def difference(ours, reference, dtype):
    """What is wrong with a result; nothing when it is near enough."""
    pairs = zip(ours, reference) if isinstance(ours, tuple) else [(ours, reference)]
    for a, b in pairs:
        a, b = a.cpu().double(), b.double()
        far = largest((a - b)[a != b])  # infinities may be equal, too
        most = max(1.0, largest(b[b.isfinite()]))
        if not far <= TOLERANCE[dtype] * most * 4:
            return f"{far:.3g} away, of values up to {most:.3g}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="cpu: the cases themselves are tried")
    args = parser.parse_args()
    torch.ops.load_library(args.library)
    chosen = [o for o in OPERATORS if not args.only or o.__name__ in args.only.split(",")]
    failed = 0
    for make in chosen:
        operator, wrong = getattr(torch.ops.kadvise, make.__name__), []
        for case in range(args.cases):
            d = Drawing(case)
            arguments = make(d)
            reference = operator(*arguments)
            ours = operator(*(moved(arguments) if args.device == "cuda" else arguments))
            if text := difference(ours, reference, d.dtype):
                wrong.append(f"case {case} ({d.dtype}): {text}")
        failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok  '} {make.__name__}, {args.cases} cases", *wrong, sep="\n     ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    with torch.inference_mode():
        sys.exit(main())
