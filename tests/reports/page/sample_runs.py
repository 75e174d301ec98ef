"""sample_runs.py FOLDER: reports shaped like those of real runs on a GPU, made by hand, for the views of them.

Their figures are near those of BERT-base in bfloat16; samples and kernels are drawn around them with a fixed seed.
"""

import copy
import json
import math
import pathlib
import random
import sys

random.seed(7)

HOSTILE = ["</script><script>window.hacked = 1</script>", "<img src=x onerror=\"window.hacked = 1\">", "\"' onmouseover=window.hacked=1 x='",
           "</title><svg onload=window.hacked=1>", "<!-- <script>", "]]>&lt;b&gt;&amp;", "\u2028\u2029\u202e\x1b[31m", "@everyone [x](javascript:window.hacked=1) | `code` | **b**"]


def location(scope="", file="", line=0, snippet=""):
    return {"file": file, "line": line, "column": 0, "endLine": 0, "endColumn": 0, "scope": scope, "snippet": snippet}


def kernels(names, total_us):
    start, out = 0.0, []
    weights = [random.uniform(0.5, 1.5) * w for _, _, w in names]
    for (name, op, _), weight in zip(names, weights):
        duration = total_us * weight / sum(weights) * 0.92
        out.append({"name": name, "op": op, "scope": "model.encoder", "where": location("model.encoder"), "startUs": round(start, 2), "durationUs": round(duration, 2),
                    "grid": [64, 1, 1], "block": [128, 1, 1], "bytes": 0})
        start += duration + total_us * 0.08 / len(names)
    return out


def held_up(launched, by=4):
    """As recorded: the host is slower, and the gaps between kernels longer."""
    return [{**k, "startUs": k["startUs"] * by} for k in launched]


def samples(median_us, spread=0.01, n=80):
    return [round(median_us * math.exp(random.gauss(0, spread)), 3) for _ in range(n)]


def measurement(subject, us, peak, launched, n=80):
    return {"subject": subject, "device": "NVIDIA H200", "timings": [{"regime": "warm", "wallUs": samples(us, n=n) if us else [], "busyUs": [], "throttled": False}] if us else [],
            "kernels": launched, "counters": {"casesJudged": 34, "casesLeftOut": 2, "controlLow": 0.998, "controlHigh": 1.002, "timedUnits": n / 2}, "peakBytes": peak, "firstCallMs": 41.5}


def accuracy(grade, worst="normal"):
    return {"rmsUlp": 0.31, "p999Ulp": 1.9, "maxUlp": 3.5, "bias": 0.002, "scale": 1.0, "grade": grade, "worstCase": worst}


def case_errors(worst=0.41):
    """Some cases off by a little, most bit for bit equal, one that says nothing."""
    def row(name, share, grade="within-bound", output="output 0", unjudged=""):
        return {"name": name, "output": output, "grade": grade, "unjudged": unjudged, "rmsUlp": round(2.4 * share, 3), "p999Ulp": round(4.6 * share * 0.9, 3), "maxUlp": round(8.5 * share * 0.8, 3),
                "rmsBound": 2.4, "p999Bound": None if name == "length 1" else 4.6, "maxBound": 8.5, "ofBound": share}
    off = [row(name, round(worst * f, 3)) for name, f in (("inputs", 0.5), ("large", 1.0), ("cancelling", 0.9), ("length 1", 0.3))]
    return off + [row(name, 0.0, "bitwise", "") for name in ("zeros", "tiny", "negative")] + [row("infinite", 0.0, "", "", "no finite output")]


def verdict(candidate, findings, outcome, speedup, before_us, grade="at-least-as-accurate", before=(), after=(), peaks=(3 << 20, 2 << 20), reason=""):
    low, mid, high = speedup
    return {"candidate": candidate, "findings": findings, "outcome": outcome, "speedup": {"low": low, "mid": mid, "high": high}, "accuracy": accuracy(grade), "reason": reason,
            "before": measurement(candidate + ".before.pt", before_us, peaks[0], list(before)), "after": measurement(candidate + ".after.pt", before_us / mid if mid else 0, peaks[1], list(after))}


ADD_NORM = [("void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::BFloat16>>", "aten::add", 0.4),
            ("void at::native::vectorized_layer_norm_kernel<c10::BFloat16>", "aten::layer_norm", 1)]
