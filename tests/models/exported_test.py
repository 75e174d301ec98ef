#!/usr/bin/env python3
"""Exported programs (.pt2), end to end: the module that kadvise makes of one gives eager's outputs, on the shapes that the
program allows and not only on those it was exported with; what is found in it is what is found in a trace.

  exported_test.py --bin build/release/bin [MODEL ...]
"""
import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import torch
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make

Dim = torch.export.Dim


class Tied(nn.Module):
    """One storage under two names, a slice of a larger one, a constant that is no parameter, nested outputs."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(2))
        self.layers[1].weight = self.layers[0].weight
        self.register_buffer("table", torch.randn(8, 16)[2:6])
        self.register_buffer("hidden", torch.randn(16), persistent=False)
        self.constant = torch.arange(64.0)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        y = x + self.hidden + self.table.sum(0) + self.constant[:16] + torch.tensor([0.5])
        return {"y": y, "more": [y.chunk(2, dim=-1)[1], x.shape[0]]}


class Counting(nn.Module):
    """A buffer that each call changes, and a number that was fixed at export."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.norm = make.randomise_norms(nn.BatchNorm2d(4))

    def forward(self, x, scale=2.0):
        self.calls.add_(1)
        return self.norm(x * scale) + self.calls


class Sizes(nn.Module):
    """Arithmetic on sizes, and a block that asks for no gradients."""

    def forward(self, x, y):
        n, t, d = x.shape
        with torch.no_grad():
            place = torch.arange(t * 2, device=x.device)[: t + 1].sum()
        z = torch.cat([x, y], 1).reshape(n, (t + y.shape[1]) * d // 2, 2)
        return z * place + torch.full((n, 1, 1), float(d)), torch.zeros(n * n + 1)


def eager(name, batch):
    """(module, inputs) of tests/models/make.py before it was scripted or traced."""
    torch.manual_seed(0)
    module, inputs, _ = make.MODELS[name](batch)
    return module.eval(), inputs


B = Dim("batch", min=2, max=64)
MODELS = {
    "tied": lambda: (Tied(), lambda b: (torch.randn(b, 16),), ({0: B},)),
    "counting": lambda: (Counting(), lambda b: (torch.randn(b, 4, 5, 5),), ({0: B},)),
    "sizes": lambda: (Sizes(), lambda b: (torch.randn(b, 4 + b, 8), torch.randn(b, 3, 8)), ({0: B, 1: Dim("time", min=3, max=99)}, {0: B})),
    "encoder": lambda: (eager("encoder", 2)[0], lambda b: eager("encoder", b)[1], ({0: B}, {0: B})),
    "resnet-small": lambda: (eager("resnet-small", 2)[0], lambda b: eager("resnet-small", b)[1], ({0: B},)),
    "resnet18": lambda: (resnet18(), lambda b: (torch.randn(b, 3, 64, 64),), ({0: B},)),
    "bert-small": lambda: (eager("bert-small", 2)[0].model, lambda b: eager("bert-small", b)[1], None),
}
TRACED = ("encoder", "resnet-small", "bert-small")  # compared with what is found in a trace


def resnet18():
    from torchvision.models import resnet18 as build

    return make.randomise_norms(build(weights=None))


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for v in value for leaf in leaves(v)]
    return [] if value is None else [value]


def differences(expected, given):
    expected, given = leaves(expected), leaves(given)
    if len(expected) != len(given):
        return f"{len(given)} outputs where there are {len(expected)}"
    for i, (a, b) in enumerate(zip(expected, given)):
        if torch.is_tensor(a) != torch.is_tensor(b) or (not torch.is_tensor(a) and a != b):
            return f"output {i} is {b} where it is {a}"
        if torch.is_tensor(a) and (a.dtype != b.dtype or not torch.allclose(a, b, rtol=1e-5, atol=1e-6)):
            return f"output {i} differs"
    return ""


def export(module, inputs, shapes, decomposed):
    program = torch.export.export(module, inputs, dynamic_shapes=shapes)
    return program.run_decompositions({}) if decomposed else program


