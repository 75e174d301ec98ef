"""The words of row programs by torch's functions, written a second time."""
import torch
import torch.nn.functional as F

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
BOOL, INT, FLOAT = "bool", "int", "float"

# Word -> function. Operands come in the type that the text computes in.
TO_FLOAT = {
    "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1, "log": torch.log, "log2": torch.log2,
    "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal, "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "tanh": torch.tanh,
    "sinh": torch.sinh, "cosh": torch.cosh, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan,
    "erf": torch.erf, "erfc": torch.erfc, "sigmoid": torch.sigmoid, "div": torch.true_divide, "atan2": torch.atan2,
}
FLOATS_ONLY = {
    "logsigmoid": F.logsigmoid, "relu6": F.relu6, "silu": F.silu, "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "mish": F.mish, "softplus": F.softplus,
    "softsign": F.softsign, "hardtanh": F.hardtanh, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
    "pow": torch.pow, "leaky_relu": lambda x, slope: torch.where(x > 0, x, x * slope),
    "elu": lambda x, alpha: torch.where(x > 0, x, torch.expm1(x) * alpha),
    "fma": lambda a, b, c: (a.double() * b.double() + c.double()).to(a.dtype),
}
NUMBERS = {
    "abs": torch.abs, "neg": torch.neg, "square": torch.square, "relu": torch.relu, "floor": torch.floor,
    "ceil": torch.ceil, "round": torch.round, "trunc": torch.trunc, "sign": torch.sign, "add": torch.add,
    "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum, "fmod": torch.fmod,
    "remainder": torch.remainder, "floor_div": torch.floor_divide,
    "clamp": lambda x, low, high: torch.clamp(x, low, high),
}
COMPARE = {"isnan": torch.isnan, "isinf": torch.isinf, "eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le,
           "gt": torch.gt, "ge": torch.ge}
TRUTH = {"not": torch.logical_not, "and": torch.logical_and, "or": torch.logical_or, "xor": torch.logical_xor}
BITS = {"bit_and": torch.bitwise_and, "bit_or": torch.bitwise_or, "bit_xor": torch.bitwise_xor,
        "bit_not": torch.bitwise_not}
REDUCTIONS = {
    "sum": lambda x, d: x.sum(d, keepdim=True), "mean": lambda x, d: x.mean(d, keepdim=True),
    "max": lambda x, d: x.amax(d, keepdim=True), "min": lambda x, d: x.amin(d, keepdim=True),
    "var": lambda x, d: (x - x.mean(d, keepdim=True)).square().mean(d, keepdim=True),
    "any": lambda x, d: x.any(d, keepdim=True), "all": lambda x, d: x.all(d, keepdim=True),
    "argmax": lambda x, d: x.argmax(d[0], keepdim=True), "argmin": lambda x, d: x.argmin(d[0], keepdim=True),
    "prod": lambda x, d: x.prod(d[0], keepdim=True),
}
ORDER = [BOOL, INT, FLOAT]
OPERANDS = {1: set("""abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal square sin cos tan tanh sinh cosh
                      asin acos atan erf erfc sigmoid logsigmoid relu relu6 silu gelu gelu_tanh mish softplus softsign
                      hardtanh hardswish hardsigmoid floor ceil round trunc sign isnan isinf not bit_not""".split()),
            3: {"where", "clamp", "fma"}}
SMOOTH = """sigmoid tanh sin cos erf silu gelu gelu_tanh relu softplus softsign hardtanh hardswish abs neg mish
            add sub mul maximum minimum where leaky_relu fma""".split()
SMOOTH_REDUCTIONS = ["mean", "max", "min", "var", "sum"]
WORDS = [*TO_FLOAT, *FLOATS_ONLY, *NUMBERS, *COMPARE, *TRUTH, *BITS, "where"]


def arity(word):
    return next((n for n, words in OPERANDS.items() if word in words), 2)


def widest(types):
    return max(types, key=ORDER.index)