FUSED_NORM = [("void kadvise::add_layer_norm_kernel<__nv_bfloat16, 768>", "kadvise::add_layer_norm", 1)]
ATTENTION = [("ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_tn", "aten::matmul", 1), ("elementwise_kernel<div>", "aten::div", 0.5), ("elementwise_kernel<add>", "aten::add", 0.5),
             ("softmax_warp_forward<c10::BFloat16>", "aten::softmax", 1), ("ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_nn", "aten::matmul", 1)]
FLASH = [("pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128>>", "aten::scaled_dot_product_attention", 1)]
LINEAR = [("nvjet_tst_64x64_64x16_4x1_v_bz_TNT", "aten::linear", 2)]

# rule, replacement, message, sites, before us (one site), factor, grade, level, file, line, scope, snippet, kernels before and after
ITEMS = [
    ("fusion/attention-written-out", "scaled_dot_product_attention", "attention written out can be scaled_dot_product_attention", 12, 75.7, 3.47, "at-least-as-accurate", 1,
     "models/bert/modeling_bert.py", 133, "model.encoder.layer.{}.attention.self", "attn_weights = torch.matmul(query, key.transpose(2, 3)) * scaling", ATTENTION, FLASH),
    ("fusion/sibling-linears", "one product with the weights joined", "3 products read the same input: with their weights joined they are one", 12, 78.9, 2.56, "bitwise", 1,
     "", 0, "model.encoder.layer.{}.attention.self.query", "", LINEAR * 3, LINEAR),
    ("fusion/add-layer-norm", "add and LayerNorm in one kernel", "a residual add and its LayerNorm can be one kernel", 24, 19.0, 1.96, "at-least-as-accurate", 5,
     "", 0, "model.encoder.layer.{}.attention.output.LayerNorm", "", ADD_NORM, FUSED_NORM),
    ("memory/recomputed-from-shapes", "a table for the sizes that were seen", "5 operators compute here what only shapes and parameters decide, anew in each call", 1, 26.1, 2.53, "bitwise", 1,
     "site-packages/transformers/masking_utils.py", 510, "model", "mask = torch.arange(kv_length, device=cache_position.device)", ADD_NORM, FUSED_NORM),
]

IR_BEFORE = "graph(%self : __torch__.kadvise.Before,\n      %3 : Tensor,\n      %4 : Tensor):\n  %6 : int = prim::Constant[value=1]()\n  %8 : int[] = prim::Constant[value=[768]]()\n  %x.1 : Tensor = aten::add(%3, %4, %6)\n  %y.1 : Tensor = aten::layer_norm(%x.1, %8, %w0, %w1, %9, %10)\n  return (%y.1)\n"
IR_AFTER = "graph(%self : __torch__.kadvise.After,\n      %3 : Tensor,\n      %4 : Tensor):\n  %5 : int[] = prim::Constant[value=[768]]()\n  %y.1 : Tensor, %s.1 : Tensor = kadvise::add_layer_norm(%3, %4, %5, %w0, %w1, %6)\n  return (%y.1)\n"

PAGES = {"title": "", "sections": {"Why it costs": "Each operator reads its input from memory and writes its result back: what lies between is moved **twice** for nothing.\n\n- one launch for each operator\n- no reuse in registers",
                                   "What to write instead": "In Python:\n\n```python\ny = torch.ops.kadvise.add_layer_norm(x, r, [768], weight, bias, 1e-12)[0]\n```\n\nThe operator is in `libkadvise_kernels.so`.", "In C++": "`c10::Dispatcher::singleton().findSchemaOrThrow(\"kadvise::add_layer_norm\", \"\")`."}}


def finding(number, rule, message, where, severity="opportunity", related=(), candidate=""):
    out = {"id": f"{number:016x}", "rule": rule, "message": message, "severity": severity, "where": where, "related": list(related), "fixes": [],
           "estimate": {"bytesSaved": 393216.0, "flops": 0.0, "speedup": 1.9, "savedUs": 1.3, "basis": "roofline estimate for H200"}}
    if candidate:
        out["fixes"] = [{"title": rule, "safety": "safe", "rewrite": {"candidate": candidate, "before": IR_BEFORE, "after": IR_AFTER, "level": 1, "exactness": "reassociates", "domain": ""}}]
    return out


