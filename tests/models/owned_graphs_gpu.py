#!/usr/bin/env python3
"""Modules that kadvise has given CUDA graphs, on a GPU: made, advised on, written, loaded with the kernel library alone,
compared with the original on fresh inputs and other batch sizes, and timed.

  owned_graphs_gpu.py --bin build/release/bin --lib build/release/lib [--budget SECONDS] [--out FOLDER] [NAME ...]

Prints what kadvise says of graphs, what the runners say of themselves, and the time of a call. Nothing is asserted of times.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import make

TOLERANCE = {torch.float32: 2e-3, torch.bfloat16: 6e-2}  # relative to the largest result: TF32 and order of sums


class Decoder(torch.nn.Module):
    """A language model as written by hand: causal mask from shapes, attention written out, and the choice of the last token,
    which the host reads where `reads` says so."""

    def __init__(self, layers=4, width=256, heads=4, words=1000, reads=False):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(words, width), torch.nn.Embedding(128, width)
        self.blocks = torch.nn.ModuleList(torch.nn.ModuleDict({
            "before": torch.nn.LayerNorm(width), "qkv": torch.nn.Linear(width, 3 * width), "out": torch.nn.Linear(width, width),
            "between": torch.nn.LayerNorm(width), "up": torch.nn.Linear(width, 4 * width), "down": torch.nn.Linear(4 * width, width),
        }) for _ in range(layers))
        self.norm, self.heads, self.reads = torch.nn.LayerNorm(width), heads, reads

    def forward(self, ids):
        b, n = ids.shape
        x = self.words(ids) + self.places(torch.arange(n, device=ids.device))
        allowed = torch.ones(n, n, dtype=torch.bool, device=ids.device).tril()
        for block in self.blocks:
            q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in block["qkv"](block["before"](x)).chunk(3, -1))
            scores = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).masked_fill(~allowed, float("-inf"))
            x = x + block["out"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))
            x = x + block["down"](torch.nn.functional.gelu(block["up"](block["between"](x))))
        x = self.norm(x)
        if self.reads:
            x = x[x.abs().amax(-1) > 0].view(b, n, -1)
        return x @ self.words.weight.t(), x[:, -1]


def decoder(batch, **options):
    return Decoder(**options), (torch.randint(1000, (batch, 24)),), "trace"


MODELS = {"decoder": decoder, "decoder-that-reads": lambda b: decoder(b, reads=True)}


def build(name, batch, seed):
    """Model, inputs, how: of this file or of make.py."""
    torch.manual_seed(seed)
    return (MODELS.get(name) or make.MODELS[name])(batch)


def made(name, dtype, path):
    module, inputs, how = build(name, 2, 0)
    module = module.eval().to("cuda", dtype)
    inputs = on_gpu(inputs, dtype)
    with torch.no_grad():
        module = torch.jit.script(module) if how == "script" else torch.jit.trace(module, inputs, check_trace=False, strict=False)
    torch.jit.save(module, str(path))
    torch.save(inputs, path.with_suffix(".inputs.pt"))


def on_gpu(inputs, dtype):
    return tuple(t.to("cuda", dtype if t.is_floating_point() else None) for t in inputs)


def tensors(out):
    if torch.is_tensor(out):
        return [out]
    return [t for o in (out.values() if isinstance(out, dict) else out) for t in tensors(o)]


def difference(want, have):
    return max(float((a.float() - b.float()).abs().max() / a.float().abs().max().clamp_min(1e-6)) for a, b in zip(tensors(want), tensors(have)))


def call_us(module, inputs, calls=60):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(10):
        module(*inputs)
    times = []
    for _ in range(calls):
        torch.cuda.synchronize()
        begin.record()
        module(*inputs)
        end.record()
        end.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return statistics.median(times)


def runner_states(module):
    return [json.loads(getattr(module, f"kadvise_runner_{i}").state()) for i in range(64) if hasattr(module, f"kadvise_runner_{i}")]


def compare(name, dtype, original, fast):
    """Lines where results differ."""
    wrong = []
    for batch, seed in ((2, 1), (2, 2), (2, 3), (1, 4), (3, 5), (2, 6)):
        inputs = on_gpu(build(name, batch, seed)[1], dtype)
        kept = [t.clone() for t in inputs]
        want = original(*inputs)
        for _ in range(6):  # plainly, captured, replayed
            have = fast(*inputs)
            off = difference(want, have)
            if not off <= TOLERANCE[dtype]:
                wrong.append(f"batch {batch}, seed {seed}: off by {off:.1e}")
        if not all(torch.equal(a, b) for a, b in zip(inputs, kept)):
            wrong.append(f"batch {batch}, seed {seed}: inputs are changed")
    first, again = fast(*inputs), fast(*on_gpu(build(name, 2, 9)[1], dtype))
    if difference(original(*inputs), first) > TOLERANCE[dtype]:
        wrong.append("a later call changes earlier results")
    return wrong


def advise(args, path, fast):
    command = [args.bin / "kadvise", path, "--inputs", path.with_suffix(".inputs.pt"), "--device", "cuda", "--budget", args.budget, "--apply", "-o", fast,
               "--json", "-", "--no-config"]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=path.parent)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        raise RuntimeError(f"kadvise said nothing: {run.stderr[-400:]}") from None


def say(report):
    graph = report.get("cudaGraph", {})
    whole = report["whole"]
    print(f"  whole: {whole['outcome']} {whole['speedup']['mid']} {whole['reason'][:300]}")
    print("  graphs:", json.dumps({k: v for k, v in graph.items() if k != "blockers"}))
    for b in graph.get("blockers", []):
        print(f"    {b['where']['file']}:{b['where']['line']} {b['reason']} [{b['rule']}]")
    for v in report["verdicts"]:
        if v["candidate"] in ("cuda-graph", "without-graphs", "written"):
            print(f"  {v['candidate']}: {v['outcome']} {v['speedup']['mid']} {v['accuracy']['grade']} {v['reason'][:400]}")
            print("   ", {k: round(c, 3) for k, c in v["after"]["counters"].items() if k.startswith(("graph", "compile"))}, "peak", v["after"]["peakBytes"])
    print("  timing:", {k: round(s, 1) for k, s in report["timing"].items()}, "errors:", report["errors"])


def check(args, name, folder):
    dtype = getattr(torch, args.dtype)
    path, fast_path = folder / f"{name}.pt", folder / f"{name}.fast.pt"
    made(name, dtype, path)
    report = advise(args, path, fast_path)
    say(report)
    if not fast_path.exists():
        print("  not written:", report.get("output"))
        return report["cudaGraph"]["status"] in ("not-worth-it", "not-capturable")
    with torch.no_grad():
        original, fast = torch.jit.load(str(path)).eval(), torch.jit.load(str(fast_path))
        wrong = compare(name, dtype, original, fast)
        inputs = on_gpu(build(name, 2, 0)[1], dtype)
        print(f"  call: {call_us(original, inputs):.1f} us as loaded, {call_us(fast, inputs):.1f} us optimised")
        for state in runner_states(fast):
            print("  runner:", json.dumps(state))
    for line in wrong:
        print("  WRONG", line)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["encoder", "resnet-small", "decoder", "decoder-that-reads"])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--lib", type=pathlib.Path, required=True)
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="bfloat16")
    parser.add_argument("--budget", default="8")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU: skipped")
        return 77
    args.bin = args.bin.resolve()
    torch.ops.load_library(str((args.lib / "libkadvise_kernels.so").resolve()))
    well = True
    for name in args.names:
        with tempfile.TemporaryDirectory(prefix="kadvise-owned-") as folder:
            print(name, flush=True)
            try:
                well = check(args, name, args.out or pathlib.Path(folder)) and well
            except Exception as e:
                print("  FAILED", type(e).__name__, str(e)[-600:])
                well = False
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
