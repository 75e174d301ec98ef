#!/usr/bin/env python3
"""The same model as a script, as a trace and as an exported program (.pt2): the same findings of every fusion rule, up to
what the format hides.

  formats_test.py --bin build/release/bin [--only REGEX]

Five models of torchvision and, where it is installed, timm. A build that refuses .pt2 is said so, and then two formats
are compared.
"""
import argparse
import os
import re
import sys
import tempfile
import warnings

import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import findings
from vary_weights import vary_weights

warnings.filterwarnings("ignore")


def torchvision_model(make):
    def build():
        from torchvision import models

        return make(models), 64
    return build


def timm_model(name, **sizes):
    def build():
        import timm

        timm.layers.set_fused_attn(False)  # as scripts have it anyway
        return timm.create_model(name, pretrained=False, scriptable=True, exportable=True, num_classes=10, **sizes), 64
    return build


MODELS = {
    "resnet": torchvision_model(lambda m: m.resnet.ResNet(m.resnet.Bottleneck, [1, 1, 1, 1], num_classes=10, width_per_group=16)),
    "mobilenet_v3": torchvision_model(lambda m: m.mobilenet_v3_small(num_classes=10, width_mult=0.5)),
    "convnext": torchvision_model(lambda m: m.convnext.ConvNeXt(
        [m.convnext.CNBlockConfig(32, 64, 1), m.convnext.CNBlockConfig(64, None, 1)], num_classes=10)),
    "deit": timm_model("deit_small_patch16_224", img_size=64, depth=2, embed_dim=96, num_heads=3),
    "eva02": timm_model("eva02_tiny_patch14_224", img_size=56, patch_size=14, depth=2, embed_dim=96, num_heads=3),
}
# (model, rule) -> the formats that hide its sites, and why.
HIDDEN = {}
FORMATS = ("script", "trace", "pt2")
COULD_NOT_RUN = 2


def write(model, inputs, format, path):
    with torch.no_grad():
        if format == "pt2":
            torch.export.save(torch.export.export(model, inputs), path)
        elif format == "trace":
            torch.jit.save(torch.jit.trace(model, inputs, check_trace=False, strict=False), path)
        else:
            torch.jit.save(torch.jit.script(model), path)


def build(name):
    torch.manual_seed(0)
    model, size = MODELS[name]()
    size = 56 if name == "eva02" else size
    return vary_weights(model).eval(), (torch.randn(2, 3, size, size),)


def counted(kadvise, name, folder):
    """Format -> rule -> sites; the formats that kadvise refuses, with its words."""
    model, inputs = build(name)
    torch.save(inputs, os.path.join(folder, name + ".inputs.pt"))
    found, refused = {}, {}
    for format in FORMATS:
        path = os.path.join(folder, f"{name}.pt2" if format == "pt2" else f"{name}.{format}.pt")
        write(model, inputs, format, path)
        run = findings.run(kadvise, path, os.path.join(folder, name + ".inputs.pt"), path + ".json", ["--device", "cpu", "--no-verify"], 120)
        if run.code == 0:
            found[format] = {r: n for r, n in findings.counts(run.report).items() if r.startswith("fusion/")}
        else:
            refused[format] = f"exit {run.code}: {run.errors.splitlines()[-1] if run.errors else 'no word'}"
    return found, refused


def unlike(name, found):
    """Rules whose counts differ between formats that do not hide them."""
    problems = []
    for rule in sorted({r for counts in found.values() for r in counts}):
        hidden, _ = HIDDEN.get((name, rule), ((), ""))
        seen = {format: counts.get(rule, 0) for format, counts in found.items() if format not in hidden}
        if len(set(seen.values())) > 1:
            problems.append(f"{rule}: " + ", ".join(f"{n} in the {format}" for format, n in seen.items()))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    kadvise = os.path.join(os.path.abspath(args.bin), "kadvise")
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in (n for n in MODELS if re.search(args.only, n)):
            try:
                found, refused = counted(kadvise, name, folder)
            except ImportError as e:
                skipped += 1
                print(f"skip {name}: {e}", flush=True)
                continue
            problems = unlike(name, found) + [f"{f} refused: {why}" for f, why in refused.items() if f != "pt2"]
            passed, failed = passed + (not problems), failed + bool(problems)
            print(f"{'FAIL' if problems else 'ok  '} {name}: {found.get('trace', {})}", *problems, sep="\n     ", flush=True)
            if "pt2" in refused:
                print(f"     NOT COMPARED: this build refuses .pt2: {refused['pt2']}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
