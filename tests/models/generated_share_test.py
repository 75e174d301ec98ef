#!/usr/bin/env python3
"""How much of what element-wise operators, norms and reductions move generated kernels could do in the small models, and
that each operator left out has a reason of the closed list.

  generated_share_test.py --bin build/release/bin [MODEL ...]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import findings
import make

REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "analyzer", "graph", "row_share.h")
ANY = None
OF_NEIGHBOURS = 0.95  # of what does not stand alone
# Regions, from each model's configuration (ANY: masks and positions make some more), and the least share: activations
# that stand alone between two products stay outside.
EXPECTED = {
    "encoder": (2 * 3, 0.60),            # layers x (scaled softmax, attention's add and norm, the mlp's)
    "bert-small": (ANY, 0.80),
    "llama-small": (ANY, 0.95),
    "gpt2-small": (ANY, 0.95),
    "t5-small": (ANY, 0.85),
    "vit-small": (2 * 2 + 1, 0.75),      # layers x (norm before attention, before the mlp) + the last norm
    "graph-network": (ANY, 0.95),
    "resnet-small": (1 + 4 * 3, 0.99),   # the stem's norm and ReLU, and in each block two of those and the sum's
    "resnet-small-traced": (1 + 4 * 3, 0.99),
    "gate": (0, 0),
}


def closed_list():
    with open(REASONS, encoding="utf-8") as text:
        return set(re.findall(r'^    "([a-z0-9-]+)",', text.read(), re.MULTILINE))


def check(name, args, folder, reasons):
    model = os.path.join(folder, name)
    run = findings.run(os.path.join(os.path.abspath(args.bin), "kadvise"), model + ".pt", model + ".inputs.pt", model + ".json",
                       ["--device", "cpu", "--no-verify"], 120)
    if run.code != 0:
        return [f"{name}: exit {run.code}: {run.errors[-400:]}"]
    share, (regions, least) = run.report["generated"], EXPECTED[name]
    print(findings.share_line(name, share), flush=True)
    wrong = [f"{name}: {left['reason']} is no reason of row_share.h" for left in share["leftOut"] if left["reason"] not in reasons]
    if regions is not ANY and share["regions"] != regions:
        wrong.append(f"{name}: {share['regions']} regions, expected {regions}")
    if findings.share_of_neighbours(share) < OF_NEIGHBOURS:
        wrong.append(f"{name}: {findings.share_of_neighbours(share):.3f} of what has neighbours, expected at least {OF_NEIGHBOURS}")
    if share["share"] < least:
        wrong.append(f"{name}: a share of {share['share']:.3f}, expected at least {least}")
    # Useless on a CPU, so nobody is told to use them there.
    if any(f["rule"] == "fusion/separate-passes" for f in run.report["findings"]):
        wrong.append(f"{name}: the rule speaks on a CPU")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("models", nargs="*", default=list(EXPECTED))
    args = parser.parse_args()
    reasons = closed_list()
    assert len(reasons) > 10, "the reasons were not found in row_share.h"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, make.__file__, "--out", folder, *args.models], check=True, stdout=subprocess.DEVNULL)
        wrong = [w for name in args.models for w in check(name, args, folder, reasons)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
