#!/usr/bin/env python3
"""What kadvise takes before anything is measured: start-up, static analysis of a small module, of the same as an exported
program and of BERT-base with its trace, and matching all rules over a deep model.

  static_analysis.py [--bin build/release/bin] [--runs 5]

Prints medians and ranges, file cache warm: wall time of whole commands; of matching, the time that the report gives for
the phase. Memory is what the command and its engines held at once (their resident sets summed, so what they share is
counted more than once), and the largest of them alone.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEEP_LAYERS = 28  # of a Llama: above 3,000 nodes in normal form


def tree(pid):
    """The process and all below it."""
    pids = [pid]
    for parent in pids:
        try:
            with open(f"/proc/{parent}/task/{parent}/children") as file:
                pids += map(int, file.read().split())
        except OSError:
            pass
    return pids


def resident_mib(pid):
    """Now, and at its peak."""
    try:
        with open(f"/proc/{pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    except (OSError, KeyError):
        return 0, 0


class Memory:
    """Watches a process tree until it is told to stop."""

    def __init__(self, pid):
        self.pid, self.together, self.largest = pid, 0, 0
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.stopped.wait(0.005):
            sizes = [resident_mib(pid) for pid in tree(self.pid)]
            self.together = max(self.together, sum(now for now, _ in sizes))
            self.largest = max([self.largest] + [peak for _, peak in sizes])

    def stop(self):
        self.stopped.set()
        self.thread.join()


def run(command, cwd, watch=False):
    """Seconds, and the memory where it was watched."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=errors)
        memory = Memory(process.pid) if watch else None
        code = process.wait()
        seconds = time.perf_counter() - start
        if memory:
            memory.stop()
        if code != 0:
            errors.seek(0)
            sys.exit(f"{' '.join(command)}: exit {code}: {errors.read().strip()}")
    return seconds, memory


def made(folder, name, save):
    """The path of a model, made by `save` where it is not there."""
    model = os.path.join(folder, name)
    if not os.path.exists(model):
        save(model)
    return model, os.path.splitext(model)[0] + ".inputs.pt"


def small():
    import torch
    torch.manual_seed(0)
    block = torch.nn.Sequential(torch.nn.LayerNorm(32), torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 32)).eval()
    return torch, block, (torch.randn(4, 8, 32),)


def save_small(model):
    torch, block, inputs = small()
    torch.jit.save(torch.jit.trace(block, inputs), model)
    torch.save(inputs, model.replace(".pt", ".inputs.pt"))


def save_exported(model):
    torch, block, inputs = small()
    torch.export.save(torch.export.export(block, inputs), model)
    torch.save(inputs, model.replace(".pt2", ".inputs.pt"))


def save_bert(model):
    subprocess.run([sys.executable, os.path.join(ROOT, "tests/models/make.py"), "--out", os.path.dirname(model), "bert"], check=True)


def save_deep(model):
    sys.path.insert(0, os.path.join(ROOT, "tests/models"))
    import make
    import torch
    torch.manual_seed(0)
    sizes = dict(make.SMALL_LLAMA, num_hidden_layers=DEEP_LAYERS)
    module, inputs, _ = make.language_model(1, "LlamaForCausalLM", "LlamaConfig", (24,), **sizes)
    with torch.no_grad():
        traced = torch.jit.trace(module.eval(), inputs, check_trace=False, strict=False)
    torch.jit.save(traced, model)
    torch.save(inputs, model.replace(".pt", ".inputs.pt"))


def static(kadvise, model, inputs):
    return [kadvise, model, "--inputs", inputs, "--no-verify", "--device", "cpu"]


def line(name, seconds, more=""):
    times = sorted(seconds)
    print(f"{name:40s} {statistics.median(times) * 1e3:8.1f} ms {times[0] * 1e3:8.1f} ms {times[-1] * 1e3:8.1f} ms   {more}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    kadvise = os.path.join(os.path.abspath(args.bin), "kadvise")
    folder = os.path.join(ROOT, "build/bench/models")
    os.makedirs(folder, exist_ok=True)
    least = static(kadvise, *made(folder, "small.pt", save_small))
    exported = static(kadvise, *made(folder, "exported.pt2", save_exported))
    bert = static(kadvise, *made(folder, "bert.pt", save_bert))
    cases = {"kadvise --help": [kadvise, "--help"], "kadvise rules list": [kadvise, "rules", "list"], "small module, --no-verify": least,
             "exported program, --no-verify": exported, "BERT-base, --no-verify": bert}
    print(f"{'':40s} {'median':>11s} {'fastest':>11s} {'slowest':>11s}   ({args.runs} runs, {os.cpu_count()} cores)")
    for name, command in cases.items():
        run(command, folder)  # warms the file cache
        line(name, [run(command, folder)[0] for _ in range(args.runs)])
    memory = run(bert, folder, watch=True)[1]
    print(f"{'':40s} {memory.together:.0f} MiB at once, {memory.largest:.0f} MiB the largest process")

    phases, report = [], os.path.join(folder, "deep.json")
    deep = static(kadvise, *made(folder, f"llama-{DEEP_LAYERS}.pt", save_deep)) + ["--json", report]
    for _ in range(args.runs):
        run(deep, folder)
        with open(report) as file:
            document = json.load(file)
        phases.append(document["timing"]["match"])
    line("matching all rules, deep Llama", phases, f"{document['subject']['nodes']} nodes")


if __name__ == "__main__":
    main()
