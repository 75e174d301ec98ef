#!/usr/bin/env python3
"""Real architectures taken apart for CUDA graphs: the module that owns the runner gives the original's results, on fresh
inputs, another batch size and another length; on a CPU, where the runner runs plainly.

  owned_graphs_test.py --bin build/release/bin --lib build/release/lib [--models FOLDER] [--only REGEX]

kadvise tries graphs on a GPU alone, so kadvise-graph is asked itself. Without --models some are made on the spot.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
MADE = ("bert-small", "llama-small", "gpt2-small", "t5-small", "resnet-small", "vit-small", "encoder")


class Engine:
    """kadvise-graph: JSON lines on the pipes 3 and 4."""

    def __init__(self, program, log):
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self.process = subprocess.Popen(["bash", "-c", f'exec "$0" 3<&{theirs_in} 4>&{theirs_out}', str(program)], pass_fds=(theirs_in, theirs_out),
                                        stdout=log, stderr=log)
        os.close(theirs_in), os.close(theirs_out)
        self.out, self.replies, self.last = os.fdopen(ours_out, "w", buffering=1), os.fdopen(ours_in), 0

    def ask(self, verb, **arguments):
        self.last += 1
        self.out.write(json.dumps({"version": 1, "id": self.last, "verb": verb, "arguments": arguments}) + "\n")
        for line in self.replies:
            message = json.loads(line)
            if message["type"] == "error":
                raise RuntimeError(f"{verb}: {message['body']['what']}")
            if message["type"] == "done":
                return message["body"]
        raise RuntimeError(f"{verb}: kadvise-graph ended")

    def end(self):
        self.out.close()
        self.process.wait()


def trace(bin, model, inputs, work):
    """What the values of the module were: kadvise runs it once."""
    command = [bin / "kadvise", model, "--inputs", inputs, "--device", "cpu", "--no-verify", "--no-config", "--work-dir", work, "--select", "graph-break"]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=work.parent)
    return run.stdout + run.stderr if run.returncode else ""


def take_apart(bin, library, model, work, out):
    pages = [str(p) for p in sorted((SOURCE / "rules/graph-break").glob("*.md")) if '"function": "graph-break"' in p.read_text()]
    with open(work / "graph.log", "w") as log:
        engine = Engine(bin / "kadvise-graph", log)
        try:
            engine.ask("load", path=str(model), workDir=str(work), opLibraries=[str(library)])
            engine.ask("match", values=str(work / "values.json"), rules=[], maxLevel=5, device="cpu", arch=0, gpu="H100", allowApproximate=False)
            return engine.ask("compose", candidates=[], path=str(out), weights=True, provenance={}, cudaGraph={"pages": pages})["cudaGraph"]
        finally:
            engine.end()


def check(args, model, inputs, folder):
    """A line about the model, and whether all is well."""
    work, out = folder / "work", folder / "owned.pt"
    if failed := trace(args.bin, model, inputs, work):
        return "cannot be run: " + failed.strip().splitlines()[-1], args.models is not None
    said = take_apart(args.bin, args.library, model, work, out)
    extent = f"{said['parts']} parts, {said['launches']} of {said['allLaunches']} launches"
    for b in said["blockers"]:
        extent += f"\n      {b['where']['file']}:{b['where']['line']} {b['reason']}"
    if said["parts"] == 0:
        return extent, args.models is not None
    same = subprocess.run([sys.executable, HERE / "same_results.py", model, out, inputs, "--library", args.library], capture_output=True, text=True)
    return extent + ("" if same.returncode == 0 else "\n      " + (same.stdout + same.stderr).strip()), same.returncode == 0


def models_in(args, folder):
    if args.models:
        return sorted(p for p in args.models.glob("*.pt") if not p.name.endswith(".inputs.pt"))
    subprocess.run([sys.executable, HERE / "make.py", "--out", folder, *MADE], check=True, stdout=subprocess.DEVNULL)
    return [folder / f"{name}.pt" for name in MADE]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--lib", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, help="with the class GraphRunner (default: that of --lib)")
    parser.add_argument("--models", type=pathlib.Path, help="a folder with NAME.pt and NAME.inputs.pt")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.bin, args.library = args.bin.resolve(), (args.library or args.lib / "libkadvise_kernels.so").resolve()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="kadvise-owned-") as made:
        for model in models_in(args, pathlib.Path(made)):
            if not re.search(args.only, model.stem):
                continue
            with tempfile.TemporaryDirectory(prefix="kadvise-owned-") as folder:
                try:
                    words, well = check(args, model, model.with_suffix(".inputs.pt"), pathlib.Path(folder))
                except RuntimeError as e:
                    words, well = str(e), False
            print(f"{'ok   ' if well else 'WRONG'} {model.stem}: {words}", flush=True)
            wrong += not well
    return 1 if wrong else 0


if __name__ == "__main__":
    torch.set_num_threads(2)
    sys.exit(main())
