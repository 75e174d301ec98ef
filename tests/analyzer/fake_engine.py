#!/usr/bin/env python3
"""An engine that only speaks: it answers as its folder's scenario.json says, and fails as told.

It stands in a folder as kadvise-graph and as kadvise-measure. scenario.json, every key optional:
  loaded, opened, matched, composed   what to change in the usual `done`
  cudaGraph                           what to change in what `compose` says of CUDA graphs
  findings, candidates, examples      the messages of match and check
  properties  what `component` answers
  profile, counted, health, bench     what to change in the usual answers of those verbs
  graph       what to change in the verdict of `graph`
  overlaps    pairs of candidates for the same places: the one that comes first takes one of the other's two sites
  rounds      the findings and candidates of each later round of matching
  verdicts    candidate -> what to change in the usual verdict ("*" for all, "C1 again" for its confirmation, "whole of C1 C2"
              for the module that they make, "timed whole of" them where it is timed, too, "C1 against C1 C2" for one such module against another, which is usually the same;
              "C1 in graphs" is the module with CUDA graphs)
  gpuAlone    candidate -> its speedup on the GPU alone, with cold and with hot caches
  worstInputs `compare` writes the file that it is asked for
  faults      [{"engine", "verb", "candidate"?, "do", "times"?}]: see fail()
Every message, in both directions, is kept in messages.jsonl.
"""

import json
import os
import pathlib
import signal
import sys
import time

FOLDER = pathlib.Path(sys.argv[0]).parent
NAME = pathlib.Path(sys.argv[0]).name
SCENARIO = json.loads((FOLDER / "scenario.json").read_text()) if (FOLDER / "scenario.json").exists() else {}
GARBAGE = {"garbage": "Segmentation fault? \x1b[31m no", "array": "[1, 2]"}
PLACE = {"file": "model.py", "line": 12, "column": 5, "endLine": 12, "endColumn": 20, "scope": "encoder.layer.0", "snippet": "y = norm(x + r)"}
WORK, ADVANCED = [FOLDER], [0]  # of the run: its folder, and its rounds of matching after the first


class Refused(Exception):
    pass


def keep(line):
    with open(FOLDER / "messages.jsonl", "a") as log:
        log.write(line.rstrip("\n") + "\n")


def write_whole(path, text):  # others wait for the file, or read it after a kill
    half = path.with_name(f".{path.name}.{os.getpid()}")
    half.write_text(text)
    half.rename(path)


class Messages:
    def __init__(self):
        self.out = os.fdopen(4, "w", buffering=1)

    def raw(self, text):
        self.out.write(text + "\n")
        self.out.flush()

    def send(self, number, kind, body, version=1):
        line = json.dumps({"version": version, "id": number, "type": kind, "body": body})
        if version == 1:
            keep(line)
        self.raw(line)


def measurement(subject, wall, kernels, kind):
    kernel = {"name": "k", "op": "aten::add", "scope": "", "where": PLACE, "startUs": 0, "durationUs": 1, "grid": [1, 1, 1], "block": [32, 1, 1], "bytes": 64}
    return {"subject": subject, "device": kind, "timings": [{"regime": "warm", "wallUs": [wall] * 5, "busyUs": [], "throttled": False}] if wall else [],
            "kernels": [kernel] * kernels, "counters": {}, "peakBytes": 1 << 20, "firstCallMs": 3}


