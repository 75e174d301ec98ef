"""Linear layers and what follows them: the epilogue of the product, a kernel of ours behind a product without a bias,
torch's operators, torch.compile; and products of odd widths against padded ones.

    python3 linear_epilogue.py --library build/release/lib/libkadvise_kernels.so [--only gelu_tanh,add] [--warm]
                               [--without compile] [--device cuda|cpu] [--dtypes bfloat16,float32] [--json FILE]

Shapes are rows x in x out: BERT-base and GPT-2 (768, batch 2 x 128), ViT-B/16 (394 rows), DeiT-S (384), Llama (4096), and
larger batches. "own" is the kernel of ours where there is an epilogue to compare it with. Float32 is multiplied as torch's
flags say, that is not in TF32. comparison.py says what the columns are; the copy moves as many bytes as a product has to.
"""
import comparison
import torch

F = torch.nn.functional
OPS = torch.ops.kadvise
UP = "256x768x3072 394x768x3072 394x384x1536 4096x768x3072 8192x1024x4096"
DOWN = "256x3072x768 394x3072x768 394x1536x384 394x384x384 256x11008x4096 4096x3072x768 8192x4096x1024"
ODD = "256x768x50257 2048x768x50257 256x1024x1001 256x127x256 4096x1023x1024 4096x1023x1001"
CPU_SHAPES = "64x256x512"
TOLERANCE = {"rtol": 0.05, "atol": 0.05}


def operands(device, dtype, rows, inner, outer):
    weight = torch.randn(outer, inner, device=device, dtype=dtype) / inner**0.5
    return torch.randn(rows, inner, device=device, dtype=dtype), weight, torch.randn(outer, device=device, dtype=dtype)


def operands_and_sum(device, dtype, rows, inner, outer):
    return (*operands(device, dtype, rows, inner, outer), torch.randn(rows, outer, device=device, dtype=dtype))


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def compiled(function):
    return torch.compile(function, dynamic=False)


def moved(tensors_out):
    return lambda rows, inner, outer: rows * inner + inner * outer + tensors_out * rows * outer


def own(name):
    return lambda x, w, b: OPS.bias_activation(F.linear(x, w), b, name)


def activated(name, activation, addmm=None):
    def written(x, w, b):
        return activation(F.linear(x, w, b))

    rivals = {"own": own(name), "torch": written, "compile": compiled(written)}
    if addmm is not None:
        rivals["addmm_act"] = lambda x, w, b: torch.ops.aten._addmm_activation(b, x, w.t(), use_gelu=addmm)
    ours = lambda x, w, b: OPS.linear_activation(x, w, b, name)
    if addmm is None:  # no such epilogue
        ours = rivals.pop("own")
    return comparison.Benchmark(name, operands, moved(1), ours, rivals, UP, CPU_SHAPES, TOLERANCE)


def added(name, bias):
    def written(x, w, b, z):
        return z + F.linear(x, w, b if bias else None)

    rivals = {"torch": written, "compile": compiled(written)}
    if bias:
        rivals = {"own": lambda x, w, b, z: OPS.bias_add(F.linear(x, w), b, z), **rivals}
    return comparison.Benchmark(
        name, operands_and_sum, moved(2), lambda x, w, b, z: OPS.linear_add(x, w, b if bias else None, z), rivals, DOWN,
        CPU_SHAPES, TOLERANCE)


def bias_alone():
    """What the bias costs in the product, against a kernel for it: "own" is torch's add."""
    return comparison.Benchmark(
        "bias alone", operands, moved(1), lambda x, w, b: F.linear(x, w, b),
        {"own": lambda x, w, b: F.linear(x, w).add_(b)}, UP, CPU_SHAPES, TOLERANCE)


def padded(device, dtype, rows, inner, outer):
    x, w, _ = operands(device, dtype, rows, inner, outer)
    lanes = 16 // w.element_size()
    return x, w, F.pad(w, [0, -inner % lanes, 0, -outer % lanes])


def odd_width():
    def ours(x, w, wide):
        missing = wide.shape[1] - x.shape[1]
        return F.linear(F.pad(x, [0, missing]) if missing else x, wide)[..., :w.shape[0]]

    def written(x, w, wide):
        return F.linear(x, w)

    return comparison.Benchmark("odd width", padded, moved(1), ours, {"torch": written, "compile": compiled(written)}, ODD,
                                "64x127x129", TOLERANCE)


comparison.main([
    activated("relu", F.relu, addmm=False), activated("gelu_tanh", gelu_tanh, addmm=True), activated("gelu", F.gelu),
    activated("silu", F.silu), added("add", bias=True), added("add without a bias", bias=False), bias_alone(),
    odd_width(),
])
