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
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
