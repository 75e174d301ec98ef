"""Calls that come back to the same memory: their graphs read the inputs and write the results where they lie."""
import threading
from typing import List

import torch
from torch import Tensor

from .calls import Sum
from .common import Mlp, Pair, compare, expect_reason, rows
from .results import Layouts, Mixed, Views

SLEEP_CYCLES = 200_000_000
MOST = 8       # such graphs at a time, beside the one with copies


class Double(torch.nn.Module):
    """One kernel on any amount of memory."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] * 2]


def pair_of(inner, device):
    pair = Pair(inner, device)
    pair.runner.set_in_place(True)
    return pair


def a_loop_over_the_same_memory_copies_nothing(device):
    pair = pair_of(Mlp(), device)
    x = rows(device, 16)
    with torch.inference_mode():
        for call in range(12):
            x.copy_(rows(device, 16, seed=call))
            expected = pair.module.plain([x])[0].tolist()  # no memory of the GPU is held
            assert pair.runner.run([x])[0].sub(torch.tensor(expected, device=device)).abs().max() < 1e-4, call
    state = pair.state
    assert state["inPlace"] >= 6 and state["plain"] == 0, state
    assert state["inputCopies"] + state["inPlace"] == state["replays"] == 12, state


def a_loop_that_holds_its_last_result_comes_to_rest_too(device):
    pair = pair_of(Mlp(), device)
    x = rows(device, 16)
    result = None
    with torch.inference_mode():
        for call in range(30):
            x.mul_(0.9)
            result = pair.runner.run([x])
            last = result[0].clone()
        compare([last], pair.module.plain([x]))
    assert pair.state["inPlace"] >= 15, pair.state


def results_that_are_kept_or_written_to_spoil_no_other_call(device):
    pair = pair_of(Mlp(), device)
    x = rows(device, 16)
    with torch.inference_mode():
        kept, written = [], []
        for call in range(24):
            x.copy_(rows(device, 16, seed=call))
            kept.append((pair.runner.run([x]), pair.module.plain([x])))
            if call % 3 == 2:
                written.append((kept.pop(-2)[0][0].fill_(float(call)), call))
        for ours, theirs in kept:
            compare(ours, theirs)
        for ours, call in written:
            assert bool((ours == call).all()), call


def other_values_shapes_and_dtypes_at_the_same_place_are_read_rightly(device):
    pair = pair_of(Sum(), device)
    memory = torch.empty(64 * 128, device=device)
    views = [lambda: memory.view(64, 128), lambda: memory.view(128, 64).t(), lambda: memory[: 32 * 128].view(32, 128),
             lambda: memory.view(torch.bfloat16)[: 64 * 128].view(64, 128)]
    with torch.inference_mode():
        for call in range(40):
            memory.copy_(rows(device, 64, 128, seed=call).flatten())
            pair.check(views[call % len(views)]())
    assert pair.state["inPlace"] > 0, pair.state


def an_input_that_was_freed_and_given_to_another_tensor_is_read_rightly(device):
    pair = pair_of(Mlp(), device)
    with torch.inference_mode():
        for call in range(20):
            x = rows(device, 128, seed=call)
            ours = pair.runner.run([x])
            expected = pair.module.plain([x])
            del x
            junk = torch.full((128, 32), float("nan"), device=device)
            compare(ours, expected)
            del junk, ours, expected


def a_result_is_the_input_of_the_next_call(device):
    pair = pair_of(Mlp(), device)
    with torch.inference_mode():
        ours = theirs = rows(device, 16)
        for _ in range(20):
            ours, theirs = pair.runner.run([ours])[0], pair.module.plain([theirs])[0]
            ours, theirs = ours / ours.norm(), theirs / theirs.norm()
            torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-3)


def a_result_that_another_stream_reads_is_kept_for_it(device):
    pair = pair_of(Mlp(), device)
    slow = torch.cuda.Stream()
    x = rows(device, 512)
    with torch.inference_mode():
        for _ in range(8):
            pair.check(x)
        expected = pair.module.plain([x])[0]
        torch.cuda.synchronize()
        result = pair.runner.run([x])[0]
        slow.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(slow):
            torch.cuda._sleep(SLEEP_CYCLES)
            read = result.clone()
        result.record_stream(slow)
        del result
        x.fill_(7)
        for _ in range(4):
            pair.runner.run([x])
        torch.cuda.synchronize()
        torch.testing.assert_close(read, expected)


def changing_streams_follow_each_other(device):
    pair = pair_of(Mlp(), device)
    streams = [torch.cuda.Stream() for _ in range(3)]
    x = rows(device, 512)
    expected = pair.module.plain([x])[0]
    torch.cuda.synchronize()
    with torch.inference_mode():
        wrong = []
        for call in range(60):
            with torch.cuda.stream(streams[call % 3]):
                wrong.append((~torch.isclose(pair.runner.run([x])[0], expected, atol=1e-5)).any())
        torch.cuda.synchronize()
    assert not any(wrong), [call for call, is_wrong in enumerate(wrong) if is_wrong]


def eight_threads_with_memory_of_their_own(device):
    pair = pair_of(Mlp(), device)
    errors = []

    def work(index):
        try:
            x = rows(device, 64, seed=index)
            with torch.inference_mode(), torch.cuda.stream(torch.cuda.Stream()):
                torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
                expected = pair.module.plain([x])[0]
                for _ in range(100):
                    assert torch.allclose(pair.runner.run([x])[0], expected, atol=1e-5), index
                torch.cuda.current_stream().synchronize()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def results_that_are_views_of_inputs_and_weights_stay_so(device):
    pair = pair_of(Views(), device)
    x = rows(device, 6, 8)
    with torch.inference_mode():
        for call in range(10):
            tail, weight, y, first, middle, same = pair.check(x)
            assert same.data_ptr() == x.data_ptr() and tail.data_ptr() == x[1:].data_ptr()
            assert first.data_ptr() == y.data_ptr() and middle.data_ptr() == y.view(-1)[3:].data_ptr()
            y.zero_()
            x.add_(1)
            del tail, weight, y, first, middle, same
    assert pair.state["plain"] == 0, pair.state


def many_inputs_and_results_of_any_dtype(device):
    pair = pair_of(Mixed(), device)
    dtypes = [torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool, torch.float64, torch.complex64]
    values = [(rows(device, 5 + i, 7) * 4).to(dtype) for i, dtype in enumerate(dtypes)] + [rows(device, 0, 4)]
    with torch.inference_mode():
        for call in range(10):
            compare(pair.runner.run(values), pair.module.plain(values), rtol=0, atol=0)
            values[0].add_(1)
            values[2].add_(1)


def results_of_any_layout_are_those_of_the_plain_module(device):
    pair = pair_of(Layouts(), device)
    x = rows(device, 64, 128)
    with torch.inference_mode():
        for _ in range(10):
            compare(pair.runner.run([x]), pair.module.plain([x]))
            x.mul_(0.7)
    assert pair.state["inPlace"] > 0, pair.state


def places_that_change_for_ever_cost_a_bounded_number_of_graphs(device):
    pair = pair_of(Mlp(), device)
    places = [rows(device, 16, seed=number) for number in range(12)]
    with torch.inference_mode():
        for call in range(240):
            x = places[call % len(places)]
            pair.check(x)
    state = pair.state
    assert state["captures"] <= 1 + MOST and state["replays"] == 240, state


def dear_copies_are_left_out(device):
    pair = pair_of(Double(), device)
    with torch.inference_mode():
        places = [torch.randn(4 << 20, device=device) for _ in range(2)]
        for x in places:
            pair.check(x)
        expect_reason(pair, "copying its inputs and results would cost more")
        for _ in range(8):
            pair.runner.run([places[0]])
        assert pair.state["inPlace"] > 0 and pair.state["inputCopies"] == 0, pair.state
        pair.check(places[0].mul_(3))


def modes_of_the_thread_have_graphs_of_their_own(device):
    pair = pair_of(Mlp(), device)
    x = rows(device, 16)
    for _ in range(5):
        with torch.inference_mode():
            assert pair.check(x)[0].is_inference()
        with torch.no_grad():
            assert not pair.check(x)[0].is_inference()
            with torch.autocast("cuda", dtype=torch.bfloat16):
                pair.check(x, atol=1e-1, rtol=1e-1)
    assert pair.state["plain"] == 0, pair.state


def it_can_be_switched_off(device):
    pair = pair_of(Mlp(), device)
    pair.runner.set_in_place(False)
    x = rows(device, 16)
    with torch.inference_mode():
        for _ in range(8):
            pair.check(x)
    assert pair.state["inPlace"] == 0 and pair.state["inputCopies"] == 8, pair.state


CHECKS = []
GPU_CHECKS = [
    a_loop_over_the_same_memory_copies_nothing,
    a_loop_that_holds_its_last_result_comes_to_rest_too,
    results_that_are_kept_or_written_to_spoil_no_other_call,
    other_values_shapes_and_dtypes_at_the_same_place_are_read_rightly,
    an_input_that_was_freed_and_given_to_another_tensor_is_read_rightly,
    a_result_is_the_input_of_the_next_call,
    a_result_that_another_stream_reads_is_kept_for_it,
    changing_streams_follow_each_other,
    eight_threads_with_memory_of_their_own,
    results_that_are_views_of_inputs_and_weights_stay_so,
    many_inputs_and_results_of_any_dtype,
    results_of_any_layout_are_those_of_the_plain_module,
    places_that_change_for_ever_cost_a_bounded_number_of_graphs,
    dear_copies_are_left_out,
    modes_of_the_thread_have_graphs_of_their_own,
    it_can_be_switched_off,
]
