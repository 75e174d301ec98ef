#!/usr/bin/env python3
"""Does an optimised module give the original's results? On three fresh sets of inputs, on another batch size and on
another length, where the original takes them; with nothing loaded but the operators named here.

  same_results.py ORIGINAL.pt OPTIMISED.pt INPUTS.pt --library libkadvise_kernels.so [--torchvision]

Prints a line for each difference, and `refused:` lines for inputs that the original itself does not take.
"""
import argparse
import copy
import os
import sys

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fresh_inputs
from fp64 import InFloat64

# The optimised module may be this many times as far from fp64 as the original, plus a floor for results that are exact.
ERROR_FACTOR = {torch.float32: 4.0, torch.float16: 6.0, torch.bfloat16: 6.0}
FAILURES = (RuntimeError, torch.jit.Error)
# Where fp64 takes another way through the module (a detector keeps other boxes), or an operator does not take it, the
# original itself is the measure.
RELATIVE_BOUND = {torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 1e-1}
ANOTHER_WAY = 0.5  # so far from fp64 is no rounding


def tensors(out):
    if torch.is_tensor(out):
        return [out]
    if isinstance(out, dict):
        out = list(out.values())
    return [t for o in out for t in tensors(o)] if isinstance(out, (list, tuple)) else []


def error(a, b):
    if a.numel() == 0:
        return 0.0
    return float((a.double() - b.double()).abs().nan_to_num(0).max() / b.double().abs().nan_to_num(0, 0, 0).mean().clamp_min(1e-30))


def bound(want, true):
    """How far from the truth (or, without one, from the original) the optimised result may be."""
    if true is None:
        return RELATIVE_BOUND[want.dtype]
    return ERROR_FACTOR[want.dtype] * error(want, true) + 8 * torch.finfo(want.dtype).eps


def different(want, have, true):
    """Why one result differs from the original's, or ""."""
    if want.shape != have.shape or want.dtype != have.dtype:
        return f"{have.dtype}{list(have.shape)} where the original gives {want.dtype}{list(want.shape)}"
    if not want.is_floating_point():
        return "" if torch.equal(want, have) else f"{int((want != have).sum())} of {want.numel()} integers differ"
    if not torch.equal(want.isfinite(), have.isfinite()):
        return "NaN or infinity at other places"
    want, have = want.nan_to_num(0, 0, 0), have.nan_to_num(0, 0, 0)
    true = None if true is None else true.nan_to_num(0, 0, 0)
    off, most = error(have, want if true is None else true), bound(want, true)
    return f"error {off:.2e}, at most {most:.2e} is allowed" if off > most else ""


def truth_of(reference, inputs, like):
    """The results in fp64, or None for each where that is no measure."""
    try:
        with torch.no_grad():
            true = tensors(reference(*[t.double() if t.is_floating_point() else t for t in inputs]))
    except FAILURES:
        return [None] * len(like)
    alike = len(true) == len(like) and all(a.shape == b.shape and error(b, a) < ANOTHER_WAY for a, b in zip(true, like))
    return true if alike else [None] * len(like)


def is_unstable(original, inputs, results, off):
    """Whether weights moved by less than a rounding move the results as far: a detector that sorts equal scores."""
    moved = copy.deepcopy(original)
    with torch.no_grad():
        torch.manual_seed(0)
        for p in moved.parameters():
            p.mul_(1 + 1e-7 * torch.randn_like(p))
        others = tensors(moved(*inputs))
    return any(a.shape != b.shape or error(b, a) >= off / 4 for a, b in zip(results, others))


def equal_enough(original, optimised, reference, inputs):
    """Why the results of two modules differ, or "". reference: the original in fp64."""
    with torch.no_grad():
        wants, haves = tensors(original(*inputs)), tensors(optimised(*inputs))
    if len(wants) != len(haves):
        return f"{len(haves)} results where the original gives {len(wants)}"
    for want, have, true in zip(wants, haves, truth_of(reference, inputs, wants)):
        reason = different(want, have, true)
        if reason and not (want.shape == have.shape and is_unstable(original, inputs, wants, error(have, want))):
            return reason
    return ""


def takes(module, inputs):
    try:
        with torch.no_grad():
            module(*inputs)
        return True
    except FAILURES:
        return False


def variations(inputs):
    for seed in (11, 12, 13):
        yield f"seed {seed}", fresh_inputs.fresh(inputs, seed)
    yield "another batch size", fresh_inputs.other_batch(inputs, 14)
    yield "another length", fresh_inputs.other_length(inputs, 15)


def problems_of(original_path, optimised_path, inputs_path):
    original, optimised = (torch.jit.load(p).eval() for p in (original_path, optimised_path))
    inputs = torch.load(inputs_path)
    device = inputs[0].device
    reference = InFloat64(original_path, device)
    differences, refused = [], []
    for name, changed in variations(tuple(t.cpu() for t in inputs)):
        changed = tuple(t.to(device) for t in changed)
        if not takes(original, changed):
            (differences if name.startswith("seed") else refused).append(f"{name}: the original does not take it")
            continue
        try:
            reason = equal_enough(original, optimised, reference, changed)
        except FAILURES as e:
            reason = "the optimised module fails: " + str(e).strip().splitlines()[-1]
        if reason:
            differences.append(f"{name}: {reason}")
    return differences, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original")
    parser.add_argument("optimised")
    parser.add_argument("inputs")
    parser.add_argument("--library", required=True)
    parser.add_argument("--torchvision", action="store_true", help="the model uses torchvision's operators")
    args = parser.parse_args()
    torch._C._jit_set_texpr_fuser_enabled(False)  # LibTorch's CPU fuser would time and round differently each call
    torch.set_num_threads(2)
    torch.ops.load_library(args.library)
    if args.torchvision:
        import torchvision  # noqa: F401
    differences, refused = problems_of(args.original, args.optimised, args.inputs)
    print("\n".join(differences + ["refused: " + r for r in refused]))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
