"""A workspace as the tests of editors open it: a CUDA source with findings, and a model's Python file with a report about it."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "reports/page"))

SCALE = """#include <cuda_runtime.h>
__global__ void scale(float* x) { x[threadIdx.x] *= 2.f; }
cudaError_t run(float* x) {
  scale<<<1, 256>>>(x);
  return cudaThreadSynchronize();
}
cudaError_t again(float* x) {
  scale<<<2, 256>>>(x);
  return cudaThreadSynchronize();
}
"""
MODEL = """import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, query, key, value):
        scores = torch.matmul(query, key.transpose(-1, -2))
        weights = torch.softmax(scores / 8.0, -1)
        return torch.matmul(weights, value)


class Pooler(nn.Module):
    def forward(self, x, mask):
        if mask.sum().item() == 0:
            return x
        return x[:, 0]
"""
# rule, message, severity and the line of MODEL that it is about
FOUND = [
    ("fusion/attention-written-out", "attention is written out", "opportunity", 7),
    ("graph-break/host-read", "aten::item reads a number from the GPU: the host waits for all work before it", "warning", 14),
]


def report():
    import sample_runs

    run = sample_runs.empty()
    run["subject"]["path"] = "model.pt"
    run["command"] = ["kadvise", "model.pt"]
    lines = MODEL.splitlines()
    for number, (rule, message, severity, line) in enumerate(FOUND, 1):
        where = sample_runs.location("attention", "model.py", line, lines[line - 1])
        run["findings"].append(sample_runs.finding(number, rule, message, where, severity, candidate="C1" if number == 1 else ""))
        run["rules"][rule] = {"title": message, "sections": {"Why it costs": "It moves what need not be moved.", "What to write instead": "`F.scaled_dot_product_attention(query, key, value)`"}}
    run["candidates"].append(sample_runs.candidate("C1", FOUND[0][0], FOUND[0][1], 1, [f"{1:016x}"]))
    run["verdicts"].append(sample_runs.verdict("C1", [f"{1:016x}"], "faster", (1.90, 1.93, 1.96), 120.0))
    run["whole"] = sample_runs.verdict("whole", [], "faster", (1.48, 1.50, 1.52), 360.0)
    run["composition"]["applied"].append({"candidate": "C1", "sites": 1})
    return run


def make(folder):
    folder = pathlib.Path(folder)
    (folder / ".kadvise").mkdir(parents=True, exist_ok=True)
    (folder / "scale.cu").write_text(SCALE)
    (folder / "model.py").write_text(MODEL)
    (folder / "kadvise.toml").write_text("")
    (folder / ".kadvise/last.json").write_text(json.dumps(report()))
    return folder
