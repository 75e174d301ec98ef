"""sample_lint.py FOLDER: reports of `kadvise lint` shaped like real ones, made by hand, for the page of them."""

import json
import pathlib
import sys

from sample_runs import HOSTILE

RULES = {
    "cuda/uncoalesced-access": ("warning", "likely", "neighbouring threads read addresses far apart", ["memory"], """Neighbouring lanes of a warp touch addresses that are
`stride` apart, so a load of 32 values moves 32 sectors.""", """Let `threadIdx.x` run over the fastest index:

```cpp
out[row * n + threadIdx.x] = in[row * n + threadIdx.x];
```"""),
    "cuda/double-literal": ("opportunity", "certain", "a double literal makes float arithmetic double", ["precision"], "Arithmetic in double is 1/64 as fast on most GPUs.", "- `0.5f`, with its suffix\n- or `constexpr float`"),
    "cuda/removed-api": ("error", "certain", "a function that CUDA has removed", ["build"], "It does not compile with CUDA 13.", "`cudaDeviceSynchronize()` instead of `cudaThreadSynchronize()`."),
    "libtorch/size-in-int": ("note", "certain", "a size is kept in an int", ["correctness"], "A tensor may have more than 2^31 elements.", "`int64_t`"),
}
# rule, file, line, columns, source line, message, notes of related places, safety and text of the fix
FOUND = [
    ("cuda/uncoalesced-access", "src/transpose.cu", 14, (3, 41), "  out[threadIdx.x * n + row] = in[row * n + threadIdx.x];", "lanes 0 and 1 touch bytes 0 and 4096 of out: 32 sectors move instead of 4",
     [(14, "stride of 1024 floats comes from here", "  int n = gridDim.x;"), (22, "and here", "  out[threadIdx.x * n + row + 1] = 0.f;")], None),
    ("cuda/double-literal", "src/scale.cu", 4, (28, 31), "  if (i < n) x[i] = x[i] * 0.5;", "0.5 is a double, and the product with it", [], ("safe", "write 0.5f", "0.5f")),
    ("cuda/removed-api", "src/scale.cu", 8, (3, 26), "  cudaThreadSynchronize();", "cudaThreadSynchronize was removed", [], ("safe", "call cudaDeviceSynchronize", "cudaDeviceSynchronize")),
    ("libtorch/size-in-int", "src/bindings.cpp", 31, (7, 26), "  int größe = x.size(0);  // naïve", "size() is kept in an int", [(40, "and here", "  int n = x.numel();")], ("unsafe", "make it int64_t", "int64_t")),
]


def place(file, line, columns, snippet, note=""):
    out = {"file": file, "line": line, "column": columns[0], "endLine": line, "endColumn": columns[1], "scope": "", "snippet": snippet}
    return {**out, "note": note} if note else out


def finding(number, rule, file, line, columns, snippet, message, related, fix):
    fixes = [{"title": fix[1], "safety": fix[0], "edits": [{"file": file, "offset": 90, "length": 3, "text": fix[2]}]}] if fix else []
    return {"id": f"{number:016x}", "rule": rule, "message": message, "severity": RULES[rule][0], "confidence": RULES[rule][1], "where": place(file, line, columns, snippet), "fixes": fixes,
            "related": [place(file, at, (3, 0), text, note) for at, note, text in related]}


def linted(path, findings=(), **changes):
    return {"path": path, "tier": "stub", "failure": "", "findings": list(findings), "errors": [], "errorCount": 0, "missing": [], "dependencies": [], "kernels": 2, "brokenKernels": 0, "suppressed": 0, "known": 0, **changes}


def rule_text(severity, confidence, title, tags, why, instead):
    return {"title": title, "severity": severity, "confidence": confidence, "tags": tags, "sections": {"What it finds": title + ".", "Why it costs": why, "What to write instead": instead, "Limits": "None known."}}


def report(files):
    used = {f["rule"] for file in files for f in file["findings"]}
    return {"version": 1, "tool": {"name": "kadvise", "version": "0.1.0"}, "command": ["kadvise", "lint", "src/"], "files": files, "rules": {id: rule_text(*RULES[id]) for id in sorted(used)}, "fixed": [], "dryRun": False,
            "cached": 0, "notes": [], "errors": []}


def few():
    found = [finding(i + 1, *row) for i, row in enumerate(FOUND)]
    of = lambda name: [f for f in found if f["where"]["file"] == name]
    files = [linted(name, of(name)) for name in ("src/bindings.cpp", "src/scale.cu", "src/transpose.cu")]
    files += [linted("src/clean.cu", suppressed=2, known=1), linted("src/vendored.cu", errorCount=7, errors=[{"line": 3, "message": "unknown type name 'cutlass_t'"}], missing=["cutlass/cutlass.h"], brokenKernels=1),
              linted("src/huge.cu", failure="is larger than 4 MiB", tier="", kernels=0)]
    run = report(files)
    run["fixed"] = [{"path": "src/other.cu", "fixes": 1, "diff": "--- src/other.cu\n+++ src/other.cu\n@@ -1 +1 @@\n-x * 0.5;\n+x * 0.5f;\n"}]
    run["notes"] = ["src/gone.cu: no such file or folder"]
    return run


def many(n=5000):
    rows = []
    for i in range(n):
        rule, _, _, columns, snippet, message, related, fix = FOUND[i % len(FOUND)]
        rows.append(finding(1000 + i, rule, f"src/kernels/part_{i // 40}.cu", 1 + i % 40 * 9, columns, snippet, f"{message} ({i})", related, fix))
    names = sorted({f["where"]["file"] for f in rows})
    by = {name: [] for name in names}
    for f in rows:
        by[f["where"]["file"]].append(f)
    return report([linted(name, by[name]) for name in names])


def hostile():
    run = few()
    run["command"] = ["kadvise", "lint", *HOSTILE]
    run["notes"] = HOSTILE
    for at, file in enumerate(run["files"]):
        file["path"] = HOSTILE[at % len(HOSTILE)]
        file["failure"] = file["failure"] and HOSTILE[1]
        file["missing"] = [HOSTILE[2]] * len(file["missing"])
        for i, f in enumerate(file["findings"]):
            f["message"] += HOSTILE[i % len(HOSTILE)]
            for p in [f["where"], *f["related"]]:
                p.update(file=HOSTILE[(i + 1) % len(HOSTILE)], snippet=HOSTILE[(i + 2) % len(HOSTILE)], note=HOSTILE[3])
            for fix in f["fixes"]:
                fix["title"], fix["edits"][0]["text"] = HOSTILE[0], HOSTILE[1]
    for id in list(run["rules"]):
        run["rules"][id].update(title=HOSTILE[3], tags=HOSTILE, sections={HOSTILE[0]: "\n\n".join(HOSTILE), "What to write instead": "```\n" + "\n".join(HOSTILE) + "\n```"})
    run["fixed"][0].update(path=HOSTILE[1], diff="\n".join(HOSTILE))
    return run


def clean():
    return report([linted("src/clean.cu")])


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, run in {"lint": few(), "lint-large": many(), "lint-hostile": hostile(), "lint-clean": clean()}.items():
        (folder / f"{name}.json").write_text(json.dumps(run))


if __name__ == "__main__":
    main(sys.argv[1])