def candidate(name, rule, title, level, findings, domain=""):
    return {"id": name, "rule": rule, "title": title, "level": level, "exactness": "reassociates", "domain": domain, "before": name + ".before.pt", "after": name + ".after.pt", "beforeFp64": "", "afterFp64": "",
            "names": {}, "inputs": ["v1"], "findings": findings, "ofRegion": False, "parts": []}


def modules():
    def cost(path, kind, us, own, flops, moved, whole=534.0):
        return {"path": path, "class": kind, "nodes": 4, "bytesRead": moved * 0.7, "bytesWritten": moved * 0.3, "flops": flops, "estimatedUs": us, "ownUs": own, "share": us / whole}
    out = [cost("", "BertModel", 534, 0, 44.8e9, 310e6), cost("model", "BertModel", 534, 6, 44.8e9, 310e6), cost("model.embeddings", "BertEmbeddings", 12, 12, 1e6, 40e6), cost("model.encoder", "BertEncoder", 500, 0, 44.7e9, 270e6)]
    for i in range(12):
        p = f"model.encoder.layer.{i}"
        out += [cost(p, "BertLayer", 41.6, 0, 3.7e9, 22e6), cost(p + ".attention.self", "BertSdpaSelfAttention", 17, 5, 1.1e9, 8e6), cost(p + ".attention.self.query", "Linear", 4, 4, 3e8, 2e6),
                cost(p + ".attention.output.LayerNorm", "LayerNorm", 2, 2, 3e6, 1.2e6), cost(p + ".intermediate.dense", "Linear", 9, 9, 1.2e9, 6e6), cost(p + ".output.dense", "Linear", 9, 9, 1.2e9, 6e6)]
    return out


def capability(kind, cut=False):
    first, last = location("model.embeddings", "models/bert/modeling_bert.py", 93), location("model.encoder.layer.11", "models/bert/modeling_bert.py", 350)
    region = {"operators": 210, "share": 1.0, "first": first, "last": last}
    regions = [{**region, "operators": 70, "share": 0.62}, {**region, "operators": 140, "share": 0.36}] if cut else [region]
    cuts = [{"rule": "graph-break/host-read", "findings": [f"{901:016x}"], "where": location("model.pooler", "models/bert/modeling_bert.py", 401)}] if cut else []
    return {"kind": kind, "regions": regions, "cuts": cuts, "share": 0.98 if cut else 1.0}


def empty():
    nothing = {"candidate": "whole", "findings": [], "outcome": "not-run", "speedup": {"low": None, "mid": None, "high": None}, "accuracy": {**accuracy(""), "rmsUlp": 0, "worstCase": ""}, "reason": "",
               "before": measurement("", 0, 0, []), "after": measurement("", 0, 0, [])}
    return {"version": 1, "tool": {"name": "kadvise", "version": "0.1.0"}, "command": ["kadvise", "bert.pt", "--inputs", "batch.pt"], "environment": {"torch": "2.11.0+cu130", "driver": "580.95"},
            "device": {"kind": "cuda", "index": 0, "name": "NVIDIA H200", "arch": 90}, "subject": {"path": "bert.pt", "format": "traced", "nodes": 809, "parameters": 197, "parameterBytes": 218 << 20,
            "arguments": [{"name": "input_ids", "type": "Tensor"}]}, "inputs": {"specs": ["int64[2,128]<30522"], "from": "file", "file": "batch.pt", "seed": 0}, "configuration": "", "findings": [], "suppressed": [],
            "verdicts": [], "whole": nothing, "candidates": [], "refused": [], "notApplicable": [], "composition": {"applied": [], "dropped": [], "notes": []}, "modules": [], "rules": {}, "errors": [],
            "timing": {"load": 1.2, "total": 61.0}, "notes": []}


