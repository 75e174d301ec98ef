"""How much of what element-wise operators, norms and reductions move generated kernels could do in the small models, and
that each operator left out has a reason of the closed list."""
import os
import re

import findings

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
        reasons = set(re.findall(r'^    "([a-z0-9-]+)",', text.read(), re.MULTILINE))
    assert len(reasons) > 10, "the reasons were not found in row_share.h"
    return reasons


def problems_of(name, report, reasons):
    """What is wrong with the share that the report on a CPU tells."""
    share, (regions, least) = report["generated"], EXPECTED[name]
    print(findings.share_line(name, share), flush=True)
    wrong = [f"{left['reason']} is no reason of row_share.h" for left in share["leftOut"] if left["reason"] not in reasons]
    if regions is not ANY and share["regions"] != regions:
        wrong.append(f"{share['regions']} regions, expected {regions}")
    if findings.share_of_neighbours(share) < OF_NEIGHBOURS:
        wrong.append(f"{findings.share_of_neighbours(share):.3f} of what has neighbours, expected at least {OF_NEIGHBOURS}")
    if share["share"] < least:
        wrong.append(f"a share of {share['share']:.3f}, expected at least {least}")
    # Useless on a CPU, so nobody is told to use them there.
    if any(f["rule"] == "fusion/separate-passes" for f in report["findings"]):
        wrong.append("fusion/separate-passes speaks on a CPU")
    return wrong
