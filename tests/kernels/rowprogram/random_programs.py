"""Random row programs with inputs, and what they compute by torch's functions.

    program = RandomProgram(seed)      .text, .inputs, .reference(dtype) -> outputs

With dtype float64 nothing is rounded between operators; with float32 casts round as the text says. Programs that are
`smooth` make no large difference of a small one, so that another machine's roundings can be allowed for.
"""
import random

import torch
import torch.nn.functional as F

from torch_words import (BITS, BOOL, COMPARE, FLOAT, FLOATS, FLOATS_ONLY, INT, INTS, NUMBERS, ORDER, REDUCTIONS, SMOOTH,
                         SMOOTH_REDUCTIONS, TO_FLOAT, TRUTH, WORDS, arity, widest)

def laid_out(generator, tensor):
    """The same values in other memory: transposed, padded, every second, from an odd place."""
    kind = generator.choice(["dense", "dense", "transposed", "padded", "stepped", "shifted", "last"])
    if kind == "transposed" and tensor.dim() > 1:
        order = generator.sample(range(tensor.dim()), tensor.dim())
        back = [order.index(d) for d in range(tensor.dim())]
        return tensor.permute(order).contiguous().permute(back)
    if kind in ("padded", "stepped") and tensor.dim() > 0:
        step = 2 if kind == "stepped" else 1
        wide = torch.zeros(*tensor.shape[:-1], tensor.shape[-1] * step + 3, dtype=tensor.dtype)
        view = wide[..., 1:1 + tensor.shape[-1] * step:step]
        return view.copy_(tensor)
    if kind == "shifted":
        flat = torch.zeros(tensor.numel() + 1, dtype=tensor.dtype)
        return flat[1:].view(tensor.shape).copy_(tensor)
    if kind == "last" and tensor.dim() == 4:
        return tensor.contiguous(memory_format=torch.channels_last)
    return tensor


class Value:
    def __init__(self, name, type, extent, compute):
        self.name, self.type, self.extent, self.compute = name, type, extent, compute  # extent: "row" or "full"


def picked(lists, index):
    sizes = [i if own == 1 else own for own, i in zip(lists.shape, index.shape)]
    return lists.expand(*sizes, lists.shape[-1]).gather(-1, index.unsqueeze(-1)).squeeze(-1)