def add_items(run):
    number = 0
    for index, (rule, title, message, sites, us, gain, grade, level, file, line, scope, snippet, before, after) in enumerate(ITEMS):
        name, ids = f"C{index + 1}", []
        for site in range(sites):
            number += 1
            ids.append(f"{number:016x}")
            run["findings"].append(finding(number, rule, message, location(scope.format(site), file, line, snippet), candidate=name if site == 0 else ""))
        domain = "rows that the mask sets wholly to -inf: NaN becomes 0" if index == 0 else ""
        run["candidates"].append(candidate(name, rule, title, level, ids, domain))
        run["verdicts"].append(verdict(name, ids, "faster", (gain * 0.985, gain, gain * 1.012), us, grade, kernels(before, us * 0.8), kernels(after, us * 0.8 / gain)))
        run["composition"]["applied"].append({"candidate": name, "sites": sites})
        run["rules"][rule] = {**PAGES, "title": message}


def add_others(run):
    slow = f"{900:016x}"
    run["findings"] += [finding(900, "fusion/linear-add", "a linear layer and its residual add can be one product", location("model.encoder.layer.0.output"), candidate="C9"),
                        finding(901, "graph-break/host-read", "aten::item reads a number from the GPU: the host waits for all work before it", location("model.pooler", "models/bert/modeling_bert.py", 401, "if mask.sum().item() == 0:"), "warning"),
                        finding(902, "memory/copying-reshape", "aten::contiguous copies bfloat16[2,128,12,64], because its order in memory does not fit the new shape",
                                location("model.encoder.layer.0.attention.self", "models/bert/modeling_bert.py", 134, "context = context.transpose(1, 2).contiguous()"), "note")]
    run["candidates"].append(candidate("C9", "fusion/linear-add", "linear and add in one product", 5, [slow]))
    run["verdicts"].append(verdict("C9", [slow], "same", (0.99, 1.0, 1.01), 31, "bitwise", reason="nothing shows that it is faster"))
    run["refused"].append({"rule": "fusion/add-layer-norm", "where": location("model.embeddings.LayerNorm"), "mismatch": {"at": "", "reason": "the operands of the add differ in shape"}})
    run["notApplicable"] = [{"rule": f"fusion/rule-{i}", "reason": "no such operator"} for i in range(9)]


def advice():
    run = empty()
    add_items(run)
    add_others(run)
    before = (LINEAR * 3 + ATTENTION + LINEAR + ADD_NORM + LINEAR * 2 + ADD_NORM) * 15 + LINEAR * 4
    after = (LINEAR + FLASH + LINEAR + FUSED_NORM + LINEAR * 2 + FUSED_NORM) * 18
    run["whole"] = verdict("whole", [], "faster", (5.48, 5.53, 5.60), 3820, "within-bound", held_up(kernels(before, 1900)), kernels(after, 520), (3607101, 393216))
    run["caseErrors"] = {"whole": case_errors(0.62), "C1": case_errors(), "C2": [c for c in case_errors() if c["grade"] == "bitwise"], "C3": case_errors(0.2)}
    run["estimate"] = {"gpu": "H200", "reason": "the one in use", "kernels": 126, "bytesRead": 220e6, "bytesWritten": 90e6, "flops": 44.8e9, "estimatedUs": 534, "withoutFormula": [], "loopsOfUnknownLength": 0}
    run["modules"] = modules()
    run["memory"] = {"peakBytes": 3.4 * 2**20, "where": location("model.encoder.layer.0.intermediate", "activations.py", 89), "op": "aten::gelu", "parameterBytes": 218 << 20, "inputBytes": 4096,
                     "largest": [{"bytes": 1.5 * 2**20, "type": "bfloat16[2,128,3072]", "op": "aten::gelu", "where": location("model.encoder.layer.0.intermediate")}]}
    run["readiness"] = {"basis": "time", "judgedBy": ["graph-break/host-read"], "capabilities": [capability("cuda-graph", True), capability("fusion"), capability("compile", True), capability("export")]}
    run["cudaGraph"] = {"status": "applied", "reason": "", "parts": 1, "launches": 126, "allLaunches": 126, "poolBytes": 22 << 20, "blockers": []}
    run["search"] = [{"tried": "all that is equal and not slower in its region", "set": ["C1", "C2", "C3", "C4"], "against": [], "outcome": "faster", "speedup": {"low": 1.64, "mid": 1.66, "high": 1.69}, "decision": "the start"}]
    return run


