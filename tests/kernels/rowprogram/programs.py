"""The row programs that tests and benchmarks run: as text, and as torch's operators say the same.

A program's inputs are letters: w and b have one element a column, c has one a row, all others are of full size.
"""
import dataclasses
from typing import Callable

import torch
import torch.nn.functional as F

EPS = 1e-5


@dataclasses.dataclass
class Program:
    name: str
    inputs: str  # letters
    body: str  # statements; DT stands for the dtype
    aten: Callable  # torch's best operators
    reduces: bool = True
    written: Callable = None  # spelled out, what torch.compile is given; None: as aten
    passes: float = 2  # tensors of full size that are read or written

    def text(self, dtype):
        name = str(dtype).removeprefix("torch.")
        lines = ["row_program 1", "rank 2", *(["reduce 1"] if self.reduces else [])]
        lines += [f"{letter} = in {name}" for letter in self.inputs]
        return "\n".join([*lines, *self.body.replace("DT", name).strip().split("\n")]).replace("    ", "") + "\n"

    def tensors(self, device, dtype, rows, columns, generator=None):
        def normal(*sizes):
            return torch.randn(sizes, device=device, dtype=torch.float32, generator=generator).to(dtype)

        made = {"w": lambda: normal(columns), "b": lambda: normal(columns), "c": lambda: normal(rows, 1)}
        return [made.get(letter, lambda: normal(rows, columns))() for letter in self.inputs]

    def moved(self, rows, columns):
        """Elements."""
        return self.passes * rows * columns

    def plainly(self, *tensors):
        return (self.written or self.aten)(*tensors)


def layer_norm(x, w, b):
    return F.layer_norm(x, w.shape, w, b, EPS)


def rms_norm(x, w):
    return F.rms_norm(x, w.shape, w, EPS)


def with_sum(norm):
    def both(x, r, *parameters):
        total = x + r
        return [total, norm(total, *parameters)]
    return both


LAYER_NORM = "m = mean {0}\nd = sub {0} m\nv = var {0}\ne = add v 1e-05\nk = rsqrt e\nn = mul d k\np = mul n w\ny = add p b\n"
RMS_NORM = "q = square {0}\nm = mean q\ne = add m 1e-05\nk = rsqrt e\nn = mul {0} k\ny = mul n w\n"
SOFTMAX = "m = max {0}\nd = sub {0} m\nf = exp d\nz = sum f\ny = div f z\n"
OUT = "out y DT\n"

ALL = [
    Program("copy", "x", "out x DT", lambda x: [x.clone()], reduces=False),
    Program("add", "xr", "y = add x r\n" + OUT, lambda x, r: [x + r], reduces=False, passes=3),
    Program("gelu", "x", "y = gelu x\n" + OUT, lambda x: [F.gelu(x)], reduces=False),
    Program("gelu_tanh", "x", "y = gelu_tanh x\n" + OUT, lambda x: [F.gelu(x, approximate="tanh")], reduces=False),
    Program("silu_mul", "xr", "s = silu x\ny = mul s r\n" + OUT, lambda x, r: [F.silu(x) * r], reduces=False, passes=3),
    Program("bias_gelu", "xb", "s = add x b\ny = gelu s\n" + OUT, lambda x, b: [F.gelu(x + b)], reduces=False),
    Program("scales", "xcw", "s = mul x c\ny = mul s w\n" + OUT, lambda x, c, w: [x * c * w], reduces=False),
    Program("layer_norm", "xwb", LAYER_NORM.format("x") + OUT, lambda x, w, b: [layer_norm(x, w, b)]),
    Program("rms_norm", "xw", RMS_NORM.format("x") + OUT, lambda x, w: [rms_norm(x, w)]),
    Program("add_layer_norm", "xrwb", "s = add x r\nh = cast DT s\nout h DT\n" + LAYER_NORM.format("h") + OUT,
            with_sum(layer_norm), passes=4),
    Program("add_rms_norm", "xrw", "s = add x r\nh = cast DT s\nout h DT\n" + RMS_NORM.format("h") + OUT,
            with_sum(rms_norm), passes=4),
    Program("softmax", "x", SOFTMAX.format("x") + OUT, lambda x: [torch.softmax(x, -1)]),
    Program("scale_mask_softmax", "xk", "t = mul x 0.125\nu = add t k\n" + SOFTMAX.format("u") + OUT,
            lambda x, k: [torch.softmax(x * 0.125 + k, -1)], passes=3),
    Program("mean_var", "x", "m = mean x\nv = var x\nout m DT drop\nout v DT drop\n",
            lambda x: [x.mean(-1), x.var(-1, correction=0)], passes=1),
]


def named(name):
    return next(program for program in ALL if program.name == name)
