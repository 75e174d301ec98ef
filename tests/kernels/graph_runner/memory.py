"""Whose memory a graph uses: pools of the caller, cuBLAS's workspace, storages behind views, memory that comes and goes."""
import gc
from typing import List

import torch
from torch import Tensor

from .common import Mlp, Pair, compare, rows


class Behind(torch.nn.Module):
    """Reads what lies behind a view: in a copy of the view there is something else."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [torch.as_strided(inputs[0], [4, 8], [8, 1], 0) * 2]


class Offset(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] * float(inputs[0].storage_offset())]


class Wanting(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        x = inputs[0]
        return [x * 2 if x.requires_grad else x * 3]


class Default(torch.nn.Module):
    """Its result has the default dtype."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] + torch.ones([8], device=inputs[0].device)]


class Clone(torch.nn.Module):
    """A copy of an input, which a graph holds as a copy and not as a kernel."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0].clone(), inputs[0] + 1]


def a_pool_of_the_caller_is_left_to_the_caller(device):
    pair = Pair(Mlp(), device)
    pool = torch.cuda.MemPool()
    a, b = rows(device, 16, seed=1), rows(device, 16, seed=2)
    with torch.inference_mode():
        with torch.cuda.use_mem_pool(pool):
            first = pair.runner.run([a])[0]
        expected = pair.module.plain([a])[0].clone()
        second = pair.check(b)[0]
        assert first.data_ptr() != second.data_ptr()
        torch.testing.assert_close(first, expected)
        with torch.cuda.use_mem_pool(pool):
            mine = [torch.ones(n, device=device) for n in (128, 512, 1024, 4096) for _ in range(8)]
            for _ in range(6):
                pair.check(b)
        torch.cuda.synchronize()
        assert all(bool((t == 1).all()) for t in mine)
    assert pair.state["replays"] > 0, pair.state


def the_workspace_outlives_the_runner_that_came_first(device):
    x = rows(device, 16)
    with torch.inference_mode():
        first = Pair(Mlp(), device)
        first.check(x)
        second = Pair(Mlp(), device, seed=9)
        for _ in range(2):
            second.check(x)
        torch._C._cuda_clearCublasWorkspaces()  # as torch.compile does around its captures
        first.runner.clear()
        del first
        gc.collect()
        torch.cuda.empty_cache()
        others = [torch.zeros(1 << 20, device=device) for _ in range(64)]
        for _ in range(4):
            second.check(x)
        torch.cuda.synchronize()
        assert not any(bool(t.any()) for t in others)


def what_lies_behind_a_view_is_read_plainly(device):
    base = rows(device, 8, 8)
    for inner in (Behind(), Offset()):
        pair = Pair(inner, device)
        with torch.inference_mode():
            for x in (base, base[4:], base[2:], base[4:]):
                pair.check(x)
        assert pair.state["neverCaptured"] and pair.state["replays"] == 0, pair.state


def an_input_that_wants_gradients_is_another_call(device):
    pair = Pair(Wanting(), device)
    x = rows(device, 8)
    wanting = rows(device, 8).requires_grad_()
    with torch.no_grad():
        for one in (x, wanting, x, wanting):
            pair.check(one)
    assert pair.state["replays"] == 2, pair.state
    assert any("requires gradients" in f["reason"] for f in pair.state["fallbacks"]), pair.state


def the_default_dtype_is_part_of_the_signature(device):
    pair = Pair(Default(), device)
    x = rows(device, 8, 8)
    before = torch.get_default_dtype()
    try:
        with torch.inference_mode():
            for dtype in (torch.float32, torch.float64, torch.float32):
                torch.set_default_dtype(dtype)
                assert pair.check(x)[0].dtype == dtype
    finally:
        torch.set_default_dtype(before)


def memory_that_went_back_and_came_again_is_read_rightly(device):
    pair = Pair(Clone(), device)
    pair.runner.set_in_place(True)
    with torch.inference_mode():
        for call in range(16):
            x = rows(device, 1 << 12, 256, seed=call)  # a segment of its own
            compare(pair.runner.run([x]), pair.module.plain([x]))
            del x
            torch.cuda.synchronize()
            torch.cuda.empty_cache()


CHECKS = []
GPU_CHECKS = [
    a_pool_of_the_caller_is_left_to_the_caller,
    the_workspace_outlives_the_runner_that_came_first,
    what_lies_behind_a_view_is_read_plainly,
    an_input_that_wants_gradients_is_another_call,
    the_default_dtype_is_part_of_the_signature,
    memory_that_went_back_and_came_again_is_read_rightly,
]