def verdict(arguments):
    name = arguments["candidate"]
    timed = arguments["timing"]
    kind = opened()["device"]["kind"]
    body = {"candidate": name, "findings": [], "outcome": "faster" if timed else "not-run",
            "speedup": {"low": 1.4, "mid": 1.5, "high": 1.6} if timed else {"low": None, "mid": None, "high": None},
            "accuracy": {"rmsUlp": 0.1, "p999Ulp": 0.5, "maxUlp": 1, "bias": 0, "scale": 1, "grade": "at-least-as-accurate", "worstCase": "normal"},
            "reason": "" if timed else "not timed", "before": measurement(name, 300 if timed else 0, 4 if kind == "cuda" else 0, kind),
            "after": measurement(name, 200 if timed else 0, 2 if kind == "cuda" else 0, kind)}
    changes = SCENARIO.get("verdicts", {})
    body.update(changes.get("*", {}))
    body.update(changes.get(name, {}))
    if alone := SCENARIO.get("gpuAlone", {}).get(name):
        body["before"]["counters"] = {"coldSpeedup": alone, "hotSpeedup": alone}
    before, made = (WORK[0] / arguments.get(side, {"path": ""})["path"] for side in ("before", "after"))
    if name == "whole" and made.is_file():
        body.update(changes.get("whole of " + made.read_text(), {}))
        body.update(changes.get("timed whole of " + made.read_text(), {}) if timed else {})
    if name == "set":
        same = {"outcome": "same", "speedup": {"low": 0.99, "mid": 1, "high": 1.01}}
        body.update({**same, **changes.get(made.read_text() + " against " + before.read_text(), {})})
    if arguments.get("attempt", 1) > 1:
        body.update(changes.get(name + " again", {}))
    return body


def finding(**changes):
    body = {"id": "F1", "rule": "fusion/add-layer-norm", "message": "add and LayerNorm run as two kernels", "severity": "opportunity", "where": PLACE,
            "related": [], "fixes": [], "estimate": {"bytesSaved": 1e6, "flops": 0, "speedup": 1.4, "basis": "bytes"}}
    return {**body, **changes}


def candidate(**changes):
    name = changes.get("id", "C1")
    body = {"kind": "candidate", "id": name, "rule": "fusion/add-layer-norm", "title": "add + LayerNorm in one kernel", "level": 5, "exactness": "exact",
            "domain": "", "before": name + ".before.pt", "after": name + ".after.pt", "ofRegion": False, "parts": [], "beforeFp64": name + ".before.fp64.pt",
            "afterFp64": name + ".after.fp64.pt", "names": {"weight": "encoder.weight"}, "inputs": ["v1", "v2"], "findings": ["F1"]}
    return {**body, **changes}


def opened():
    body = {"device": {"kind": "cpu", "index": 0, "name": "a processor", "arch": 0}, "environment": {"torch": "2.11.0", "cpuThreads": "2"},
            "inputs": ["float32[4,128]"], "inputsFrom": "options", "notes": []}
    return {**body, **SCENARIO.get("opened", {})}


def loaded():
    return {"format": "traced", "nodes": 12, "parameters": 1000, "parameterBytes": 4000, "inputs": [{"name": "x", "type": "Tensor"}],
            "base": "base.pt", "baseFp64": "base.fp64.pt", "graph": "graph.json", "notes": [], "converted": "", "samples": "", "guessed": [], **SCENARIO.get("loaded", {})}


def compose(arguments):
    path = pathlib.Path(arguments["path"])
    graphs = {"parts": 1, "launches": 10, "allLaunches": 10, "blockers": [], **SCENARIO.get("cudaGraph", {})}
    complete = "a faster module " + json.dumps(arguments.get("provenance", {}), sort_keys=True)
    if "cudaGraph" not in arguments or graphs["parts"] > 0:
        path.write_text(complete if "provenance" in arguments else " ".join(arguments["candidates"]) + (" in graphs" if "cudaGraph" in arguments else ""))
    order = arguments["candidates"]
    late = [max(pair, key=order.index) for pair in SCENARIO.get("overlaps", []) if set(pair) <= set(order)]
    applied = [{"candidate": c, "sites": 1 if c in late else 2} for c in order]
    body = {"path": str(path), "applied": applied, "dropped": [{"candidate": c, "reason": "replaced"} for c in late], "notes": []}
    own = {"cudaGraph": graphs} if "cudaGraph" in arguments else {}
    return {**body, **own, **SCENARIO.get("composed", {})}


