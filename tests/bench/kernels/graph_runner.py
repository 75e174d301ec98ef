"""What a call costs through the CUDA-graph runner, beside the bare replay of a graph and the plain module.

    python3 tests/bench/kernels/graph_runner.py [--library FILE] [--rounds N] [--json FILE]

Four clocks in one run. GPU: microseconds a call of twenty back to back, by events, given to a stream that sleeps
until all of them are queued: what the GPU needs, whatever the host does. Script: the same for a loop in TorchScript,
as an optimised module makes the calls. Enqueue: what the host needs to queue those of the first clock. Latency: from
a call until the GPU has finished it, one call at a time. "in turn" holds each result until the next is there, so that
two graphs take turns; beside it two bare graphs do. Variants take turns forwards and backwards; the difference to the
bare replay is the median over rounds of paired differences, with its 95 % bootstrap interval.
"""
import argparse
import io
import json
import pathlib
import random
import statistics
import sys
import time
from typing import List

import timing
import torch
import torch.nn.functional as F
from torch import Tensor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "kernels" / "graph_runner"))
from common import Runnable

CALLS = 20
SLEEP_CYCLES = 2_000_000  # a millisecond and more, at first
LONGEST_SLEEP = 64 * SLEEP_CYCLES  # then the queue of the stream is too short for the calls


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*[m for _ in range(3) for m in (torch.nn.Linear(512, 512), torch.nn.ReLU())])

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [self.layers(inputs[0])]


class Block(torch.nn.Module):
    """An encoder block of width 512 with 8 heads."""

    def __init__(self):
        super().__init__()
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(512) for _ in range(2)])
        self.qkv, self.out = torch.nn.Linear(512, 1536), torch.nn.Linear(512, 512)
        self.up, self.down = torch.nn.Linear(512, 2048), torch.nn.Linear(2048, 512)

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        x = inputs[0]
        parts = self.qkv(self.norms[0](x)).view(x.size(0), x.size(1), 3, 8, 64).permute(2, 0, 3, 1, 4)
        heads = F.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        x = x + self.out(heads.transpose(1, 2).reshape(x.size(0), x.size(1), 512))
        return [x + self.down(F.gelu(self.up(self.norms[1](x))))]