def profile():
    run = empty()
    run["command"] = ["kadvise", "profile", "bert.pt", "--counters", "4"]
    launched = kernels((LINEAR * 3 + ATTENTION + LINEAR + ADD_NORM) * 12, 1900)
    rows = {}
    for k in launched:
        row = rows.setdefault(k["name"], {"name": k["name"], "op": k["op"], "where": k["where"], "launches": 0, "us": 0.0, "share": 0.0, "longestUs": 0.0, "grid": [64, 1, 1], "block": [128, 1, 1],
                                          "registers": 64, "cluster": 0, "sharedBytes": 0, "bytes": 0, "occupancy": 0.5})
        row["launches"] += 1
        row["us"] += k["durationUs"]
    total = sum(r["us"] for r in rows.values())
    listed = sorted(({**r, "share": r["us"] / total} for r in rows.values()), key=lambda r: -r["us"])

    def times(names):
        return [{"name": n, "where": location(n), "calls": 12, "us": total * s, "share": s} for n, s in names]
    view = {"mode": "as-loaded", "basis": "gpu-kernels", "timing": {"regime": "warm", "wallUs": samples(3820), "busyUs": [], "throttled": False}, "wallUs": {"low": 3790, "mid": 3820, "high": 3850}, "kernels": listed,
            "operators": times([("aten::linear", 0.5), ("aten::matmul", 0.3), ("aten::layer_norm", 0.2)]), "modules": times([("model.encoder.layer.0.attention.self", 0.6), ("model.embeddings", 0.4)]),
            "lines": times([("models/bert/modeling_bert.py:133", 1.0)]), "launches": launched, "leftOut": 0, "captureMs": 0, "instantiateMs": 0}
    points = [{"us": i * 19.0, "bytes": abs(math.sin(i / 7)) * 3e6 + 4e5} for i in range(200)]
    counted = [{"name": r["name"], "op": r["op"], "where": r["where"], "us": r["us"] / r["launches"], "dramReadBytes": 3e6, "dramWriteBytes": 1e6, "dramBytesPerSecond": 2.1e12, "dramShareOfPeak": 0.44,
                "tensorShareOfPeak": 0.2, "tensorInstructions": 1e5, "tensorFlop": f, "fp32Flop": 1e6, "flopPerSecond": f / r["us"] * 1e6, "occupancy": 0.4, "bound": "memory", "why": "DRAM moves 44 % of what it can",
                "metrics": {}} for r, f in zip(listed, (6e8, 2e8, 1e6, 1e6))]
    run["profile"] = {"firstCallMs": 812, "warmUpMs": [5, 4, 4], "compileMs": 820, "views": [view], "memory": {"peakBytes": 3.4e6, "peakUs": 200, "allocatedBytes": 9e7, "allocations": 400, "points": points,
                      "atPeak": [{"bytes": 1.5e6, "op": "aten::linear", "where": location("model.encoder.layer.0.intermediate.dense")}]}, "counted": counted, "countedHow": "each kernel by itself", "absent": [], "notes": []}
    run["modules"], run["estimate"] = modules(), advice()["estimate"]
    return run


def levels():
    run = empty()
    run["command"] = ["kadvise", "levels", "bert.pt"]
    rows = [(0, "as loaded", 3820, 1), (1, "ATen operators", 3820, 1.4), (2, "frozen TorchScript", 3820, 1.3), (3, "CUDA graph", 3820, 5.0), (4, "generated kernels", 3820, 5.31), (5, "kernels of kadvise", 3820, 5.53)]
    run["levels"] = [{"level": n, "name": name, "notes": [], "verdict": verdict(name, [], "faster" if n else "same", (f * 0.99, f, f * 1.01), us)} for n, name, us, f in rows]
    return run


def bench():
    run = empty()
    run["command"] = ["kadvise", "bench", "kadvise::rms_norm"]

    def row(inputs, us, moved, share, refused=""):
        return {"inputs": inputs, "schema": "kadvise::rms_norm(Tensor x, Tensor weight, float eps) -> Tensor", "us": {"low": us * 0.994, "mid": us, "high": us * 1.008}, "bytes": moved,
                "bytesPerSecond": moved / us * 1e6 if us else 0, "shareOfCopy": share, "refused": refused}
    run["bench"] = {"op": "kadvise::rms_norm", "copyBytes": 2**28, "copyBytesPerSecond": 4.0e12, "notes": ["operands stay in the L2 cache below 50 MiB"],
                    "rows": [row("float32[4096,4096]", 36.1, 2**27, 0.93), row("float32[64,4096]", 2.4, 2**21, 1.2), row("float32[1048576,4096]", 0, 0, 0, "out of memory")]}
    return run


