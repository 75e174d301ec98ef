"""Modules for the runner, and the comparison with the module run plainly."""
import io
import json
from typing import List

import torch
from torch import Tensor


class Runnable(torch.nn.Module):
    """What a GraphRunner owns: both methods are the same function of a list of tensors."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    @torch.jit.export
    def captured(self, inputs: List[Tensor]) -> List[Tensor]:
        return self.inner(inputs)

    @torch.jit.export
    def plain(self, inputs: List[Tensor]) -> List[Tensor]:
        return self.inner(inputs)


class Mlp(torch.nn.Module):
    """Some small kernels on rows of 32; the generated numbers differ for each width."""

    def __init__(self, width: int = 32):
        super().__init__()
        self.first = torch.nn.Linear(width, 64)
        self.second = torch.nn.Linear(64, width)

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [self.second(torch.relu_(self.first(inputs[0]))) + inputs[0]]


def saved(module):
    """A module as the bytes of a file."""
    file = io.BytesIO()
    torch.jit.save(module, file)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


IN_PLACE = {"on": False}  # for the pairs to come; off, so that what is copied can be counted


class Pair:
    """A runner and the same module run plainly."""

    def __init__(self, inner, device, grad=False, seed=7):
        torch.manual_seed(seed)
        scripted = torch.jit.script(Runnable(inner).to(device).eval().requires_grad_(grad))
        self.runner = torch.classes.kadvise.GraphRunner(saved(scripted))
        self.runner.set_in_place(IN_PLACE["on"])
        self.module = torch.jit.load(io.BytesIO(saved(scripted).numpy().tobytes()))

    def check(self, *inputs, **tolerance):
        """One call of each, compared; the runner's results."""
        ours, theirs = self.runner.run(list(inputs)), self.module.plain(list(inputs))
        compare(ours, theirs, **tolerance)
        return ours

    @property
    def state(self):
        return json.loads(self.runner.state())

    def reasons(self):
        return [fallback["reason"] for fallback in self.state["fallbacks"]]


def compare(ours, theirs, **tolerance):
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    for one, other in zip(ours, theirs):
        assert one.stride() == other.stride(), (one.stride(), other.stride())
        assert one.requires_grad == other.requires_grad
        assert one.is_inference() == other.is_inference()
        torch.testing.assert_close(one, other, equal_nan=True, **tolerance)


def expect(state, **values):
    """Figures of a state, all of them at once so that a failure shows what happened. Where memory may be used in place, how
    many calls came back to the same is torch's allocator's affair."""
    if IN_PLACE["on"]:
        values = {name: value for name, value in values.items() if name in ("enabled", "outputs", "limit", "neverCaptured")}
    found = {name: state[name] for name in values}
    assert found == values, f"{found} where {values} was expected; the state is {state}"


def expect_reason(pair, words):
    assert any(words in reason for reason in pair.reasons()), f"no reason with '{words}' in {pair.reasons()}"


def rows(device, count, width=32, seed=0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, width, generator=generator).to(device, dtype)


class Wrapper(torch.nn.Module):
    """An outer module, as kadvise writes it."""

    def __init__(self, runner):
        super().__init__()
        self.runner = runner

    def forward(self, x: Tensor) -> Tensor:
        return self.runner.run([x])[0]


def through_a_file(module, **load):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return torch.jit.load(file, **load)