class Inputs(torch.nn.Module):
    """Eight small inputs and as many results: what copying costs by number."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [F.relu(x) for x in inputs]


class Dropping(torch.nn.Module):
    """Calls a runner from TorchScript; each result is dropped before the next call."""

    def __init__(self, runner):
        super().__init__()
        self.runner = runner

    def forward(self, inputs: List[Tensor], calls: int) -> int:
        results = 0
        for _ in range(calls):
            results += len(self.runner.run(inputs))
        return results


class Holding(Dropping):
    """Each result is dropped when the next is there."""

    def forward(self, inputs: List[Tensor], calls: int) -> int:
        result = inputs
        for _ in range(calls):
            result = self.runner.run(inputs)
        return len(result)


CASES = {
    "mlp 32x512": (Mlp, lambda: [torch.randn(32, 512)]),
    "block 4x128x512": (Block, lambda: [torch.randn(4, 128, 512)]),
    "block 16x512x512": (Block, lambda: [torch.randn(16, 512, 512)]),
    "8 inputs of 64x64": (Inputs, lambda: [torch.randn(64, 64) for _ in range(8)]),
}


def saved(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    return file.getvalue()


def runner_of(data, mode, bound):
    runner = torch.classes.kadvise.GraphRunner(torch.frombuffer(bytearray(data), dtype=torch.uint8))
    runner.set_in_place(mode == IN_PLACE)
    runner.set_outputs("copied" if mode == IN_PLACE else mode)
    if bound is not None:
        runner.bind(bound)
    return runner


def bare(module, inputs):
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(4):
            module.plain(inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = module.plain(inputs)
    return graph, kept


class Queued:
    """Twenty calls behind a sleep of the stream, which is made longer until the host has queued all of them in it."""

    def __init__(self, calls):
        self.calls, self.cycles, self.enqueue_us = calls, SLEEP_CYCLES, 0.0
        self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def microseconds(self):
        while True:
            torch.cuda.synchronize()
            torch.cuda._sleep(self.cycles)
            self.start.record()
            begin = time.perf_counter()
            self.calls(CALLS)
            self.enqueue_us = (time.perf_counter() - begin) * 1e6 / CALLS
            is_asleep = not self.start.query()
            self.end.record()
            self.end.synchronize()
            if is_asleep or self.cycles >= LONGEST_SLEEP:
                return self.start.elapsed_time(self.end) * 1e3 / CALLS
            self.cycles *= 2


class Enqueue(Queued):
    def microseconds(self):
        super().microseconds()
        return self.enqueue_us


class Latency:
    def __init__(self, calls):
        self.calls = calls

    def microseconds(self):
        total = 0.0
        for _ in range(CALLS):
            begin = time.perf_counter()
            self.calls(1)
            torch.cuda.synchronize()
            total += time.perf_counter() - begin
        return total * 1e6 / CALLS


def over_bare(samples, name):
    """(low, median, high) of the difference in microseconds."""
    def by_round(key):
        return [(a + b) / 2 for a, b in zip(samples[key][::2], samples[key][1::2])]

    differences = [a - b for a, b in zip(by_round(name), by_round("bare replay"))]
    draw = random.Random(1).choices
    medians = sorted(statistics.median(draw(differences, k=len(differences))) for _ in range(timing.BOOTSTRAP))
    return medians[int(0.025 * len(medians))], statistics.median(differences), medians[int(0.975 * len(medians))]


def dropping(call):
    def loop(calls):
        for _ in range(calls):
            call()

    return loop


def holding(call):
    def loop(calls):
        for _ in range(calls):
            _result = call()

    return loop


def taking_turns(one, two):
    def loop(calls):
        for number in range(calls):
            (two if number % 2 else one)()

    return loop


IN_PLACE = "in place"  # what a runner does by itself once calls come back to the same memory
RUNNERS = {  # mode of the results, whether the inputs are bound, how the results are used
    "copied in and out": ("copied", False, dropping, Dropping),
    "in place": (IN_PLACE, False, dropping, Dropping),
    "in place in turn": (IN_PLACE, False, holding, Holding),
    "copied in, leased": ("leased", False, dropping, Dropping),
    "bound, copied out": ("copied", True, dropping, Dropping),
    "bound and leased": ("leased", True, dropping, Dropping),
    "bound, leased in turn": ("leased", True, holding, Holding),
}


def variants(module, data, inputs):
    """Functions of a number of calls, from Python and from TorchScript; the runners; what must stay alive."""
    graphs = [bare(module, inputs) for _ in range(2)]
    plain = dropping(lambda: module.plain(inputs))
    python = {"bare replay": dropping(graphs[0][0].replay),
              "two bare in turn": taking_turns(graphs[0][0].replay, graphs[1][0].replay)}
    script, runners = dict(python), {}
    for name, (mode, is_bound, python_loop, script_loop) in RUNNERS.items():
        runner = runners[name] = runner_of(data, mode, inputs if is_bound else None)
        python[name] = python_loop(lambda r=runner: r.run(inputs))
        script[name] = lambda calls, loop=torch.jit.script(script_loop(runner)): loop(inputs, calls)
    return {**python, "plain": plain}, {**script, "plain": plain}, runners, graphs


def measure_case(name, rounds):
    kind, make = CASES[name]
    inputs = [tensor.cuda().to(torch.bfloat16) for tensor in make()]
    data = saved(torch.jit.script(Runnable(kind()).cuda().to(torch.bfloat16).eval().requires_grad_(False)))
    module = torch.jit.load(io.BytesIO(data))
    python, script, runners, _graphs = variants(module, data, inputs)
    expected = module.plain(inputs)
    for key, runner in runners.items():
        held = [runner.run(inputs) for _ in range(2 if "turn" in key else 1)]
        torch.testing.assert_close(held, [expected] * len(held), msg=lambda text: f"{key}: {text}")
        del held
    result = {"case": name}
    clocks = {"GPU": (Queued, python), "script": (Queued, script), "enqueue": (Enqueue, python),
              "latency": (Latency, python)}
    for clock, (kind, calls) in clocks.items():
        samples = timing.measure({key: kind(loop) for key, loop in calls.items()}, rounds)
        result[clock] = {key: {"us": statistics.median(samples[key]), "over_bare_us": over_bare(samples, key)}
                         for key in calls}
    result["states"] = {key: json.loads(runner.state()) for key, runner in runners.items()}
    return result


CLOCKS = ("GPU", "script", "enqueue", "latency")


def show(result):
    clocks = "".join(f"{clock + ' us':>10}  {'over bare':<22}" for clock in CLOCKS)
    print(f"\n{result['case']}\n{'':22}{clocks}{'graphs':>7}{'pool KiB':>10}{'capture ms':>11}")
    for key in result["GPU"]:
        def cell(clock):
            low, middle, high = result[clock][key]["over_bare_us"]
            return f"{result[clock][key]['us']:10.2f}  {f'{middle:+.2f} [{low:+.2f} {high:+.2f}]':<22}"

        state = result["states"].get(key)
        tail = f"{state['captures']:7}{state['poolBytes'] >> 10:10}{state['captureMs']:11.1f}" if state else ""
        print(f"{key:22}{''.join(cell(clock) for clock in CLOCKS)}{tail}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/release/lib/libkadvise_kernels.so")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--only", help="a case")
    parser.add_argument("--json")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("SKIPPED: torch sees no GPU, so nothing was measured")
        return 77
    torch.ops.load_library(options.library)
    timing.describe("cuda", ["python3", *sys.argv])
    results = []
    with torch.inference_mode():
        for name in CASES:
            if not options.only or options.only in name:
                results.append(measure_case(name, options.rounds))
                show(results[-1])
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"command": sys.argv, "torch": torch.__version__, "results": results}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
