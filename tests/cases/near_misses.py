"""Modules that nearly are what a rule wants: each is silent, and why-not says what differs.

Each is (rule, part, words that the reason must have). A part is forward's body over x: float32[2,6,32] or, for
images, float32[2,4,8,8], with the attributes of Parts.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

HEADS = """
    b, t, c = x.shape
    q = self.q(x).view(b, t, 4, 8).transpose(1, 2)
    k = self.k(x).view(b, t, 4, 8).transpose(1, 2)
    v = self.v(x).view(b, t, 4, 8).transpose(1, 2)
"""
ROTATE = """
    q = self.q(x)
    half = q[..., :16], q[..., 16:]
    turned = torch.cat(({0}half[1], {1}half[0]), -1)
"""

NEAR_MISSES = {
    "softmax over another dimension": ("fusion/attention-written-out", HEADS + """
    w = torch.softmax(q @ k.transpose(-1, -2) / 2.0, 1)
    return w @ v""", ["`dim` of aten::softmax is 1, the rule wants -1"]),
    "scores scaled by a learned tensor": ("fusion/attention-written-out", HEADS + """
    w = torch.softmax(q @ k.transpose(-1, -2) * self.temperature, -1)
    return w @ v""", ["aten::mul with a tensor (the parameter temperature) where the rule wants a number"]),
    "scores capped by tanh": ("fusion/attention-written-out", HEADS + """
    w = torch.softmax(torch.tanh(q @ k.transpose(-1, -2) / 50.0) * 50.0, -1)
    return w @ v""", ["aten::tanh", "aten::matmul"]),
    "dropout that is always on": ("fusion/attention-written-out", HEADS + """
    w = F.dropout(torch.softmax(q @ k.transpose(-1, -2) / 2.0, -1), 0.5, True)
    return w @ v""", ["aten::dropout", "aten::softmax"]),
    "scores that are wanted too": ("fusion/attention-written-out", HEADS + """
    w = torch.softmax(q @ k.transpose(-1, -2) / 2.0, -1)
    return w @ v + w.sum()""", ["also used by aten::sum"]),
    "a mean over the tokens": ("fusion/layer-norm-written-out", """
    m = x.mean(1, keepdim=True)
    s = (x - m).pow(2).mean(-1, keepdim=True)
    return (x - m) / torch.sqrt(s + 1e-5) * self.weight + self.bias""", ["`dim` of aten::mean is [1], the rule wants [-1]"]),
    "another power": ("fusion/layer-norm-written-out", """
    m = x.mean(-1, keepdim=True)
    s = (x - m).pow(4).mean(-1, keepdim=True)
    return (x - m) / torch.sqrt(s + 1e-5) * self.weight + self.bias""", ["aten::pow is 4, the rule wants 2"]),
    "eps outside the root": ("fusion/rms-norm-written-out", """
    s = x.pow(2).mean(-1, keepdim=True)
    return x / (torch.sqrt(s) + 1e-6) * self.weight""", ["aten::sqrt", "aten::add"]),
    "a sum in place of the mean": ("fusion/rms-norm-written-out", """
    s = x.pow(2).sum(-1, keepdim=True)
    return x * torch.rsqrt(s + 1e-6) * self.weight""", ["aten::sum", "aten::mean"]),
    "a norm of another tensor": ("fusion/rms-norm-written-out", """
    s = torch.tanh(x).pow(2).mean(-1, keepdim=True)
    return x * torch.rsqrt(s + 1e-6) * self.weight""", ["the result of aten::tanh", "one value in both places"]),
    "another slope in the tanh": ("fusion/gelu-written-out", """
    h = self.q(x)
    return 0.5 * h * (1.0 + torch.tanh(0.9 * (h + 0.044715 * h * h * h)))""", ["the factor in the tanh is not sqrt(2 / pi)"]),
    "erf of something else": ("fusion/gelu-written-out", """
    h = self.q(x)
    return 0.5 * h * (1.0 + torch.erf(x / 1.4142135623730951))""", ["the first operand of aten::div is the input x", "one value"]),
    "minus erf": ("fusion/gelu-written-out", """
    h = self.q(x)
    return 0.5 * h * (1.0 + torch.erfc(h / 1.4142135623730951))""", ["aten::erfc", "aten::erf"]),
    "the sigmoid of another tensor": ("fusion/silu-written-out", """
    return self.q(x) * torch.sigmoid(self.k(x))""", ["one value in both places"]),
    "quick GELU with a sum": ("fusion/quick-gelu", """
    h = self.q(x)
    return h * torch.sigmoid(1.702 + h)""", ["aten::add", "aten::mul"]),
    "no residual": ("fusion/add-layer-norm", """
    return F.layer_norm(self.q(x), (32,), self.weight, self.bias)""", ["made by aten::linear, the rule wants aten::add"]),
    "a residual that is broadcast": ("fusion/add-layer-norm", """
    return F.layer_norm(x + self.bias, (32,), self.weight, self.bias)""", ["differ in shape"]),
    "a residual scaled": ("fusion/add-rms-norm", """
    h = torch.add(self.q(x), x, alpha=2)
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight""", ["`alpha` of aten::add is 2, the rule wants 1"]),
    "a gate that is wanted too": ("fusion/gated-activation", """
    g = F.silu(self.q(x))
    return g * self.k(x) + g""", ["also used by aten::add"]),
    "a gate of another kind": ("fusion/gated-activation", """
    return F.softplus(self.q(x)) * self.k(x)""", ["aten::softplus"]),
    "halves turned the wrong way": ("fusion/rope", ROTATE.format("", "-") + """
    return q * self.cos + turned * self.sin""", ["aten::neg"]),
    "cos of the turned half": ("fusion/rope", ROTATE.format("-", "") + """
    return q * self.cos + q * self.sin""", ["aten::cat"]),
    "log of a sum": ("fusion/log-softmax", """
    return torch.log(torch.softmax(x, -1) + 1e-9)""", ["made by aten::add, the rule wants aten::softmax"]),
    "softmax that is wanted too": ("fusion/log-softmax", """
    p = torch.softmax(x, -1)
    return torch.log(p) * p""", ["also used by aten::mul"]),
    "a product that is wanted too": ("fusion/linear-activation", """
    h = self.q(x)
    return torch.relu(h) + h""", ["also used by aten::add"]),
    "a product that is wanted beside its residual sum": ("fusion/linear-add", """
    h = self.q(x)
    return (x + h) * h""", ["also used by aten::mul"]),
    "products of different inputs": ("fusion/sibling-linears", """
    return self.q(x) + self.k(x * 2)""", ["no two products with parameters read the same value"]),
    "batch norm in training mode": ("fusion/conv-batch-norm", """
    y = F.conv2d(image, self.kernel, None, 1, 1)
    return F.batch_norm(y, self.mean, self.variance, None, None, True)""", ["`training` of aten::batch_norm is True, the rule wants False"]),
    "a computed kernel": ("fusion/conv-batch-norm", """
    y = F.conv2d(image, self.kernel * image.mean(), None, 1, 1)
    return F.batch_norm(y, self.mean, self.variance)""", ["is computed by the module; the rule wants a parameter for"]),
    "a convolution that is wanted too": ("fusion/conv-relu", """
    y = F.conv2d(image, self.kernel, None, 1, 1)
    return torch.relu(y) + y""", ["also used by aten::add"]),
    "another activation": ("fusion/conv-relu", """
    y = F.conv2d(image, self.kernel, None, 1, 1)
    return torch.relu(torch.tanh(y))""", ["aten::tanh", "conv"]),
    "patches that overlap": ("fusion/conv-of-patches", """
    return F.conv2d(image, self.kernel, None, 2)""", ["the stride is not the size of the kernel"]),
    "no position to add": ("fusion/embedding-sum-norm", """
    return F.layer_norm(F.embedding(x[..., 0].long().clamp(0, 9), self.table), (32,), self.weight, self.bias)""", ["made by aten::embedding, the rule wants aten::add"]),
}


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(32, 32) for _ in range(3))
        self.weight, self.bias = nn.Parameter(torch.ones(32)), nn.Parameter(torch.zeros(32))
        self.temperature = nn.Parameter(torch.ones(1))
        self.table = nn.Parameter(torch.randn(10, 32))
        self.kernel = nn.Parameter(torch.randn(4, 4, 3, 3))
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("variance", torch.ones(4))
        angles = torch.arange(6)[:, None] / 10000 ** (torch.arange(16) / 16)
        self.register_buffer("cos", torch.cat((angles, angles), -1).cos())
        self.register_buffer("sin", torch.cat((angles, angles), -1).sin())


# Rules that look for parts of one another's places: their near misses would hide each other.
FAMILIES = [{"fusion/layer-norm-written-out", "fusion/rms-norm-written-out", "fusion/add-rms-norm"},
            {"fusion/gated-activation", "fusion/silu-written-out", "fusion/quick-gelu"},
            {"fusion/sibling-linears", "fusion/attention-written-out", "fusion/gated-activation", "fusion/silu-written-out"}]


def together(rules, rule):
    return rule not in rules and not any(rule in family and family & rules for family in FAMILIES)


def rounds():
    """The near misses in as few modules as may be: a module has at most one of each rule and family."""
    left, out = dict(NEAR_MISSES), []
    while left:
        taken = {}
        for name, (rule, *_) in left.items():
            if together(set(taken), rule):
                taken[rule] = name
        out.append(sorted(taken.values()))
        for name in taken.values():
            del left[name]
    return out


def module_of(names, folder):
    """One class with a method for each near miss, in a file, since scripting reads the source; and the lines of each."""
    lines = {}
    text = "from near_misses import *\n\n\nclass Round(Parts):\n"
    for i, name in enumerate(names):
        first = text.count("\n") + 1
        text += f"    def part{i}(self, x: Tensor, image: Tensor):\n" + "".join("    " + line + "\n" for line in NEAR_MISSES[name][1].strip("\n").splitlines())
        lines[name] = range(first, text.count("\n") + 1)
    calls = ", ".join(f"self.part{i}(x, image)" for i in range(len(names)))
    text += f"    def forward(self, x: Tensor, image: Tensor):\n        return [{calls}]\n"
    path = folder / "round.py"
    path.write_text(text)
    scope = {"__name__": "round"}
    exec(compile(text, str(path), "exec"), scope)
    scope["Round"].__module__ = "round"
    return torch.jit.script(scope["Round"]().eval()), lines
