"""kadvise over a cell's module, as a user runs it, with the seconds that it took and what it did."""
import collections
import json
import os
import subprocess
import time

NONE = {"seconds": 0.0, "exit": None, "written": False, "reason": "not asked for"}
SLACK_SECONDS = 300  # beyond the budget, for loading and matching; a run that takes longer hangs


def applied_of(report):
    candidates = {c["id"]: c for c in report.get("candidates", [])}
    speedups = {v["candidate"]: v["speedup"]["mid"] for v in report.get("verdicts", [])}
    composition = report.get("composition") or {}
    return [{"rule": candidates[a["candidate"]]["rule"], "title": candidates[a["candidate"]]["title"], "sites": a["sites"],
             "speedup": speedups.get(a["candidate"])} for a in composition.get("applied", []) if a["candidate"] in candidates]


def tried_of(report):
    """What was measured and is not in the module."""
    applied = {a["candidate"] for a in (report.get("composition") or {}).get("applied", [])}
    rules = {c["id"]: c["rule"] for c in report.get("candidates", [])}
    return [{"rule": rules[v["candidate"]], "outcome": v["outcome"], "reason": v["reason"]} for v in report.get("verdicts", [])
            if v["candidate"] in rules and v["candidate"] not in applied]


def refused_of(report):
    counts = collections.Counter((r["rule"], r["mismatch"]["reason"]) for r in report.get("refused", []))
    return [{"rule": rule, "reason": reason, "sites": sites} for (rule, reason), sites in counts.items()]


def summary(report):
    output, whole = report.get("output") or {}, report.get("whole") or {}
    return {"written": bool(output.get("written")), "reason": output.get("reason", ""), "outcome": whole.get("outcome"),
            "speedup": whole.get("speedup"), "applied": applied_of(report), "tried": tried_of(report),
            "refused": refused_of(report), "timing": report.get("timing")}


def advise(kadvise, module, inputs, optimised, device, budget, options, report):
    """Writes `optimised` where kadvise does, and returns what is known of the run."""
    command = [kadvise, module, "--inputs", inputs, "--apply", "-o", optimised, "--device", device,
               *(["--budget", str(budget)] if budget else []), "--no-config", "--json", report, "--quiet", *options]
    start = time.perf_counter()
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             cwd=os.path.dirname(optimised), timeout=budget + SLACK_SECONDS)
        code, said = run.returncode, run.stderr.strip()
    except subprocess.TimeoutExpired:
        code, said = None, "it did not end in time"
    except OSError as e:
        code, said = None, str(e)
    out = {"seconds": time.perf_counter() - start, "exit": code, "written": False, "reason": said[-400:]}
    if os.path.exists(report):
        with open(report) as file:
            out.update(summary(json.load(file)))
    out["written"] = out["written"] and os.path.exists(optimised)
    return out