def profile(arguments):
    interval = {"low": 290, "mid": 300, "high": 310}
    view = {"mode": "frozen" if arguments.get("frozen") else "as-loaded", "basis": "cpu-operators", "wallUs": interval, "kernels": [], "launches": [],
            "timing": {"regime": "warm", "wallUs": [300] * 5, "busyUs": [], "throttled": False}, "leftOut": 0, "captureMs": 0, "instantiateMs": 0,
            "operators": [{"name": "aten::add", "where": PLACE, "calls": 3, "us": 250, "share": 1}],
            "modules": [{"name": "encoder.layer.0", "where": PLACE, "calls": 3, "us": 250, "share": 1}],
            "lines": [{"name": "model.py:12", "where": PLACE, "calls": 3, "us": 250, "share": 1}]}
    body = {"firstCallMs": 9, "warmUpMs": [1, 0.3, 0.3], "compileMs": 9, "views": [view], "counted": [], "countedHow": "", "notes": [],
            "absent": [{"figure": "kernels: times, gaps", "reason": "no CUDA device answers on this machine", "remedy": "run on a machine with an NVIDIA GPU"}]}
    return {**body, **SCENARIO.get("profile", {})}


HEALTH = [{"name": "LibTorch", "status": "ok", "what": "2.11.0, 2 threads", "remedy": ""},
          {"name": "driver", "status": "lost", "what": "no NVIDIA driver is loaded", "remedy": "run on a machine with an NVIDIA GPU"}]


def bench(arguments):
    row = {"inputs": "float32[64,1024]", "schema": arguments["op"], "us": {"low": 9, "mid": 10, "high": 11}, "bytes": 524288, "bytesPerSecond": 5e10,
           "shareOfCopy": 0.5, "refused": ""}
    body = {"op": arguments["op"], "copyBytes": 1 << 25, "copyBytesPerSecond": 1e11, "rows": [row], "notes": []}
    body.update(SCENARIO.get("bench", {}))
    return body


def tell(found, number, out, **more):
    for body in found.get("findings", [{}]):
        out.send(number, "finding", finding(**more, **body))
    for body in found.get("candidates", [{}]):
        out.send(number, "artefact", candidate(**more, **body))
    return {"refused": [], "notApplicable": [], "regions": "regions.json"}


def answer(request, out):
    verb, arguments, number = request["verb"], request["arguments"], request["id"]
    print("a model that prints", verb)  # must not reach the conversation
    if verb == "load":
        return loaded()
    if verb == "open":
        WORK[0] = pathlib.Path(arguments["workDir"])
        if arguments["path"] and not arguments["inputs"] and not arguments["inputsFile"]:
            raise Refused("inputs", "no inputs are given, forward takes (Tensor x); give one --input float32[2,3] for each, or --inputs FILE")
        return opened()
    if verb == "trace":
        return {"values": arguments["out"]}
    if verb == "match":
        return {**tell(SCENARIO, number, out), **SCENARIO.get("matched", {})}
    if verb == "advance":
        ADVANCED[0] += 1
        return compose({**arguments, "weights": False})
    if verb == "match-again":
        found = {"findings": [], "candidates": [], "stopped": [], **(SCENARIO.get("rounds", []) + [{}] * 9)[ADVANCED[0] - 1]}
        return {**tell(found, number, out, round=ADVANCED[0] + 1), "notApplicable": found["stopped"]}
    if verb == "check":
        for body in SCENARIO.get("candidates", []):
            out.send(number, "artefact", candidate(**{"specs": ["float[2,64]"], "inputs": [], "findings": [], **body}))
        return {"examples": SCENARIO.get("examples", [{"rule": "fusion/add-layer-norm", "name": "fires", "ok": True, "what": ""}])}
    if verb == "component":
        return {"properties": SCENARIO.get("properties", [{"name": "kind", "status": "pass", "figures": "LayerNorm(64, eps=1e-05)"}])}
    if verb == "profile":
        if arguments["trace"]:
            (WORK[0] / arguments["trace"]).write_text('{"traceEvents": []}')
        return {"profile": profile(arguments), "trace": arguments["trace"]}
    if verb == "count":
        return {"counted": [], "how": "each kernel by itself", "absent": [], **SCENARIO.get("counted", {})}
    if verb == "doctor":
        return {"health": SCENARIO.get("health", HEALTH)}
    if verb == "bench":
        return {"bench": bench(arguments)}
    if verb in ("compile", "freeze"):
        return {}
    if verb == "graph":
        out.send(number, "verdict", {**verdict({"candidate": "cuda-graph", "timing": True}), **SCENARIO.get("graph", {})})
        return {}
    if verb == "compose":
        return compose(arguments)
    if verb == "compare":
        out.send(number, "progress", {"what": "equivalence", "done": 1, "total": 2})
        out.send(number, "verdict", verdict(arguments))
        if SCENARIO.get("worstInputs") and arguments.get("worstInputs"):
            pathlib.Path(arguments["worstInputs"]).write_text("values")
        return {}
    raise ValueError("no such verb: " + verb)


