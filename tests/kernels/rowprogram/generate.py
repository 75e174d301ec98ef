"""Generated row programs with inputs, for comparisons: from a seed, so that a failure can be had again.

A case's inputs are of many layouts: dense, transposed, slices of wider tensors (rows that begin anywhere), broadcast along
rows, columns or both.
"""
import dataclasses
import random

import programs
import torch

UNARY = ("abs neg exp2 expm1 log1p sqrt rsqrt reciprocal square sin cos tanh atan erf sigmoid logsigmoid relu relu6 silu gelu "
         "gelu_tanh mish softplus softsign hardtanh hardswish hardsigmoid floor ceil round trunc sign").split()
POSITIVE = {"log1p", "sqrt", "rsqrt", "reciprocal"}  # are given values above zero
STEPS = {"floor", "ceil", "round", "trunc", "sign"}  # jump: where rounding decides, nothing can be compared
BINARY = "add sub mul maximum minimum".split()
REDUCTIONS = "sum mean max min var".split()
DTYPES = (torch.float32, torch.bfloat16, torch.float16)
# Columns and rows that every form meets: a few lanes, a warp, blocks, shared memory, several blocks a row, few rows.
SIZES = [(1, 1), (3, 7), (129, 32), (257, 96), (64, 127), (1000, 128), (33, 1000), (40, 1023), (16, 1024), (70, 4096), (9, 8192),
         (5, 16384), (3, 33000), (2, 131072), (1, 300000), (4, 65536), (1024, 3), (5000, 64)]


@dataclasses.dataclass
class Case:
    name: str
    text: str
    tensors: list

    def reference(self):
        """In float64, by the interpreter."""
        wide = [t.double() if t.is_floating_point() else t for t in self.tensors]
        return torch.ops.kadvise.row_program(self.text, wide)


def laid_out(draw, device, dtype, rows, columns):
    """Full size, however it lies."""
    kind = draw.choice(["dense"] * 4 + ["columns first", "slice", "odd slice", "every second row", "one row", "one column"])
    sizes = {"columns first": (columns, rows), "slice": (rows, columns + 16), "odd slice": (rows, columns + 3),
             "every second row": (2 * rows, columns), "one row": (1, columns), "one column": (rows, 1)}.get(kind, (rows, columns))
    values = torch.randn(sizes, generator=torch.Generator().manual_seed(draw.randrange(1 << 30))).to(device, dtype)
    views = {"columns first": lambda t: t.t(), "slice": lambda t: t[:, 8:8 + columns], "odd slice": lambda t: t[:, 1:1 + columns],
             "every second row": lambda t: t[::2], "one row": lambda t: t.expand(rows, columns) if draw.random() < 0.5 else t}
    return views.get(kind, lambda t: t)(values)


def statements(draw, names):
    """Some element-wise operators on the named values; the lines and the names that they give."""
    lines, given = [], []
    for _ in range(draw.randint(1, 5)):
        name = f"v{draw.randrange(1 << 40)}"
        if draw.random() < 0.5:
            operator = draw.choice([u for u in UNARY if u not in STEPS])
            operand = draw.choice(names)
            if operator in POSITIVE:
                lines += [f"{name}a = square {operand}", f"{name}b = add {name}a 0.25"]
                operand = f"{name}b"
            elif operator in ("exp2", "expm1"):
                lines.append(f"{name}a = clamp {operand} -8.0 4.0")
                operand = f"{name}a"
            lines.append(f"{name} = {operator} {operand}")
        else:
            other = draw.choice([*names, "0.5", "-1.25"])
            lines.append(f"{name} = {draw.choice(BINARY)} {draw.choice(names)} {other}")
        # A chain of squares must not leave what 16 bits hold.
        lines.append(f"{name}c = clamp {name} -30.0 30.0")
        names, given = [*names, f"{name}c"], [*given, f"{name}c"]
    return lines, given


def random_program(draw, dtype, count, reduces):
    name = str(dtype).removeprefix("torch.")
    inputs = [f"x{i}" for i in range(count)]
    lines = ["row_program 1", "rank 2", *(["reduce 1"] if reduces else []), *(f"{i} = in {name}" for i in inputs)]
    body, values = statements(draw, inputs)
    lines += body
    if reduces:
        operand = draw.choice(values)
        lines.append(f"r0 = {draw.choice(REDUCTIONS)} {operand}")
        lines += [f"r1 = add r0 {inputs[0]}", f"out r0 float32{draw.choice(['', ' drop'])}"]
        body, after = statements(draw, ["r1", operand])
        return "\n".join([*lines, *body, f"out {after[-1]} {name}"]) + "\n"
    return "\n".join([*lines, *(f"out {v} {name}" for v in values[-2:])]) + "\n"


def case(seed, device):
    draw = random.Random(seed)
    dtype, (rows, columns) = draw.choice(DTYPES), draw.choice(SIZES)
    if draw.random() < 0.5:
        program = draw.choice(programs.ALL)
        tensors = program.tensors("cpu", dtype, rows, columns, torch.Generator().manual_seed(seed))
        tensors = [t.to(device) if t.shape != (rows, columns) or draw.random() < 0.5
                   else laid_out(draw, device, dtype, rows, columns) for t in tensors]
        text = program.text(dtype)
        name = program.name
    else:
        count, reduces = draw.randint(1, 4), draw.random() < 0.5
        text, name = random_program(draw, dtype, count, reduces), "random"
        tensors = [laid_out(draw, device, dtype, rows, columns) for _ in range(count)]
        tensors[0] = torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed)).to(device, dtype)
    return Case(f"seed {seed}: {name} {dtype} {rows}x{columns} {[(tuple(t.shape), t.stride()) for t in tensors]}", text, tensors)
