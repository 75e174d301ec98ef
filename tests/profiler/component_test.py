#!/usr/bin/env python3
"""kadvise verify --component over sound modules, and over mutants that it must refuse.

  component_test.py KADVISE cpu|cuda
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch
from torch import nn
from torch.nn import functional as F

KADVISE, DEVICE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]


class Norm(nn.Module):
    def __init__(self, how: str, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(64) + 0.5)
        self.how, self.eps = how, eps
        if how in ("unbiased", "cancelling"):
            self.bias = nn.Parameter(torch.rand(64))
        else:
            self.bias = None

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        if self.how == "rms":
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight
        if self.how == "one plus":
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (1 + self.weight)
        if self.how == "batch":
            return (x - x.mean(0, keepdim=True)) * torch.rsqrt(x.var(0, keepdim=True) + self.eps) * self.weight
        variance = (x * x).mean(-1, keepdim=True) - mean * mean if self.how == "cancelling" else x.var(-1, keepdim=True)
        out = (x - mean) * torch.rsqrt(variance + self.eps) * self.weight
        bias = self.bias
        return out if bias is None else out + bias


class Attention(nn.Module):
    def __init__(self, causal: bool = False, scale: float = 8 ** -0.5, leak: bool = False, window: int = 0, key_heads: int = 4, softmax: bool = True):
        super().__init__()
        self.q_proj, self.o_proj = nn.Linear(32, 32), nn.Linear(32, 32, bias=False)
        self.k_proj, self.v_proj = nn.Linear(32, 8 * key_heads), nn.Linear(32, 8 * key_heads)
        self.causal, self.scale, self.leak, self.window, self.softmax, self.groups = causal, scale, leak, window, softmax, 4 // key_heads

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], -1, 8).transpose(1, 2)

    def forward(self, x):
        length = x.shape[1]
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_proj(x)), self.heads(self.v_proj(x))
        k, v = k.repeat_interleave(self.groups, 1), v.repeat_interleave(self.groups, 1)
        scores = q @ k.transpose(-1, -2) * self.scale
        if self.causal:
            hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            if self.leak and length > 1:
                hidden[0, 1] = False
            if self.window > 0:
                hidden = hidden | torch.ones(length, length, dtype=torch.bool, device=x.device).tril(-self.window)
            scores = scores.masked_fill(hidden, float("-inf"))
        weights = scores.softmax(-1) if self.softmax else scores.exp()
        return self.o_proj((weights @ v).transpose(1, 2).reshape(x.shape[0], length, -1))


class TorchAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]


class Mlp(nn.Module):
    def __init__(self, how: str):
        super().__init__()
        self.how = how
        self.up, self.down = nn.Linear(32, 192 if how == "halves" else 96), nn.Linear(96, 32)

    def forward(self, x):
        h = self.up(x)
        if self.how == "halves":
            a, gate = h.chunk(2, -1)
            return self.down(a * F.gelu(gate))
        return self.down(torch.sin(h) if self.how == "sine" else F.gelu(h, approximate="tanh"))


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = nn.Linear(32, 96, bias=False), nn.Linear(32, 96, bias=False), nn.Linear(96, 32, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Table(nn.Module):
    def __init__(self, how: str):
        super().__init__()
        self.rows, self.how = nn.Embedding(100, 16), how

    def forward(self, ids):
        return self.rows(ids) * 4 if self.how == "scaled" else self.rows(ids.clamp(0, 99))


class Component(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(0)
        folder = tempfile.TemporaryDirectory(prefix="kadvise-component-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def verify(self, kind, module, spec, code, *options):
        for p in module.parameters():
            if p.dim() == 1:
                nn.init.uniform_(p, 0.5, 1.5)
        torch.jit.script(module.eval()).save(str(self.folder / "m.pt"))
        run = subprocess.run([KADVISE, "verify", "--component", kind, "m.pt", "--input", spec, "--device", DEVICE, "--json", "-", *options],
                             cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return json.loads(run.stdout)["component"]["properties"]

    def figures(self, properties, name):
        return next(p["figures"] for p in properties if p["name"] == name)

    def fails(self, properties, start):
        self.assertTrue([p for p in properties if p["status"] == "fail" and p["name"].startswith(start)], properties)

    def test_norms_are_recognised_with_their_epsilon(self):
        for module, spec, kind in ((nn.LayerNorm(64), "float32[4,7,64]", "LayerNorm(64, eps=1e-05), weight and bias"),
                                   (nn.LayerNorm(64, eps=1e-12, elementwise_affine=False), "float32[4,7,64]", "LayerNorm(64, eps=1e-12), no weight"),
                                   (nn.LayerNorm(64).bfloat16(), "bfloat16[4,7,64]", "LayerNorm(64, eps=1e-05), weight and bias"),
                                   (Norm("rms", 1e-6), "float32[4,7,64]", "RMSNorm(64, eps=1e-06), weight"),
                                   (Norm("one plus", 1e-6), "float32[4,7,64]", "RMSNorm(64, eps=1e-06) with weight 1 + w, weight")):
            self.assertEqual(self.figures(self.verify("norm", module, spec, 0), "kind"), kind)

    def test_wrong_norms_are_refused(self):
        self.fails(self.verify("norm", Norm("unbiased"), "float32[4,7,64]", 1), "matches LayerNorm")
        self.fails(self.verify("norm", Norm("cancelling"), "float32[4,7,64]", 1), "matches LayerNorm(64, eps=1e-05), offset")
        self.fails(self.verify("norm", Norm("batch"), "float32[4,7,64]", 1), "rows are independent")

    def test_a_norm_without_a_reference_is_undecided(self):
        self.assertEqual(self.verify("norm", nn.Softmax(-1), "float32[4,7,64]", 1)[2]["status"], "unknown")
        self.verify("norm", nn.Linear(64, 3), "float32[4,7,64]", 2)

    def test_attention_is_recognised(self):
        for module, kind, words in ((Attention(), "dependence", "every output depends on every token"),
                                    (TorchAttention(), "dependence", "every output depends on every token"),
                                    (Attention(causal=True), "causal", "no output depends on later tokens, and each on all before"),
                                    (Attention(causal=True, window=3), "causal", "no output depends on later tokens, and each on the last 3"),
                                    (Attention(key_heads=2), "heads", "4 heads of 8, 2 of keys and values")):
            properties = self.verify("attention", module, "float32[2,9,32]", 0)
            self.assertEqual(self.figures(properties, kind), words)
            self.assertEqual(self.figures(properties, "scale"), "1/sqrt(8)")

    def test_wrong_attention_is_refused(self):
        properties = self.verify("attention", Attention(causal=True, leak=True), "float32[2,9,32]", 1)
        self.assertIn("output 0 on token 1", self.figures(properties, "causal"))
        self.fails(self.verify("attention", Attention(scale=1.0), "float32[2,9,32]", 1), "scale")
        self.fails(self.verify("attention", Attention(softmax=False), "float32[2,9,32]", 1), "softmax rows")

    def test_heads_that_do_not_fit_leave_it_undecided(self):
        properties = self.verify("attention", Attention(), "float32[2,9,32]", 2, "--heads", "5")
        self.assertIn("5 heads do not fit", self.figures(properties, "reference"))

    def test_mlps_are_recognised(self):
        for module, words in ((Mlp("plain"), "linear, GELU (tanh), linear"), (Mlp("halves"), "gated by GELU of the second half"), (Gated(), "gated by SiLU of gate_proj")):
            self.assertEqual(self.figures(self.verify("mlp", module, "float32[2,9,32]", 0), "structure"), words + ", 96 hidden features")

    def test_an_activation_that_nobody_knows_leaves_it_undecided(self):
        self.assertIn("no known activation", self.figures(self.verify("mlp", Mlp("sine"), "float32[2,9,32]", 2), "structure"))

    def test_embeddings(self):
        properties = self.verify("embedding", nn.Embedding(100, 16, padding_idx=3), "int64[2,9]<100", 0)
        self.assertEqual(self.figures(properties, "padding"), "row 3 is zero")
        self.assertIn("times 4", self.figures(self.verify("embedding", Table("scaled"), "int64[2,9]<100", 1), "each output is its row of the table"))
        if DEVICE == "cpu":
            self.fails(self.verify("embedding", Table("clamped"), "int64[2,9]<100", 1), "an index beyond")

    def test_the_wrong_kind_of_input_is_said(self):
        self.assertIn("not a floating tensor", self.verify("mlp", nn.Embedding(100, 16), "int64[2,9]<100", 2)[0]["figures"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