class RandomProgram:
    def __init__(self, seed, empty=False, smooth=False):
        self.smooth = smooth
        self.random = random.Random(seed)
        torch.manual_seed(seed)
        self.rank = self.random.randint(0, 4)
        self.sizes = [self.random.choice([1, 2, 3, 5, 8]) for _ in range(self.rank)]
        if empty and self.rank:
            self.sizes[self.random.randrange(self.rank)] = 0
        self.reduced = []
        if self.rank and self.random.random() < 0.7:
            self.reduced = sorted(self.random.sample(range(self.rank), self.random.randint(1, min(2, self.rank))))
        self.lines, self.values, self.inputs, self.outputs = [], [], [], []
        self.make_inputs()
        for _ in range(self.random.randint(2, 14)):
            self.make_statement()
        if self.reduced and not any(line.split()[2] in REDUCTIONS for line in self.lines):
            self.make_reduction("sum", self.pick([FLOAT], "full"))
        self.make_outputs()
        head = ["row_program 1", f"rank {self.rank}"]
        if self.reduced:
            head.append("reduce " + " ".join(map(str, self.reduced)))
        self.text = "\n".join(head + self.lines) + "\n"

    # ---- inputs

    def some(self, sizes, dtype):
        if dtype == torch.bool:
            return torch.rand(sizes) < 0.5
        if dtype in INTS:
            return torch.randint(0 if dtype == torch.uint8 else -9, 10, sizes).to(dtype)
        values = torch.randn(sizes) * self.random.choice([0.1, 1, 3])
        if values.numel() and self.random.random() < 0.2 and not self.smooth:
            special = self.random.choice([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
            values.view(-1)[self.random.randrange(values.numel())] = special
        return values.to(dtype)

    def add_input(self, name, tensor, type, word=""):
        place = len(self.inputs)
        self.inputs.append(tensor)
        self.lines.append(f"{name} = in {str(tensor.dtype)[6:]}{word}")
        value = Value(name, type, "full", lambda run: run.input(place))
        if not word:
            self.values.append(value)
        return value

    def make_inputs(self):
        tables = []
        if self.rank and self.random.random() < 0.3:
            table = laid_out(self.random, self.some([7, self.sizes[-1]], self.random.choice(FLOATS)))
            tables.append(self.add_input("t", table, FLOAT, " table"))
            index = torch.randint(0, 7, [*self.sizes[:-1], 1])
            self.add_input("j", laid_out(self.random, index), INT)
        lists = self.lists_and_index() if self.rank and self.random.random() < 0.3 else []
        for n in range(self.random.randint(1, 4)):
            dtype = torch.float32 if n == 0 else self.random.choice([*FLOATS, *FLOATS, *INTS, torch.bool])
            first = 0 if n == 0 else self.random.randint(0, self.rank)
            sizes = [1 if n and size and self.random.random() < 0.25 else size for size in self.sizes[first:]]
            type = BOOL if dtype == torch.bool else INT if dtype in INTS else FLOAT
            self.add_input(f"x{n}", laid_out(self.random, self.some(sizes, dtype)), type)
        for table in tables:
            index = next(v for v in self.values if v.name == "j")
            last = not self.reduced or self.rank - 1 in self.reduced
            self.add("g", f"take t {index.name}", FLOAT, "full" if last else index.extent,
                     lambda run, i=index, t=table: F.embedding(run(i).squeeze(-1), run(t)))
        if lists:
            self.add("h", "pick l k", FLOAT, "full", lambda run: picked(run(lists[0]), run(lists[1])))

    # Some lists stand for all in a dimension, and there may be more of them than the index has.
    def lists_and_index(self):
        index = torch.randint(0, 5, self.sizes)
        lead = [1 if size and self.random.random() < 0.3 else size + self.random.choice([0, 0, 1]) for size in self.sizes]
        lists = laid_out(self.random, self.some([*lead[self.random.randint(0, self.rank):], 5], self.random.choice(FLOATS)))
        return [self.add_input("l", lists, FLOAT, " lists"), self.add_input("k", laid_out(self.random, index), INT)]

    # ---- statements

    def add(self, name, statement, type, extent, compute):
        self.lines.append(f"{name} = {statement}")
        self.values.append(Value(name, type, extent, compute))

    def name(self):
        return f"v{len(self.lines)}"

    def pick(self, types, extent=None):
        fitting = [v for v in self.values if v.type in types and extent in (None, v.extent)]
        return self.random.choice(fitting) if fitting else None

    def number(self, type):
        if self.smooth:
            return self.random.choice(["0.5", "1", "-0.25", "1e-05"])
        if type == FLOAT and self.random.random() < 0.7:
            return self.random.choice(["0.5", "1e-05", "-2.0", "3.25", "inf", "-inf", "nan", "0.0"])
        return self.random.choice(["1", "2", "3", "7"])

    def operands(self, word, types):
        count = arity(word)
        chosen = [self.pick(types) for _ in range(count)]
        if chosen[0] is None:
            return None
        for place in range(1, count):
            if self.random.random() < 0.3:
                chosen[place] = self.number(chosen[0].type)
        return chosen

    def make_statement(self):
        kind = self.random.random()
        if kind < 0.2 and self.reduced:
            word = self.random.choice(SMOOTH_REDUCTIONS if self.smooth else [*REDUCTIONS])
            types = [BOOL] if word in ("any", "all") else [FLOAT] if self.smooth or word in ("mean", "var") else [INT, FLOAT]
            value = self.pick(types, "full")
            if value is not None and (len(self.reduced) == 1 or word not in ("argmax", "argmin", "prod")):
                self.make_reduction(word, value)
        elif kind < 0.3:
            self.make_cast(self.pick([FLOAT] if self.smooth else ORDER))
        elif (chosen := self.word_and_operands()) is not None:
            self.make_pointwise(*chosen)

    def word_and_operands(self):
        word = self.random.choice(SMOOTH if self.smooth else WORDS)
        types = [FLOAT] if word in FLOATS_ONLY else [INT, FLOAT] if word in NUMBERS else ORDER
        if word in BITS:
            types = [BOOL, INT]
        if self.smooth:
            types = [FLOAT]
        operands = self.operands(word, types)
        if operands is None:
            return None
        if word == "where" and (condition := self.pick([BOOL])) is not None:
            return word, [condition, *operands[1:]]
        divides = word in ("fmod", "remainder", "floor_div") and all(
            isinstance(o, str) or o.type == INT for o in operands)
        if divides:
            operands[1] = "3"  # a zero is an error
        if word in BITS and operands[0].type == BOOL:
            operands = [operands[0] if isinstance(o, str) else o for o in operands]
        return None if word == "where" else (word, operands)

    def make_pointwise(self, word, operands):
        computed_as = operands[1:] if word == "where" else operands
        type_of = lambda o: o.type if isinstance(o, Value) else INT if o.lstrip("-").isdigit() else FLOAT
        common = widest([type_of(o) for o in computed_as])
        tables = [(TO_FLOAT, FLOAT, FLOAT), (FLOATS_ONLY, FLOAT, FLOAT), (NUMBERS, common, common),
                  (COMPARE, common, BOOL), (TRUTH, BOOL, BOOL), (BITS, common, common), ({"where": torch.where}, common, common)]
        table, operand_type, type = next(row for row in tables if word in row[0])
        extent = "full" if any(o.extent == "full" for o in operands if isinstance(o, Value)) else "row"

        def compute(run):
            values = [run.operand(o, operand_type) for o in operands]
            if word == "where":
                values[0] = run(operands[0])
            if word == "pow" and isinstance(operands[1], str):
                values[1] = float(operands[1])
            return table[word](*values)

        words = " ".join(o if isinstance(o, str) else o.name for o in operands)
        self.add(self.name(), f"{word} {words}", type, extent, compute)

    def make_cast(self, value):
        dtype = self.random.choice(FLOATS if self.smooth else [*FLOATS, *INTS, torch.bool])
        if value.type == FLOAT and dtype in INTS:  # what does not fit is undefined in C++
            for word, operands in (("isnan", [value]), ("where", [None, "0.0", value]), ("clamp", [None, "0.0", "100.0"])):
                self.make_pointwise(word, [self.values[-1] if o is None else o for o in operands])
            value = self.values[-1]
        type = BOOL if dtype == torch.bool else INT if dtype in INTS else FLOAT
        self.add(self.name(), f"cast {str(dtype)[6:]} {value.name}", type, value.extent,
                 lambda run: run.cast(run(value), dtype))

    def make_reduction(self, word, value):
        type = {"any": BOOL, "all": BOOL, "argmax": INT, "argmin": INT}.get(word, value.type)
        self.add(self.name(), f"{word} {value.name}", type, "row",
                 lambda run: REDUCTIONS[word](run(value), self.reduced))

    def make_outputs(self):
        for value in self.random.sample(self.values, min(len(self.values), self.random.randint(1, 3))) + self.values[-1:]:
            dtype = {BOOL: torch.bool, INT: self.random.choice([torch.int64, torch.int32]),
                     FLOAT: self.random.choice(FLOATS)}[value.type]
            drops = value.extent == "row" and bool(self.reduced) and self.random.random() < 0.5
            contiguous = self.random.random() < 0.3
            words = [f"out {value.name} {str(dtype)[6:]}", *["drop"] * drops, *["contiguous"] * contiguous]
            self.lines.append(" ".join(words))
            self.outputs.append((value, dtype, drops))

    # ---- what it computes

    def reference(self, floats):
        return [self.output(Run(self, floats), *output) for output in self.outputs]

    def output(self, run, value, dtype, drops):
        result = run(value)
        dims = max(run.dims[value.name], 0)
        kept = [d for d in range(self.rank) if d >= self.rank - dims and not (drops and d in self.reduced)]
        result = result.reshape([result.shape[d] for d in kept])
        return result.to(run.floats if dtype.is_floating_point and run.floats == torch.float64 else dtype)


class Run:
    """One evaluation: values by name, in the program's rank, and how many dimensions torch would give them."""

    def __init__(self, program, floats):
        self.program, self.floats, self.values, self.dims, self.reading = program, floats, {}, {}, [0]

    def __call__(self, value):
        if value.name not in self.values:
            self.reading.append(0)
            self.values[value.name] = value.compute(self)
            self.dims[value.name] = self.reading.pop()
        self.reading[-1] = max(self.reading[-1], self.dims[value.name])
        return self.values[value.name]

    def input(self, place):
        tensor = self.program.inputs[place]
        type = FLOAT if tensor.dtype.is_floating_point else BOOL if tensor.dtype == torch.bool else INT
        is_table = self.program.lines[place].endswith("table")
        if self.program.lines[place].endswith("lists"):
            return tensor.reshape([1] * (self.program.rank + 1 - tensor.dim()) + list(tensor.shape)).to(self.floats)
        self.reading[-1] = max(self.reading[-1], 1 if is_table else tensor.dim())
        if is_table:
            return tensor.to(self.floats)
        return tensor.reshape([1] * (self.program.rank - tensor.dim()) + list(tensor.shape)).to(self.dtype(type))

    def dtype(self, type):
        return {BOOL: torch.bool, INT: torch.int64, FLOAT: self.floats}[type]

    def operand(self, operand, type):
        if isinstance(operand, str):
            wide = torch.tensor(float(operand), dtype=torch.float64, device=self.program.inputs[0].device)
            return wide.to(self.dtype(type))
        return self(operand).to(self.dtype(type))

    def cast(self, value, dtype):
        if dtype.is_floating_point:
            return value.to(self.floats) if self.floats == torch.float64 else value.to(dtype).to(self.floats)
        return value.to(dtype).to(torch.bool if dtype == torch.bool else torch.int64)
