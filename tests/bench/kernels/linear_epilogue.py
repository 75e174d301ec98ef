"""Linear layers and what follows them, by cuBLASLt's epilogues, against torch's operators and torch.compile; and
products of odd widths against padded ones.

    python3 linear_epilogue.py --library build/release/lib/libkadvise_kernels.so [--only gelu_tanh,add] [--warm]
                               [--without compile] [--device cuda|cpu] [--dtypes bfloat16,float32] [--json FILE]

Shapes are rows x in x out: BERT-base and GPT-2 (768, batch 2 x 128), ViT-B/16 (394 rows), DeiT-S (384), Llama (4096),
and larger batches. Float32 is multiplied as torch's flags say, that is not in TF32. comparison.py says what the columns
are; the copy moves as many bytes as a product has to.
"""
import comparison
import torch

F = torch.nn.functional
OPS = torch.ops.kadvise
UP = "256x768x3072 394x768x3072 394x384x1536 4096x768x3072 8192x1024x4096"
DOWN = "256x3072x768 394x3072x768 394x1536x384 394x384x384 256x11008x4096 4096x3072x768 8192x4096x1024"
BOTH = UP + " 394x384x1152 " + DOWN
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


def against_torch(name, inputs, ours, written, results, shapes, more=None):
    """`results`: how many tensors of the result's size are read and written."""
    rivals = {"torch": written, **(more or {}), "compile": torch.compile(written, dynamic=False)}

    def moved(rows, inner, outer):
        return rows * inner + inner * outer + results * rows * outer

    return comparison.Benchmark(name, inputs, moved, ours, rivals, shapes, CPU_SHAPES, TOLERANCE)


def activated(name, activation, addmm=None):
    more = {}
    if addmm is not None:
        more = {"addmm_act": lambda x, w, b: torch.ops.aten._addmm_activation(b, x, w.t(), use_gelu=addmm)}
    return against_torch(name, operands, lambda x, w, b: OPS.linear_activation(x, w, b, name),
                         lambda x, w, b: activation(F.linear(x, w, b)), 1, UP, more)


def bias():
    return against_torch("bias", operands, lambda x, w, b: OPS.linear(x, w, b),
                         lambda x, w, b: F.linear(x, w, b), 1, BOTH)


def added():
    return against_torch("add", operands_and_sum, lambda x, w, b, z: OPS.linear_add(x, w, b, z),
                         lambda x, w, b, z: z + F.linear(x, w, b), 2, DOWN)


def added_without_bias():
    return against_torch("add, no bias", operands_and_sum, lambda x, w, b, z: OPS.linear_add(x, w, None, z),
                         lambda x, w, b, z: z + F.linear(x, w), 2, DOWN)


def padded(device, dtype, rows, inner, outer):
    """The third is the weight as it would be stored."""
    x, w, _ = operands(device, dtype, rows, inner, outer)
    return x, w, F.pad(w, [0, -inner % 8, 0, -outer % 8])


def with_padded_weight(x, w, wide):
    missing = wide.shape[1] - x.shape[1]
    return F.linear(F.pad(x, [0, missing]) if missing else x, wide)[..., :w.shape[0]]


def odd_width():
    return against_torch("odd width", padded, with_padded_weight, lambda x, w, wide: F.linear(x, w), 1, ODD)


comparison.main([
    activated("relu", F.relu, addmm=False), activated("gelu_tanh", gelu_tanh, addmm=True), activated("gelu", F.gelu),
    activated("silu", F.silu), bias(), added(), added_without_bias(), odd_width(),
])
