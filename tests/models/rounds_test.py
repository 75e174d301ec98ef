#!/usr/bin/env python3
"""Places that replacements make are found in a later round of matching, replaced, and equal: a mask that only shapes decide,
once attention is the operator; heads that are repeated in front of it.

  rounds_test.py --bin build/release/bin --lib build/release/lib
"""
import argparse
import os
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import findings

WRITTEN_OUT, MASK, HEADS = "fusion/attention-written-out", "fusion/attention-mask-from-shapes", "fusion/attention-repeated-heads"
TABLE = "memory/recomputed-from-shapes"


class Causal(torch.nn.Module):
    """Attention written out under a mask that is made from shapes in each call, by enough operators to be made a table first."""

    def forward(self, q, k, v):
        n = q.size(2)
        mask = (1.0 - torch.ones([n, n], device="cpu").tril()) * -1.0e9
        scores = torch.matmul(q, k.transpose(2, 3)) * 0.25 + mask
        return torch.matmul(torch.softmax(scores, dim=-1), v)


class Grouped(torch.nn.Module):
    """Two heads of keys and values for six of queries, under a mask of bools: a spelling that the page on repeated heads
    does not have."""

    def forward(self, q, k, v, hide):
        k, v = k.repeat_interleave(3, dim=1), v.repeat_interleave(3, dim=1)
        scores = (torch.matmul(q, k.transpose(2, 3)) * 0.25).masked_fill(hide, float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), v)


def causal_inputs(seed, length):
    made = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(2, 4, length, 16, generator=made) for _ in range(3))


def grouped_inputs(seed, length):
    made = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(2, heads, length, 16, generator=made) for heads in (6, 2, 2))
    return q, k, v, torch.rand(2, 1, length, length, generator=made) < 0.3


# name -> the module, its inputs, the rules of the first round, and the one that follows them
CASES = {"causal": (Causal, causal_inputs, [WRITTEN_OUT, TABLE], MASK), "grouped": (Grouped, grouped_inputs, [WRITTEN_OUT], HEADS)}


def problems_of(report, before, rule):
    first = {f["rule"] for f in report["findings"] if "round" not in f}
    later = [f for f in report["findings"] if f.get("round") == 2]
    if first & {rule}:
        return [f"{rule} is found in the first round already"]
    if [f["rule"] for f in later] != [rule]:
        return [f"round 2 finds {[f['rule'] for f in later]}: {report['notes']}"]
    problems = []
    if not later[0]["message"].endswith(f"(after {' and '.join(reversed(before))})") or not later[0]["where"]["file"].endswith("rounds_test.py"):
        problems.append(f"the finding does not say what it follows, or where: {later[0]}")
    candidates = {c["id"]: c for c in report["candidates"]}
    applied = [candidates[a["candidate"]] for a in report["composition"]["applied"]]
    if {c["rule"] for c in applied} != {*before, rule}:
        problems.append(f"applied: {[c['rule'] for c in applied]}, not {rule}: {report['composition']['dropped']}")
    enablers = [candidates[e]["rule"] for c in applied for e in c.get("follows", [])]
    return problems + ([] if set(enablers) == set(before) else [f"it follows {enablers}"])


def check(name, kadvise, folder):
    kind, inputs_of, before, rule = CASES[name]
    module = torch.jit.script(kind().eval())
    path = os.path.join(folder, name)
    torch.jit.save(module, path + ".pt")
    torch.save(inputs_of(0, 24), path + ".inputs.pt")
    options = ["--device", "cpu", "--keep", "equal", "--budget", "30", "--select", ",".join((WRITTEN_OUT, TABLE, MASK, HEADS)), "--apply", "-o",
               path + ".fast.pt"]
    run = findings.run(kadvise, path + ".pt", path + ".inputs.pt", path + ".json", options, 300)
    if run.code != 0:
        return [f"exit {run.code}: {run.errors[-400:]} {run.report.get('whole', {}).get('reason')}"]
    problems = problems_of(run.report, before, rule)
    fast = torch.jit.load(path + ".fast.pt")
    for seed, length in ((1, 24), (2, 24), (3, 33)):
        inputs = inputs_of(seed, length)
        if not torch.allclose(module(*inputs), fast(*inputs), atol=1e-5, rtol=1e-5):
            problems.append(f"the written module differs at length {length}")
    text = str(fast.graph)
    if "softmax" in text or "tril" in text or "repeat_interleave" in text:
        problems.append("what was replaced is still computed: " + text[-3000:])
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    args = parser.parse_args()
    torch.ops.load_library(os.path.join(os.path.abspath(args.lib), "libkadvise_kernels.so"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in CASES:
            problems = check(name, os.path.join(os.path.abspath(args.bin), "kadvise"), folder)
            failed += bool(problems)
            print(f"{'FAIL' if problems else 'ok  '} {name}", *problems, sep="\n     ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