def advise(args, folder, path, *more):
    work = os.path.join(folder, "work")
    run = subprocess.run([os.path.join(args.bin, "kadvise"), path, "--device", "cpu", "--quiet", "--json", "report.json", "--work-dir", work, *more],
                         cwd=folder, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit {run.returncode}: {run.stderr.strip()[-400:]}")
    return json.load(open(os.path.join(folder, "report.json"))), os.path.join(work, "original.pt")


def counts(report):
    """Of the fusion rules: what hangs on the way the file was made (baked-in devices, dtypes) may differ."""
    found = {}
    for f in report["findings"]:
        if not f["rule"].startswith("fusion/"):
            continue
        found[f["rule"]] = found.get(f["rule"], 0) + 1
    return found


def check(name, variant, args, folder):
    """What is wrong, as sentences."""
    module, inputs_of, shapes = MODELS[name]()
    module = module.eval()
    names = list(module.state_dict())
    path = os.path.join(folder, "m.pt2")
    program = export(copy.deepcopy(module), inputs_of(2 if variant == "static" else 3), shapes if variant == "dynamic" else None, variant == "decomposed")
    torch.export.save(program, path)
    report, converted = advise(args, folder, path, "--no-verify")
    problems = []
    if (report["subject"]["format"], report["inputs"]["from"]) != ("exported", "samples"):
        problems.append(f"is {report['subject']['format']}, inputs from {report['inputs']['from']}")
    module = module.eval()
    loaded = torch.jit.load(converted)
    module.load_state_dict({k: v for k, v in loaded.state_dict().items() if k in names})
    lost = set(names) - set(loaded.state_dict())
    if lost:
        problems.append(f"lost {sorted(lost)}")
    for batch in (3, 5) if variant == "dynamic" else (2 if variant == "static" else 3,):
        inputs = inputs_of(batch)
        with torch.no_grad():
            wrong = differences(module(*inputs), loaded(*inputs))
        if wrong:
            problems.append(f"batch {batch}: {wrong}")
    if name in TRACED and variant == "static":
        inputs = inputs_of(2)
        traced = os.path.join(folder, "traced.pt")
        torch.jit.save(torch.jit.trace(module, inputs, check_trace=False, strict=False) if name != "bert-small" else make.make(name)[0], traced)
        torch.save(inputs, os.path.join(folder, "inputs.pt"))
        other, _ = advise(args, folder, traced, "--no-verify", "--inputs", "inputs.pt")
        if counts(report) != counts(other):
            problems.append(f"found {counts(report)}, in a trace {counts(other)}")
        if not counts(report):
            problems.append("found nothing")
    return problems


def apply(args, folder, dynamic):
    """The whole way: proven against the program, written as .pt, loaded in Python."""
    module, inputs_of, shapes = MODELS["resnet-small"]()
    torch.export.save(export(module, inputs_of(2), shapes if dynamic else None, False), os.path.join(folder, "m.pt2"))
    report, _ = advise(args, folder, "m.pt2", "--budget", "5", "--keep", "equal", "--apply", "-o", "fast.pt")
    if not report["output"]["written"]:
        return [f"not written: {report['output']['reason']}"]
    torch.ops.load_library(os.path.join(args.bin, "..", "lib", "libkadvise_kernels.so"))
    written = torch.jit.load(os.path.join(folder, "fast.pt"))
    problems = []
    inputs = inputs_of(4 if dynamic else 2)
    with torch.no_grad():
        if not torch.allclose(module(*inputs), written(*inputs), rtol=1e-3, atol=1e-4):
            problems.append("the written module differs")
    try:
        written(*inputs_of(65 if dynamic else 4))
        problems.append("the written module takes sizes that the exported program refuses")
    except (RuntimeError, torch.jit.Error) as e:
        if "as it was exported" not in str(e):
            problems.append(f"sizes that the exported program refuses: {e}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--bin", required=True)
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    jobs = [(f"{n}, {v}", lambda f, n=n, v=v: check(n, v, args, f)) for n in args.models
            for v in (("static", "dynamic", "decomposed") if MODELS[n]()[2] else ("static",))]
    for dynamic in (True, False):
        jobs.append((f"resnet-small, {'dynamic' if dynamic else 'static'}, applied", lambda f, d=dynamic: apply(args, f, d)))
    failed = 0
    for title, job in jobs:
        with tempfile.TemporaryDirectory() as folder:
            try:
                problems = job(folder)
            except RuntimeError as e:
                problems = [str(e)]
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok  '} {title}", flush=True)
        for p in problems:
            print("     " + p)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
