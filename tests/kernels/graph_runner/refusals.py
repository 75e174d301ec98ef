"""Modules that no graph can repeat: the runner says so and runs them plainly, before any capture where it can tell."""
from typing import List

import torch
from torch import Tensor

from .common import Mlp, Pair, expect, expect_reason, rows


class Dropout(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [torch.dropout(inputs[0], 0.5, True)]


class DropoutOff(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [self.dropout(torch.relu(inputs[0]))]


class Noise(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] + torch.randn_like(inputs[0])]


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        self.calls.add_(1)
        return [inputs[0] + self.calls]


class CounterThroughAView(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(4, 4))

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        row = self.calls.view(16)[3:9]
        if inputs[0].size(0) > 1:
            row = row[1:]
        row += 1
        return [inputs[0] + self.calls.sum()]


class Assigned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(())

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        before = self.last
        self.last = inputs[0].sum()
        return [inputs[0] + before]


class BatchStatistics(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(32))
        self.register_buffer("var", torch.ones(32))

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [torch.nn.functional.batch_norm(inputs[0], self.mean, self.var, training=True)]


class WritesInput(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0].mul_(2) + 1]


class Item(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] * float(inputs[0].sum().item())]


class Branch(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        x = inputs[0]
        if bool((x.sum() > 0).item()):
            return [x + 1]
        return [x - 1]


class DataDependentShape(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [torch.nonzero(inputs[0] > 0)]


class ThroughTheCpu(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0].cpu().to(inputs[0].device) + 1]


class FreshLocal(torch.nn.Module):
    """Writes, but only to what the same call has made."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        x = torch.relu_(inputs[0] + 1)
        parts = list(x.chunk(2, -1))
        parts[0].mul_(2)
        y = torch.empty_like(x)
        for i in range(3):
            y = x * i
            y.add_(1)
        outs: List[Tensor] = []
        outs.append(y)
        outs.append(parts[1])
        return outs


STATIC = [
    (Dropout, "draws random numbers (aten::dropout"),
    (Noise, "draws random numbers (aten::randn_like"),
    (Counter, "changes its own state (aten::add_"),
    (CounterThroughAView, "changes its own state (aten::add_"),
    (Assigned, "changes its own state (prim::SetAttr"),
    (BatchStatistics, "running statistics"),
    (WritesInput, "writes to its inputs (aten::mul_"),
]
DURING_CAPTURE = [
    (Item, "asks it for a value"),
    (Branch, "asks it for a value"),
    (DataDependentShape, "asks it for a value"),
    (ThroughTheCpu, ""),
]


def what_a_graph_could_not_repeat_is_refused_without_a_try(device):
    for kind, words in STATIC:
        pair = Pair(kind(), device)
        for call in range(5):
            x, copy = rows(device, 6, seed=call), rows(device, 6, seed=call)
            torch.manual_seed(call)
            ours = pair.runner.run([x])
            torch.manual_seed(call)
            theirs = pair.module.plain([copy])
            torch.testing.assert_close(ours, theirs, msg=lambda text: f"{kind.__name__}: {text}")
            torch.testing.assert_close(x, copy)
        assert words in pair.state["neverCaptured"], (kind.__name__, pair.state["neverCaptured"])
        expect(pair.state, captures=0, plain=5)


def what_only_looks_like_it_is_not_refused(device):
    for kind in (DropoutOff, FreshLocal, Mlp):
        pair = Pair(kind(), device)
        assert pair.state["neverCaptured"] == "", (kind.__name__, pair.state)
        with torch.inference_mode():
            for call in range(3):
                pair.check(rows(device, 6, seed=call))
        if device == "cuda":
            expect(pair.state, replays=3)


def a_capture_that_fails_leaves_torch_healthy_and_is_not_tried_again(device):
    for kind, words in DURING_CAPTURE:
        pair = Pair(kind(), device)
        with torch.inference_mode():
            for call in range(4):
                pair.check(rows(device, 6, seed=call))
                torch.rand(3, device=device)  # a generator that a failed capture left broken would raise
        expect_reason(pair, words)
        expect(pair.state, captures=0, replays=0, plain=4, poolBytes=0)
        spent = pair.state["captureMs"]
        with torch.inference_mode():
            for count in range(7, 20):
                pair.check(rows(device, count))
        assert len(pair.state["fallbacks"]) <= 2, pair.state
        print(f"   {kind.__name__}: {pair.reasons()}, {spent:.1f} ms, {pair.state['captureMs']:.1f} after more shapes")
    other = Pair(Mlp(), device)
    with torch.inference_mode():
        other.check(rows(device, 6))
    expect(other.state, replays=1, plain=0)


class Strict(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        assert inputs[0].size(0) < 10, "ten rows are too many"
        return [torch.relu(inputs[0])]


def an_error_of_the_module_reaches_the_caller_and_the_next_call_works(device):
    pair = Pair(Strict(), device)
    with torch.inference_mode():
        pair.check(rows(device, 4))
        for _ in range(2):
            try:
                pair.runner.run([rows(device, 12)])
                raise RuntimeError("no error")
            except Exception as error:
                assert "ten rows are too many" in str(error), error
        pair.check(rows(device, 4, seed=3))


CHECKS = [what_a_graph_could_not_repeat_is_refused_without_a_try, what_only_looks_like_it_is_not_refused,
          an_error_of_the_module_reaches_the_caller_and_the_next_call_works]
GPU_CHECKS = [a_capture_that_fails_leaves_torch_healthy_and_is_not_tried_again]
