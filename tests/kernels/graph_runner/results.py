"""The results of a call stay right while others run, and share memory exactly as the plain module's do."""
from typing import List

import torch
from torch import Tensor

from .common import Mlp, Pair, compare, expect, rows


class Views(torch.nn.Module):
    """Results that are views of an input, of a weight, and of each other."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 4))

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        x = inputs[0]
        y = torch.relu(x) + self.weight.sum()
        return [x[1:], self.weight.t(), y, y[0], y.view(-1)[3:9], x]


class Layouts(torch.nn.Module):
    """Results that are not contiguous, overlap themselves, are small parts, empty, or seen as another dtype."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        y = inputs[0] * 2 + 1
        z = y.unsqueeze(0).expand(3, -1, -1)
        w = inputs[0] - 1
        return [y.t(), z, w[:, 5:6], (inputs[0] * 3)[0:0], torch.view_as_complex((w + 2).view(-1, 2)), (w * 5).int()]


class Both(torch.nn.Module):
    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        y = inputs[0] * 2
        return [y, y]


class Mixed(torch.nn.Module):
    """Many small results of several dtypes, from as many inputs."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        results: List[Tensor] = []
        for x in inputs:
            results.append(x + x)
        return results


MODES = ("copied", "leased")


def kept_results_keep_their_values(device):
    for mode in MODES:
        pair = Pair(Mlp(), device)
        pair.runner.set_outputs(mode)
        with torch.inference_mode():
            kept = []
            for call in range(9):
                x = rows(device, 16, seed=call)
                kept.append((pair.runner.run([x]), pair.module.plain([x])))
            for ours, theirs in kept:
                compare(ours, theirs)
        expect(pair.state, captures=1 if mode == "copied" else 3, replays=9, plain=0)


def leased_results_survive_the_graphs_of_other_shapes(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_outputs("leased")
    with torch.inference_mode():
        for seed in range(4):
            kept = []
            for count in (512, 64, 512, 300, 64, 511, 512):  # the intermediate values of each lie somewhere else
                x = rows(device, count, seed=seed)
                kept.append((pair.runner.run([x]), pair.module.plain([x])))
            for number, (ours, theirs) in enumerate(kept):
                assert torch.allclose(ours[0], theirs[0], atol=1e-5), f"result {number} of round {seed}: {pair.state}"
    expect(pair.state, plain=0, signatures=4)


def many_small_inputs_and_results_of_any_dtype_and_place(device):
    dtypes = [torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.float32, torch.bool, torch.bfloat16,
              torch.uint8, torch.float64, torch.int16, torch.complex64, torch.float32]
    for mode in MODES:
        pair = Pair(Mixed(), device)
        pair.runner.set_outputs(mode)
        with torch.inference_mode():
            kept = []
            for call in range(5):
                values = [(rows(device, 5 + i, 7, seed=call) * 4).to(dtype) for i, dtype in enumerate(dtypes)]
                values += [rows(device, 3, 41, seed=call).flatten()[1:].to(torch.uint8)[i:] for i in range(3)]
                values += [rows(device, 9, 4, seed=call).t(), rows(device, 0, 4), rows(device, 400, 400, seed=call)]
                kept.append((pair.runner.run(values), pair.module.plain(values)))
            for ours, theirs in kept:
                compare(ours, theirs, rtol=0, atol=0)
        expect(pair.state, plain=0, replays=5, inputCopies=5 * len(values))


def results_that_are_written_to_spoil_no_other_call(device):
    for mode in MODES:
        pair = Pair(Mlp(), device)
        pair.runner.set_outputs(mode)
        with torch.inference_mode():
            kept = []
            for call in range(8):
                result = pair.check(rows(device, 16, seed=call))[0]
                kept.append(result.fill_(float(call)))
            for call, result in enumerate(kept):
                assert bool((result == call).all()), (mode, call)


def a_loop_that_drops_each_result_leases_without_copies(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_outputs("leased")
    result = None
    with torch.inference_mode():
        for call in range(20):
            x = rows(device, 16, seed=call)
            result = pair.runner.run([x])
            compare(result, pair.module.plain([x]))
    expect(pair.state, captures=2, replays=20, outputCopies=0)


def a_view_of_a_leased_result_keeps_it(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_outputs("leased")
    with torch.inference_mode():
        x = rows(device, 16)
        part = pair.runner.run([x])[0][3:5]
        expected = pair.module.plain([x])[0][3:5]
        for call in range(4):
            pair.check(rows(device, 16, seed=call + 1))
        torch.testing.assert_close(part, expected)


def a_leased_result_may_be_resized(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_outputs("leased")
    with torch.no_grad():
        for call in range(4):
            result = pair.check(rows(device, 16, seed=call))[0]
            result.resize_(200, 200).fill_(float("nan"))


def results_share_memory_as_the_plain_module_s_do(device):
    for mode in MODES:
        pair = Pair(Views(), device)
        pair.runner.set_outputs(mode)
        with torch.inference_mode():
            for call in range(3):
                x = rows(device, 6, 8, seed=call)
                tail, weight, y, first, middle, same = pair.check(x)
                assert same.data_ptr() == x.data_ptr() and tail.data_ptr() == x[1:].data_ptr()
                assert first.data_ptr() == y.data_ptr() and middle.data_ptr() == y.view(-1)[3:].data_ptr()
                y.zero_()
                assert float(first.abs().sum() + middle.abs().sum()) == 0
                assert y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
                x.fill_(3)
                assert bool((tail == 3).all())
        expect(pair.state, plain=0, replays=3)


def layouts_of_results_are_those_of_the_plain_module(device):
    for mode in MODES:
        pair = Pair(Layouts(), device)
        pair.runner.set_outputs(mode)
        with torch.inference_mode():
            kept = []
            for call in range(5):
                x = rows(device, 64, 128, seed=call)
                kept.append((pair.runner.run([x]), pair.module.plain([x])))
            for ours, theirs in kept:
                compare(ours, theirs)
        expect(pair.state, plain=0, replays=5)


def one_result_given_twice_is_one_tensor_s_memory(device):
    pair = Pair(Both(), device)
    with torch.inference_mode():
        for call in range(2):
            one, two = pair.check(rows(device, 4, seed=call))
            assert one.data_ptr() == two.data_ptr()


def results_can_be_used_in_autograd_afterwards(device):
    for mode in MODES:
        pair = Pair(Mlp(), device)
        pair.runner.set_outputs(mode)
        weight = torch.ones(32, device=device, requires_grad=True)
        for call in range(3):
            x = rows(device, 4, seed=call)
            with torch.no_grad():
                result = pair.runner.run([x])[0]
            (result * weight).sum().backward()
            torch.testing.assert_close(weight.grad, pair.module.plain([x])[0].sum(0))
            weight.grad = None


CHECKS = []
GPU_CHECKS = [
    kept_results_keep_their_values,
    leased_results_survive_the_graphs_of_other_shapes,
    many_small_inputs_and_results_of_any_dtype_and_place,
    results_that_are_written_to_spoil_no_other_call,
    a_loop_that_drops_each_result_leases_without_copies,
    a_view_of_a_leased_result_keeps_it,
    a_leased_result_may_be_resized,
    results_share_memory_as_the_plain_module_s_do,
    layouts_of_results_are_those_of_the_plain_module,
    one_result_given_twice_is_one_tensor_s_memory,
    results_can_be_used_in_autograd_afterwards,
]
