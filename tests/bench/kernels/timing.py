"""Timing of variants against each other: interleaved, cold caches, paired ratios with intervals.

A variant is a function of one set of inputs that returns its outputs. Every variant runs over the same rotating
sets, which together exceed the last-level cache three times, so that each call finds its inputs and outputs cold.
On a GPU one pass over all sets is captured as a CUDA graph: what is timed is the GPU's work, not Python's.
"""
import math
import random
import statistics
import time

import torch

BOOTSTRAP = 2000


def last_level_cache(device):
    """Bytes."""
    if device == "cuda":
        return torch.cuda.get_device_properties(0).L2_cache_size
    return 64 << 20


def sets_needed(device, bytes_of_one):
    return max(2, min(64, math.ceil(3 * last_level_cache(device) / bytes_of_one)))


class Pass:
    """One call of a variant for every set, ready to be run and timed."""

    def __init__(self, variant, sets, device):
        self.calls = len(sets)
        self.variant, self.sets, self.device = variant, sets, device
        if device == "cuda":
            self.graph, self.kept = self.capture()
            self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def capture(self):
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            self.variant(*self.sets[0])  # loads libraries and kernels, which a capture would not allow
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = [self.variant(*one) for one in self.sets]  # alive, so that every call has outputs of its own
        return graph, kept

    def microseconds(self):
        """Time of one call."""
        if self.device == "cuda":
            self.start.record()
            self.graph.replay()
            self.end.record()
            self.end.synchronize()
            return self.start.elapsed_time(self.end) * 1e3 / self.calls
        begin = time.perf_counter()
        for one in self.sets:
            self.variant(*one)
        return (time.perf_counter() - begin) * 1e6 / self.calls


def measure(passes, rounds):
    """Samples of each pass in microseconds, two a round: forwards, then backwards, so that drift cancels."""
    samples = {name: [] for name in passes}
    for name in passes:
        passes[name].microseconds()
    for _ in range(rounds):
        for name in [*passes, *reversed(passes)]:
            samples[name].append(passes[name].microseconds())
    return samples


def log_ratios(samples, name, base):
    """How many times faster `name` is than `base`, as a logarithm, for every round."""
    def by_round(key):
        values = samples[key]
        return [(math.log(a) + math.log(b)) / 2 for a, b in zip(values[::2], values[1::2])]

    return [b - n for n, b in zip(by_round(name), by_round(base))]


def speedup(samples, name, base):
    return math.exp(statistics.median(log_ratios(samples, name, base)))


def speedup_interval(samples, name, base):
    """(low, median, high) of the speed-up: a 95 % bootstrap interval over rounds."""
    logs = log_ratios(samples, name, base)
    draw = random.Random(1).choices
    medians = sorted(statistics.median(draw(logs, k=len(logs))) for _ in range(BOOTSTRAP))
    low, high = medians[int(0.025 * BOOTSTRAP)], medians[int(0.975 * BOOTSTRAP)]
    return math.exp(low), math.exp(statistics.median(logs)), math.exp(high)


def against_itself(values):
    """Odd rounds against even ones, as if they were two variants: what the method makes of no difference."""
    pairs = list(zip(values[::2], values[1::2]))
    return {name: [v for pair in pairs[first::2] for v in pair] for name, first in (("a", 0), ("b", 1))}


def interval(values):
    """A (low, median, high) as text."""
    low, middle, high = values
    return f"{middle:5.2f} [{low:4.2f} {high:5.2f}]"


def describe(device, command):
    """The lines without which a figure means nothing."""
    if device == "cuda":
        gpu = torch.cuda.get_device_properties(0)
        where = f"{gpu.name}, {gpu.multi_processor_count} SMs, L2 {gpu.L2_cache_size >> 20} MiB"
    else:
        where = f"CPU, {torch.get_num_threads()} threads, {torch.backends.cpu.get_cpu_capability()}"
    print(f"command: {' '.join(command)}\ndevice:  {where}\ntorch:   {torch.__version__}")
