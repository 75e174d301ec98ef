"""How each column is made ready: a function of the cell's subject and files that returns what a user calls."""
import dataclasses
import time

import torch

import subjects

FEWEST_FIRST_CALLS, MOST_FIRST_CALLS = 6, 20
SETTLED = 0.9  # of the fastest call so far: slower than that, and calls have stopped getting faster


class NotHere(Exception):
    """The column does not exist on this machine, and says why."""


@dataclasses.dataclass
class Context:
    subject: subjects.Subject
    module_path: str
    optimised_path: str  # "" where kadvise wrote nothing
    library: str


def synchronize(device):
    if device == "cuda":
        torch.cuda.synchronize()


def eager(context):
    return context.subject.eager


def frozen(context):
    return torch.jit.freeze(torch.jit.load(context.module_path).eval())


class Replayed:
    """What a user writes around a captured module. Inputs are copied in unless they are the tensors it was captured with, as
    they are here: the fastest that the graph can be. Results are the graph's own tensors, which the next call writes."""

    def __init__(self, module, inputs):
        self.inputs = inputs
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(FEWEST_FIRST_CALLS):  # TorchScript compiles in the first ones
                module(*self.inputs)
        torch.cuda.current_stream().wait_stream(side)
        self.module, self.graph = module, torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.outputs = module(*self.inputs)

    def __call__(self, *inputs):
        for own, given in zip(self.inputs, inputs):
            if own is not given:
                own.copy_(given)
        self.graph.replay()
        return self.outputs


def in_graph(context):
    if context.subject.device != "cuda":
        raise NotHere("CUDA graphs need a GPU")
    return Replayed(frozen(context), context.subject.inputs)


def compiled(mode):
    def prepare(context):
        if mode and context.subject.device != "cuda":
            raise NotHere(f"mode {mode} is about GPUs")
        return torch.compile(context.subject.eager, mode=mode)

    return prepare


def kadvise(context):
    torch.ops.load_library(context.library)
    return torch.jit.load(context.optimised_path or context.module_path).eval()


# The graph comes before the compiled ones: a capture that fails may cost the process, and they are the dear ones.
PREPARE = {"eager": eager, "frozen": frozen, "graph": in_graph, "kadvise": kadvise, "compile": compiled(None),
           "reduce-overhead": compiled("reduce-overhead"), "max-autotune": compiled("max-autotune")}


def settle(call, subject):
    """First calls, in which everything compiles, until they get no faster. Returns the outputs of the last."""
    fastest = float("inf")
    for number in range(MOST_FIRST_CALLS):
        start = time.perf_counter()
        outputs = call(*subject.inputs)
        synchronize(subject.device)
        seconds = time.perf_counter() - start
        if number + 1 >= FEWEST_FIRST_CALLS and seconds > SETTLED * fastest:
            break
        fastest = min(fastest, seconds)
    return outputs


def peak_bytes(call, subject):
    """What one call allocates beyond what lay there before it; what a CUDA graph's pool holds is not seen."""
    if subject.device != "cuda":
        return None
    synchronize(subject.device)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call(*subject.inputs)
    synchronize(subject.device)
    return torch.cuda.max_memory_allocated() - before