def parts():
    """A region's change takes in the proposals for places inside of it."""
    run = advice()
    run["candidates"][1]["ofRegion"], run["candidates"][1]["parts"] = True, ["C3"]
    inside = run["verdicts"][2]
    inside.update(outcome="not-run", reason="a part of another (C2)", speedup={"low": None, "mid": None, "high": None})
    run["composition"]["applied"] = [a for a in run["composition"]["applied"] if a["candidate"] != "C3"]
    return run


def regressed(old):
    """The same a day later: two LayerNorms are no longer fused, and the kernel for attention is slower."""
    run = copy.deepcopy(old)
    run["command"].append("--json")
    run["command"].append("new.json")
    run["composition"]["applied"][2]["sites"] = 22
    run["candidates"][2]["findings"] = run["candidates"][2]["findings"][2:]
    run["refused"].append({"rule": "fusion/add-layer-norm", "where": location("model.encoder.layer.0.attention.output.LayerNorm"), "mismatch": {"at": "%x.1", "reason": "is read elsewhere, too"}})
    for k in run["whole"]["after"]["kernels"]:
        if "flash" in k["name"]:
            k["durationUs"] *= 1.6
    run["whole"]["after"]["timings"][0]["wallUs"] = [us * 1.13 for us in run["whole"]["after"]["timings"][0]["wallUs"]]
    run["whole"]["speedup"] = {"low": 4.83, "mid": 4.89, "high": 4.95}
    run["findings"] = [f for f in run["findings"] if f["id"] != f"{902:016x}"]
    run["notApplicable"].append({"rule": "memory/copying-reshape", "reason": "no copy"})
    run["findings"].append(finding(903, "graph-break/print", "prim::Print writes from forward", location("model.pooler", "models/bert/modeling_bert.py", 402, "print(x)"), "warning"))
    return run


def large(n=5000):
    run = advice()
    rules = ["memory/copying-reshape", "graph-break/host-read", "precision/float32-matmul"]
    for i in range(n):
        run["findings"].append(finding(10_000 + i, rules[i % 3], f"what was found at place {i}", location(f"model.blocks.{i}.mixer", "models/large.py", 10 + i, f"y = self.mix(x, {i})"), ["note", "warning", "opportunity"][i % 3]))
    return run


def hostile():
    run = advice()
    run["subject"]["path"] = HOSTILE[0]
    run["command"] = ["kadvise", *HOSTILE]
    run["device"]["name"] = HOSTILE[1]
    run["environment"][HOSTILE[4]] = HOSTILE[1]
    for i, f in enumerate(run["findings"]):
        f["message"] += " " + HOSTILE[i % len(HOSTILE)]
        f["where"].update(scope=HOSTILE[(i + 1) % len(HOSTILE)], file=HOSTILE[(i + 2) % len(HOSTILE)], snippet=HOSTILE[(i + 3) % len(HOSTILE)])
        for fix in f["fixes"]:
            fix["rewrite"]["before"] = fix["rewrite"]["after"] = "\n".join(HOSTILE)
    for side in ("before", "after"):
        for i, k in enumerate(run["whole"][side]["kernels"]):
            k["name"], k["op"] = HOSTILE[i % len(HOSTILE)], HOSTILE[(i + 1) % len(HOSTILE)]
    for m in run["modules"][2:]:
        m["class"] = HOSTILE[0]
    for text in run["rules"].values():
        text["title"] = HOSTILE[3]
        text["sections"] = {"Why it costs": "\n\n".join(HOSTILE), "What to write instead": "```\n" + "\n".join(HOSTILE) + "\n```"}
    run["refused"][0]["mismatch"]["reason"] = HOSTILE[1]
    run["notes"] = HOSTILE
    return run


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    old = advice()
    for name, run in {"advice": old, "regressed": regressed(old), "profile": profile(), "levels": levels(), "large": large(), "bench": bench(), "parts": parts(), "hostile": hostile(), "empty": empty()}.items():
        (folder / f"{name}.json").write_text(json.dumps(run))


if __name__ == "__main__":
    main(sys.argv[1])
