"""Convolution networks as they are, frozen, with norms folded, with epilogues fused, and with both in channels_last.

Each variant is composed by kadvise-graph from its candidates, and timed plain and in one CUDA graph, side by side.

    python tests/bench/layouts.py --bin build/release/bin --lib build/release/lib
"""
import argparse
import fcntl
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDING = ("fusion/conv-batch-norm", "fusion/linear-batch-norm")
EPILOGUES = ("fusion/conv-add-relu", "fusion/conv-relu", *FOLDING)
LAYOUT = "layout/convolutions-in-nchw"
PRODUCTS = ("fusion/conv-of-patches", "fusion/conv-of-signal")
VARIANTS = {"folded": FOLDING, "epilogues": EPILOGUES, "last": (*FOLDING, LAYOUT), "both": (*EPILOGUES, LAYOUT),
            "products": (*EPILOGUES, *PRODUCTS, LAYOUT)}
NEEDED = {"epilogues": (EPILOGUES[:2],), "last": ((LAYOUT,),), "both": ((LAYOUT,), EPILOGUES[:2]), "products": (PRODUCTS,)}
MODELS = [("resnet50", torch.bfloat16), ("resnet50", torch.float32), ("convnext_tiny", torch.float32), ("mobilenet_v2", torch.bfloat16),
          ("densenet121", torch.bfloat16), ("efficientnet_b0", torch.bfloat16), ("googlenet", torch.bfloat16), ("vgg16", torch.bfloat16),
          ("resnext50_32x4d", torch.bfloat16), ("mobilenet_v3_large", torch.float32), ("inception_v3", torch.bfloat16)]


class Engine:
    """One of kadvise's engines: requests on its descriptor 3, messages on its descriptor 4."""

    def __init__(self, program):
        ends = [*os.pipe(), *os.pipe()]
        requests_in, self.requests, messages, messages_out = (fcntl.fcntl(e, fcntl.F_DUPFD_CLOEXEC, 64) for e in ends)
        for e in ends:
            os.close(e)
        command = f"exec 3<&{requests_in} 4>&{messages_out}; exec {program}"
        self.process = subprocess.Popen(["bash", "-c", command], pass_fds=(requests_in, messages_out))
        os.close(requests_in)
        os.close(messages_out)
        self.lines = os.fdopen(messages, "r")
        self.id = 0

    def ask(self, verb, **arguments):
        self.id += 1
        os.write(self.requests, (json.dumps({"version": 1, "id": self.id, "verb": verb, "arguments": arguments}) + "\n").encode())
        before = []
        for line in self.lines:
            message = json.loads(line)
            if message["type"] == "error":
                raise RuntimeError(f"{verb}: {message}")
            if message["type"] == "done":
                return message["body"], before
            before.append(message)
        raise RuntimeError(f"{verb}: the engine ended")

    def close(self):
        os.close(self.requests)
        self.lines.close()
        self.process.wait(timeout=30)


def compose(args, path, spec, folder, device):
    """{variant: path of the module with its candidates applied}"""
    library = os.path.join(args.lib, "libkadvise_kernels.so")
    graph = Engine(os.path.join(args.bin, "kadvise-graph"))
    loaded, _ = graph.ask("load", path=path, workDir=folder, opLibraries=[library])
    measure = Engine(os.path.join(args.bin, "kadvise-measure"))
    measure.ask("open", path=path, inputs=[spec], inputsFile="", device=device, seed=0, opLibraries=[library], workDir=folder)
    measure.ask("trace", base={"path": loaded["base"]}, out="values.json", save=[])
    measure.close()
    pages = sorted(glob.glob(os.path.join(ROOT, "rules", "fusion", "*.md")) + glob.glob(os.path.join(ROOT, "rules", "layout", "*.md")))
    _, told = graph.ask("match", values=os.path.join(folder, "values.json"), rules=pages, maxLevel=5, device=device, arch=90,
                        gpu=args.gpu, mostNear=0, allowApproximate=False)
    candidates = [m["body"] for m in told if m["type"] == "artefact"]
    written = {}
    for name, rules in VARIANTS.items():
        wanted = [c["id"] for rule in rules for c in candidates if c["rule"] == rule and (rule != LAYOUT or c["level"] == 1)]
        fewer = any(not any(c["rule"] in some for c in candidates) for some in NEEDED.get(name, ()))
        if fewer:
            continue
        if not wanted:
            continue
        out = os.path.join(folder, name + ".pt")
        graph.ask("compose", candidates=wanted, without=[], path=out, weights=True, provenance={})
        written[name] = out
    graph.close()
    return written


def median_ms(call, device, seconds):
    samples, end = [], time.time() + seconds
    while time.time() < end or len(samples) < 3:
        start = time.perf_counter()
        call()
        if device == "cuda":
            torch.cuda.synchronize()
        samples.append(1e3 * (time.perf_counter() - start))
    return statistics.median(samples)


def replayed(module, x):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            module(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        module(x)
    return graph.replay


def report(name, module, x, device, truth, seconds):
    with torch.no_grad():
        result = module(x)
        result = result[0] if isinstance(result, tuple) else result
        error = (result.double() - truth).abs().max().item() / truth.abs().max().item()
        for _ in range(3):
            module(x)
        plain = median_ms(lambda: module(x), device, seconds)
        captured = median_ms(replayed(module, x), device, seconds) if device == "cuda" else float("nan")
    print(f"    {name:10s} plain {plain:8.3f} ms   graph {captured:8.3f} ms   error {error:.1e}", flush=True)


def one(args, name, dtype, device):
    import torchvision

    print(f"{name} {str(dtype)[6:]}", flush=True)
    torch.manual_seed(0)
    model = getattr(torchvision.models, name)(weights=None, **({"aux_logits": False, "init_weights": False} if name in
                                                               ("googlenet", "inception_v3") else {})).eval().to(device)
    x = torch.rand(args.batch, 3, args.image, args.image, device=device)
    with torch.no_grad():
        truth = model.double()(x.double())
        model = model.to(dtype)
        scripted = torch.jit.trace(model, x.to(dtype), check_trace=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        scripted.save(path)
        spec = f"{str(dtype)[6:]}[{args.batch},3,{args.image},{args.image}]"
        written = compose(args, path, spec, folder, device)
        x = x.to(dtype)
        report("as is", scripted, x, device, truth, args.each)
        report("frozen", torch.jit.freeze(torch.jit.load(path).eval()), x, device, truth, args.each)
        for variant, at in written.items():
            report(variant, torch.jit.load(at), x, device, truth, args.each)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--gpu", default="H200")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--image", type=int, default=224)
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--each", type=float, default=0.15, help="seconds of each timing")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no model after this many")
    args = parser.parse_args()
    args.bin, args.lib = os.path.abspath(args.bin), os.path.abspath(args.lib)
    torch.ops.load_library(os.path.join(args.lib, "libkadvise_kernels.so"))
    device, begin = "cuda" if torch.cuda.is_available() else "cpu", time.time()
    print(torch.cuda.get_device_name() if device == "cuda" else "CPU", "torch", torch.__version__)
    for name, dtype in MODELS:
        if time.time() - begin > args.seconds or (args.only and name not in args.only.split(",")):
            continue
        try:
            one(args, name, dtype, device)
        except Exception as e:
            print(f"    {type(e).__name__}: {str(e)[:300]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
