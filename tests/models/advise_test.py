#!/usr/bin/env python3
"""kadvise over real architectures, end to end: what must be found is found, the whole module is equal, and the module
that --apply wrote gives the original's results in Python on three fresh input sets and on another batch size.

  advise_test.py --bin build/release/bin --lib build/release/lib [--device cpu] [--dtype float32] [MODEL ...]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make

def resnet(*blocks):
    """Bottlenecks: the stem, three convolutions in each block, and a downsampling one in each stage. A ReLU stands behind the
    stem and two convolutions of each block; behind the third it follows the residual add."""
    n = sum(blocks)
    return {"fusion/conv-batch-norm": 1 + 3 * n + len(blocks), "fusion/conv-relu": 1 + 2 * n, "fusion/conv-add-relu": n}


def bert(layers):
    """Each layer has one attention and two residual norms; the embeddings end in one norm."""
    return {"fusion/attention-written-out": layers, "fusion/add-layer-norm": 2 * layers, "fusion/embedding-sum-norm": 1}


# Sites per rule, from each model's configuration.
EXPECTED = {
    "encoder": {"fusion/attention-written-out": 2, "fusion/add-layer-norm": 4},
    "bert-small": bert(2),
    "resnet-small": resnet(1, 1, 1, 1),
    "resnet-small-traced": resnet(1, 1, 1, 1),
    "gate": {"graph-break/host-read": 1},
    # The full models, for a GPU: name them.
    "bert": bert(12),
    "resnet50": resnet(3, 4, 6, 3),
}
SMALL = [name for name in EXPECTED if name not in ("bert", "resnet50")]
REWRITTEN = [name for name, rules in EXPECTED.items() if any(rule.startswith("fusion/") for rule in rules)]
# Parameters that forward never reads do not come along: only the first output of BERT is taken, not its pooler's.
UNREAD = ("model.pooler.",)
# The optimised module may be this many times as far from fp64 as the original (plus a floor for results that are exact).
ERROR_FACTOR = {torch.float32: 4.0, torch.float16: 6.0, torch.bfloat16: 6.0}


def tensors(out):
    return [out] if torch.is_tensor(out) else [t for o in out for t in tensors(o)]


def error(a, b):
    return float((a.double() - b.double()).abs().max() / b.double().abs().mean().clamp_min(1e-30))


def equal_enough(original, optimised, reference, inputs):
    """Compares in the model's dtype, with the eager module in fp64 as the truth."""
    with torch.no_grad():
        truth = tensors(reference(*[t.double() if t.is_floating_point() else t for t in inputs]))
        for want, have, true in zip(tensors(original(*inputs)), tensors(optimised(*inputs)), truth):
            if want.shape != have.shape or want.dtype != have.dtype:
                return f"{have.dtype}{list(have.shape)} where the original gives {want.dtype}{list(want.shape)}"
            bound = ERROR_FACTOR[want.dtype] * error(want, true) + 8 * torch.finfo(want.dtype).eps
            if error(have, true) > bound:
                return f"error {error(have, true):.2e} where the original has {error(want, true):.2e}"
    return ""


def check(name, args, folder):
    dtype = getattr(torch, args.dtype)
    module, inputs = make.make(name, 2, dtype, args.device)
    path = os.path.join(folder, name)
    torch.jit.save(module, path + ".pt")
    torch.save(inputs, path + ".inputs.pt")
    run = subprocess.run(
        [os.path.join(args.bin, "kadvise"), path + ".pt", "--inputs", path + ".inputs.pt", "--device", args.device, "--keep", "equal",
         "--budget", args.budget, "--json", path + ".json", "--apply", "-o", path + ".fast.pt", "--quiet"],
        cwd=folder, capture_output=True, text=True)
    problems = []
    if run.returncode != (0 if name in REWRITTEN else 1):  # 1: --apply had nothing to write
        return [f"exit {run.returncode}: {run.stderr.strip()[-400:]}"]
    report = json.load(open(path + ".json"))
    found = {}
    for f in report["findings"]:
        found[f["rule"]] = found.get(f["rule"], 0) + 1
    if found != EXPECTED.get(name, found):
        problems.append(f"found {found}, expected {EXPECTED[name]}")
    if name not in REWRITTEN:
        return problems
    if report["whole"]["outcome"] in ("wrong-output", "failed", "not-run"):
        return problems + [f"whole module: {report['whole']['outcome']}: {report['whole']['reason']}"]
    optimised = torch.jit.load(path + ".fast.pt", map_location=args.device)
    reference, _ = make.make(name, 2, torch.float64, args.device)
    reference.load_state_dict(module.state_dict())  # the weights as rounded to the model's dtype
    for seed, batch in ((11, 2), (12, 2), (13, 2), (14, 3)):
        # make() seeds the weights; fresh inputs come from another seed.
        fresh = make.inputs_of(name, batch, dtype, args.device, seed)
        wrong = equal_enough(module, optimised, reference, fresh)
        if wrong:
            problems.append(f"seed {seed}, batch {batch}: {wrong}")
    lost = {k for k, _ in module.named_parameters() if not k.startswith(UNREAD)} - set(optimised.state_dict())
    if lost:
        problems.append(f"state_dict lost {sorted(lost)[:3]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=SMALL)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--budget", default="20")
    args = parser.parse_args()
    args.bin, args.lib = os.path.abspath(args.bin), os.path.abspath(args.lib)
    # LibTorch's fuser writes -1.8e308 into its CUDA text, which does not compile: the fp64 reference runs unfused.
    torch._C._jit_set_texpr_fuser_enabled(False)
    torch.ops.load_library(os.path.join(args.lib, "libkadvise_kernels.so"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in args.models:
            problems = check(name, args, folder)
            failed += bool(problems)
            print(f"{'FAIL' if problems else 'ok  '} {name} {args.device} {args.dtype}", flush=True)
            for p in problems:
                print("     " + p)
    print(f"{len(args.models) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
