"""Which graph serves which call: shapes, strides, dtypes, settings, bound inputs, the bounded cache."""
from typing import List

import torch
from torch import Tensor

from .common import Mlp, Pair, expect, expect_reason, rows


class Sum(torch.nn.Module):
    """Takes any number of tensors of any layout."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        total = inputs[0] * 2
        for i in range(1, len(inputs)):
            total = total + inputs[i] * (i + 1)
        return [total, total.sum(-1)]


class Embed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(50, 16)

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [torch.tanh(self.table(inputs[0]))]


class Matmul(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(512, 512))

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] @ self.weight]


def the_same_shape_is_captured_once_and_reads_new_values(device):
    pair = Pair(Mlp(), device)
    with torch.inference_mode():
        for call in range(6):
            pair.check(rows(device, 5, seed=call))
    expect(pair.state, captures=1, replays=6, plain=0, inputCopies=6, outputCopies=6, fallbacks=[])


def new_and_alternating_shapes_have_graphs_of_their_own(device):
    pair = Pair(Mlp(), device)
    with torch.inference_mode():
        for call in range(12):
            pair.check(rows(device, [5, 8, 1, 5, 0, 64][call % 6], seed=call))
    expect(pair.state, captures=5, replays=12, plain=0)


def strides_are_part_of_the_signature(device):
    pair = Pair(Sum(), device)
    base = torch.randn(8, 6, 32, device=device)
    wide = torch.randn(64, 4096, device=device)
    layouts = [
        lambda: base.clone(), lambda: base.transpose(0, 1), lambda: base[::2], lambda: base[:, 1:4],
        lambda: base[0, 0].expand(8, 6, 32), lambda: base.permute(2, 0, 1), lambda: wide[:, 3:5], lambda: base[:, 0],
    ]
    with torch.inference_mode():
        for _ in range(2):
            for layout in layouts:
                pair.check(layout())
                base.add_(1)
                wide.mul_(-1)
    expect(pair.state, captures=len(layouts), plain=0, replays=2 * len(layouts))


def one_tensor_may_come_twice_and_inputs_may_overlap(device):
    pair = Pair(Sum(), device)
    x = rows(device, 9)
    with torch.inference_mode():
        for _ in range(2):
            pair.check(x, x)
            pair.check(x[1:], x[:-1])
            pair.check(rows(device, 9, seed=1), rows(device, 9, seed=2))
            x.add_(1)
    expect(pair.state, captures=2, replays=6)


def empty_and_single_elements_work(device):
    pair = Pair(Sum(), device)
    with torch.inference_mode():
        for sizes in ((0, 4), (4, 0), (1,), (1, 1)):
            for _ in range(2):
                pair.check(torch.randn(sizes, device=device), torch.randn(sizes, device=device))


def dtypes_have_graphs_of_their_own(device):
    pair = Pair(Sum(), device)
    with torch.inference_mode():
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32):
            for seed in range(2):
                pair.check((rows(device, 5, seed=seed) * 8).to(dtype))
    expect(pair.state, captures=5, replays=10)


def indices_are_valid_during_the_warm_up_too(device):
    pair = Pair(Embed(), device)
    with torch.inference_mode():
        for call in range(4):
            pair.check((torch.arange(12, device=device) * (call + 1)) % 50)
    expect(pair.state, captures=1, replays=4)


def autocast_is_part_of_the_signature(device):
    pair = Pair(Matmul(), device)
    x = rows(device, 16, 512)
    with torch.no_grad():
        for _ in range(2):
            pair.check(x)
            for dtype in (torch.bfloat16, torch.float16):
                with torch.autocast("cuda", dtype=dtype):
                    for seed in range(2):  # the cache of lowered weights is alive in the second call
                        assert pair.check(rows(device, 16, 512, seed=seed))[0].dtype == dtype
    expect(pair.state, captures=3, plain=0)


def grad_and_inference_mode_are_part_of_the_signature(device):
    pair = Pair(Mlp(), device)
    for call in range(2):
        x = rows(device, 4, seed=call)
        with torch.inference_mode():
            assert pair.check(x)[0].is_inference()
        with torch.no_grad():
            assert not pair.check(x)[0].is_inference()
        assert not pair.check(x)[0].is_inference()
    expect(pair.state, captures=3, plain=0)


def the_precision_of_float32_is_part_of_the_signature(device):
    pair = Pair(Matmul(), device)
    x = rows(device, 256, 512)
    before = torch.get_float32_matmul_precision()
    try:
        with torch.inference_mode():
            for precision in ("highest", "high", "highest"):
                torch.set_float32_matmul_precision(precision)
                pair.check(x, rtol=0, atol=0)
    finally:
        torch.set_float32_matmul_precision(before)
    expect(pair.state, captures=2, replays=3)


def tensors_that_are_not_ordinary_run_plainly(device):
    pair = Pair(Sum(), device)
    with torch.inference_mode():
        complex_one = torch.randn(4, 4, dtype=torch.complex64, device=device)
        pair.check(complex_one.conj())
        pair.check(rows(device, 4), torch.tensor(2.0))  # a number as a tensor of the CPU
    expect(pair.state, replays=0, plain=2)


def bound_inputs_are_not_copied(device):
    pair = Pair(Mlp(), device)
    x = rows(device, 16)
    pair.runner.bind([x])
    with torch.inference_mode():
        for _ in range(4):
            pair.check(x)
            x.mul_(0.5)
        expect(pair.state, captures=1, replays=4, inputCopies=0)
        for seed in range(2):
            pair.check(rows(device, 16, seed=seed))  # elsewhere
        expect(pair.state, captures=2, inputCopies=2)


def another_tensor_at_the_place_of_a_freed_bound_one_is_read_rightly(device):
    pair = Pair(Mlp(), device)
    x = rows(device, 16)
    pair.runner.bind([x])
    with torch.inference_mode():
        pair.check(x)
        place = x.data_ptr()
        pair.runner.bind([])
        expect(pair.state, captures=0)
        del x
        y = rows(device, 16, seed=3)
        print("   same place" if y.data_ptr() == place else "   another place")
        pair.check(y)
        pair.runner.bind([y])
        pair.check(y)
        y.untyped_storage().resize_(1 << 16)  # moves the bound memory
        pair.check(y)
        pair.check(rows(device, 16, seed=4))


def inputs_freed_after_the_call_do_no_harm(device):
    pair = Pair(Mlp(), device)
    with torch.inference_mode():
        for call in range(6):
            x = rows(device, 128, seed=call)
            expected = pair.module.plain([x])
            ours = pair.runner.run([x])
            del x
            junk = [torch.full((128, 32), float("nan"), device=device) for _ in range(4)]
            torch.testing.assert_close(ours, expected)
            del junk


def the_least_recently_used_graph_goes_and_comes_back(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_limit(2)
    with torch.inference_mode():
        for count in (4, 5, 6, 6, 6):
            pair.check(rows(device, count))
        expect(pair.state, captures=2, evictions=1, replays=5)
        for call in range(3):
            pair.check(rows(device, 4, seed=call))  # evicted, captured again at its second coming
        expect(pair.state, captures=2, evictions=2, replays=7, plain=1)
        pair.runner.set_limit(1)
        expect(pair.state, captures=1)
        pair.check(rows(device, 4, seed=9))


def endless_new_shapes_do_not_capture_for_ever(device):
    pair = Pair(Mlp(), device)
    with torch.inference_mode():
        for _ in range(3):
            for count in range(1, 41):
                pair.check(rows(device, count))
    state = pair.state
    print(f"   120 calls of 40 shapes: {state['evictions']} evictions, {state['replays']} replays, "
          f"{state['captureMs']:.0f} ms, {state['poolBytes'] >> 20} MiB")
    assert state["evictions"] < 12, state
    expect_reason(pair, "set_limit()")


CHECKS = []
GPU_CHECKS = [
    the_same_shape_is_captured_once_and_reads_new_values,
    new_and_alternating_shapes_have_graphs_of_their_own,
    strides_are_part_of_the_signature,
    one_tensor_may_come_twice_and_inputs_may_overlap,
    empty_and_single_elements_work,
    dtypes_have_graphs_of_their_own,
    indices_are_valid_during_the_warm_up_too,
    autocast_is_part_of_the_signature,
    grad_and_inference_mode_are_part_of_the_signature,
    the_precision_of_float32_is_part_of_the_signature,
    tensors_that_are_not_ordinary_run_plainly,
    bound_inputs_are_not_copied,
    another_tensor_at_the_place_of_a_freed_bound_one_is_read_rightly,
    inputs_freed_after_the_call_do_no_harm,
    the_least_recently_used_graph_goes_and_comes_back,
    endless_new_shapes_do_not_capture_for_ever,
]