def fault_of(request):
    for index, fault in enumerate(SCENARIO.get("faults", [])):
        if fault["engine"] != NAME or fault["verb"] != request["verb"]:
            continue
        if any(key in fault and fault[key] != request["arguments"].get(key) for key in ("candidate", "weights", "timing", "base", "out", "inputs")):
            continue
        count = FOLDER / f"fault-{index}.count"  # it outlives this process
        seen = int(count.read_text()) if count.exists() else 0
        write_whole(count, str(seen + 1))
        if seen < fault.get("times", 1):
            return fault["do"]
    return None


def fail(how, request, out):
    """True when the request is answered by the fault itself."""
    number = request["id"]
    if how.startswith("sig"):
        print("about to end", flush=True)
        os.kill(os.getpid(), getattr(signal, how.upper()))
    elif how.startswith("exit"):
        os._exit(int(how[4:]))
    elif how in ("hang", "close", "writing"):
        if how == "close":
            out.out.close()
        if how == "writing":
            (FOLDER / f".base.pt.{os.getpid()}.tmp").write_text("half")
        time.sleep(600)
    elif how == "hog":
        hog = []
        while True:
            hog.append(bytearray(b"x") * (8 << 20))
            time.sleep(0.005)
    elif how in GARBAGE:
        out.raw(GARBAGE[how])
    elif how == "huge":
        out.raw('{"version": 1, "filler": "' + "x" * (65 << 20))
    elif how == "version":
        out.send(number, "done", {}, version=2)
    elif how == "other-id":
        out.send(number + 7, "done", {})
    elif how in ("bad-body", "bad-done"):
        kind, body = ("verdict", {"outcome": "splendid"}) if how == "bad-body" else ("done", {})
        out.raw(json.dumps({"version": 1, "id": number, "type": kind, "body": body}))
    elif how.startswith("error"):  # alone, or "error at inputs: 4 are given"
        out.send(number, "error", dict(zip(("where", "what"), (how[len("error at "):] or "the model: cannot be run").split(": ", 1))))
    elif how == "orphan":  # a grandchild keeps the pipe open
        if os.fork() == 0:
            (FOLDER / "orphan.pid").write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(9)
    elif how == "no-verdict":
        out.send(number, "done", {})
    elif how == "slow":
        time.sleep(1.5)
        return False
    else:
        raise ValueError("no such fault: " + how)
    return True


def main():
    out = Messages()
    with os.fdopen(3) as requests:
        for line in requests:
            keep(line)
            request = json.loads(line)
            write_whole(FOLDER / (NAME + ".pid"), str(os.getpid()))
            fault = fault_of(request)
            if fault and fail(fault, request, out):
                continue
            try:
                out.send(request["id"], "done", answer(request, out))
            except Refused as e:
                out.send(request["id"], "error", {"where": e.args[0], "what": e.args[1]})


if __name__ == "__main__":
    main()
