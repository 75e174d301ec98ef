#!/usr/bin/env python3
"""What kadvise says of small modules that no example of a rule page can hold, since a page has functions alone.

  small_scripts_test.py --bin build/release/bin
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Dict

import torch


class WithoutGradients(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        with torch.no_grad():
            return torch.sigmoid(self.linear(x))


class Detached(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x.detach()) + x


class MakesNumbers(torch.nn.Module):
    def forward(self, x):
        return x * torch.tensor([2.0, 3.0]).sum()


class CountsOnTheCpu(torch.nn.Module):
    def forward(self, x):
        return x + torch.arange(64)


class TakesADictionary(torch.nn.Module):
    def forward(self, inputs: Dict[str, torch.Tensor]):
        return torch.sigmoid(inputs["x"]) * inputs["x"]


class TakesNested(torch.nn.Module):
    def forward(self, a, b):
        return torch.relu(torch._nested_tensor_from_tensor_list([a, b])).to_padded_tensor(0.0)


class Remembers(torch.nn.Module):
    """A cache that is written in place, a position in it, and a count: what a second call finds is what the first one left."""

    count: int

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)
        self.register_buffer("rows", torch.zeros(8, 4, 64))
        self.register_buffer("at", torch.zeros((), dtype=torch.long))
        self.count = 0

    def forward(self, x):
        y = self.linear(x)
        self.rows[int(self.at)] = y
        self.at += 1
        self.count += 1
        z = y + self.rows.sum(0)
        return torch.sigmoid(z) * z


# Module -> whether it is called one that writes its state, and whether a note says that detach() is dropped.
CASES = {WithoutGradients: (False, False), Detached: (False, True), MakesNumbers: (False, False)}


def report_of(kadvise, module, folder):
    path, report = os.path.join(folder, "m.pt"), os.path.join(folder, "m.json")
    make = torch.jit.trace if isinstance(module, MakesNumbers) else lambda m, _: torch.jit.script(m)
    torch.jit.save(make(module.eval(), torch.randn(4, 64)), path)
    command = [kadvise, path, "--input", "float32[4,64]", "--device", "cpu", "--no-verify", "--no-config", "--json", report, "--quiet"]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    with open(report) as file:
        return json.load(file)


# Module, how it is saved, its inputs, and what the report has to hold.
SAYINGS = [
    (CountsOnTheCpu, "trace", (torch.ones(4, 64),), 'made on the device \\"cpu\\"'),
    (TakesADictionary, "script", ({"x": torch.ones(4, 64)},), '{\\"x\\":float32[4,64]}'),
    (TakesNested, "trace", (torch.ones(3, 8), torch.ones(5, 8)), "fusion/"),
]


def check_saying(kadvise, folder, module, form, inputs, saying):
    path, given, report = (os.path.join(folder, name) for name in ("m.pt", "inputs.pt", "m.json"))
    made = torch.jit.trace(module, inputs, check_trace=False) if form == "trace" else torch.jit.script(module)
    torch.jit.save(made, path)
    torch.save(inputs, given)
    command = [kadvise, path, "--inputs", given, "--device", "cpu", "--no-verify", "--no-config", "--json", report, "--quiet"]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        return "it ends with an error"
    with open(report) as file:
        return "" if saying in file.read() else f"the report does not say {saying}"


def check_own_state(kadvise, folder):
    """A module with state is measured, and the written one goes through the same states."""
    torch.manual_seed(3)
    path, fast, report = (os.path.join(folder, name) for name in ("m.pt", "fast.pt", "m.json"))
    torch.jit.script(Remembers().eval()).save(path)
    command = [kadvise, path, "--input", "float32[4,64]", "--device", "cpu", "--no-config", "--budget", "3", "--keep", "equal", "--apply", "-o", fast,
               "--json", report, "--quiet"]
    exit_code = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    with open(report) as file:
        said = json.load(file)
    if exit_code or not os.path.exists(fast):
        return f"exit code {exit_code}: {said['errors']} {said['whole']['reason']}"
    original, written = torch.jit.load(path), torch.jit.load(fast)
    for call in range(5):
        x = torch.randn(4, 64)
        if not torch.allclose(original(x), written(x), rtol=1e-5, atol=1e-6):
            return f"call {call} differs"
    same = torch.allclose(original.rows, written.rows) and original.at == written.at == 5 and original.count == written.count == 5
    return "" if same else "what the calls left differs"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    kadvise = os.path.join(os.path.abspath(parser.parse_args().bin), "kadvise")
    failed = 0
    for make, expected in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            report = report_of(kadvise, make(), folder)
        found = (any(f["rule"] == "graph-break/state-written" for f in report["findings"]),
                 "detach() is dropped" in json.dumps(report))
        failed += found != expected
        print(f"{'ok  ' if found == expected else 'FAIL'} {make.__name__}: {found}")
    for make, form, inputs, saying in SAYINGS:
        with tempfile.TemporaryDirectory() as folder:
            wrong = check_saying(kadvise, folder, make().eval(), form, inputs, saying)
        failed += wrong != ""
        print("FAIL" if wrong else "ok  ", f"{make.__name__}:", wrong)
    with tempfile.TemporaryDirectory() as folder:
        wrong = check_own_state(kadvise, folder)
    failed += wrong != ""
    print("FAIL" if wrong else "ok  ", "Remembers:", wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
