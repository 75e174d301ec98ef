"""Runs kadvise on a model and holds what it found against what must be found."""
import json
import os
import subprocess
import sysconfig
from dataclasses import dataclass

import torch


@dataclass
class Run:
    code: int      # None: it did not end in time
    report: dict   # {} when none was written
    errors: str    # standard error


@dataclass
class Row:
    """One rule in one model."""
    rule: str
    expected: int  # None: not asserted
    found: int     # None: this build has no such rule
    reason: str    # the first refusal, or the nearest miss

    def wrong(self):
        return self.found is not None and self.expected is not None and self.found != self.expected


NEEDS_TORCHVISION = ("tv_ssdlite", "tv_fasterrcnn")  # of the 70 models


def torchvision_libraries():
    """What --op-library needs for torchvision's operators, in this order: the last names the others without a path."""
    import torchvision

    python = os.path.join(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LDLIBRARY"))
    of_torch = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_python.so")
    return [python, of_torch, os.path.join(os.path.dirname(torchvision.__file__), "_C.so")]


def known_rules(kadvise):
    listed = subprocess.run([kadvise, "rules", "list"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.strip()}


def run(kadvise, model, inputs, report, options, timeout_seconds):
    """Runs one campaign in the model's folder."""
    command = [kadvise, model, "--inputs", inputs, "--json", report, "--quiet", *options]
    try:
        done = subprocess.run(command, cwd=os.path.dirname(model), capture_output=True, text=True, timeout=timeout_seconds)
    except subprocess.TimeoutExpired as e:
        return Run(None, {}, (e.stderr or b"").decode() if isinstance(e.stderr, bytes) else e.stderr or "")
    written = json.load(open(report)) if os.path.exists(report) else {}
    return Run(done.returncode, written, done.stderr.strip())


def counts(report):
    """Of the user's own module: what a later round of matching finds depends on what was kept."""
    found = {}
    for f in report["findings"]:
        if "round" not in f:
            found[f["rule"]] = found.get(f["rule"], 0) + 1
    return found


def reason_of(report, rule):
    """Why the rule has no further site, as the report tells it."""
    for refused in report["refused"]:
        if refused["rule"] == rule:
            return f"refused: {refused['mismatch']['at']} {refused['mismatch']['reason']}"
    return next((n["reason"] for n in report["notApplicable"] if n["rule"] == rule), "")


def compare(report, expected, rules, known):
    """Rows of all the rules that are expected, found or not asserted. expected: rule -> number, ANY where None."""
    if unheard := set(expected) - set(rules):
        raise ValueError(f"the table names rules that are not in its list: {sorted(unheard)}")
    found = counts(report)
    rows = []
    for rule in rules:
        want, have = expected.get(rule, 0), found.get(rule, 0) if rule in known else None
        if want != 0 or have:
            rows.append(Row(rule, want, have, "" if have == want else reason_of(report, rule)))
    return rows


def line(model, row):
    show = lambda n, none: none if n is None else str(n)
    mark = "x" if row.wrong() else " "
    return f"{mark} {model:26s} {row.rule:34s} {show(row.expected, 'any'):>8s} {show(row.found, 'no rule'):>8s}  {row.reason[:150]}".rstrip()


# One operator with one pass over memory and nothing beside it: a generated kernel would be the same pass.
ALONE = ("alone-saves-nothing", "between-two-products")


def share_of_neighbours(share):
    """Of what has something to be computed with: operators that stand alone aside."""
    alone = sum(left["bytes"] for left in share["leftOut"] if left["reason"] in ALONE)
    return share["bytesInside"] / (share["bytes"] - alone) if share["bytes"] > alone else 1


def share_line(model, share):
    """What generated kernels could do of the model's element-wise and row work, and why not the rest."""
    left = ", ".join(f"{l['reason']} {100 * l['bytes'] / share['bytes']:.1f} %" for l in share["leftOut"] if l["bytes"])
    return (f"  {model:26s} {100 * share['share']:6.1f} % in {share['regions']:3d} generated kernels, {100 * share_of_neighbours(share):.1f} % of "
            f"what has neighbours  {left}").rstrip()


HEAD = f"  {'model':26s} {'rule':34s} {'expected':>8s} {'found':>8s}  reason"
