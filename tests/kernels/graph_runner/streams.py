"""Streams, threads, captures around and beside a runner, and memory that runs out."""
import threading
from typing import List

import torch
from torch import Tensor

from .common import Mlp, Pair, compare, expect, expect_reason, rows

SLEEP_CYCLES = 20_000_000  # some 10 ms: long enough that a missing wait shows


class Inside(torch.nn.Module):
    """A module that has a runner inside."""

    def __init__(self, runner):
        super().__init__()
        self.runner = runner

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [self.runner.run([inputs[0] + 1])[0] * 2]


class LongSums(torch.nn.Module):
    """A product of few elements and long sums, which cuBLAS splits and adds up in its workspace."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(16384, 64))

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [inputs[0] @ self.weight]


class Temporary(torch.nn.Module):
    """Needs many bytes for a moment and returns few."""

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        return [(inputs[0].unsqueeze(1) + inputs[0].unsqueeze(0)).sum(-1).sum(-1)]


def it_runs_on_the_current_stream(device):
    for mode in ("copied", "leased"):
        pair = Pair(Mlp(), device)
        pair.runner.set_outputs(mode)
        side = torch.cuda.Stream()
        x = rows(device, 64)
        with torch.inference_mode():
            pair.check(x)
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                torch.cuda._sleep(SLEEP_CYCLES)  # a graph on another stream would read x too early
                x.add_(1)
                ours = pair.runner.run([x])
            side.synchronize()
            compare(ours, pair.module.plain([x]))


def calls_on_changing_streams_follow_each_other(device):
    for mode in ("copied", "leased"):
        pair = Pair(Mlp(), device)
        pair.runner.set_outputs(mode)
        streams = [torch.cuda.Stream() for _ in range(3)]
        xs = [rows(device, 512, seed=call) for call in range(3)]
        with torch.inference_mode():
            expected = [pair.module.plain([x]) for x in xs]
            pair.check(xs[0])
            torch.cuda.synchronize()
            wrong = []  # added up at the end: the runner orders its own work, not what streams do with results
            for call in range(200):
                with torch.cuda.stream(streams[call % 3]):
                    if call % 3 == 0:
                        torch.cuda._sleep(100_000)
                    ours = pair.runner.run([xs[call % 3]])[0]
                    wrong.append((~torch.isclose(ours, expected[call % 3][0], rtol=1e-4, atol=1e-5)).any())
            torch.cuda.synchronize()
        calls = [call for call, is_wrong in enumerate(wrong) if is_wrong]
        assert not calls, f"{len(calls)} of 200 calls were wrong ({mode}): {calls[:20]}"
        expect(pair.state, plain=0)


def whose(ours, expected):
    """Which of the expected results a wrong one is, for the message of a failure."""
    torch.cuda.synchronize()
    same = [number for number, one in enumerate(expected)
            if one.shape == ours.shape and torch.allclose(ours, one, atol=1e-5)]
    return f"result {same}" if same else f"none of {len(expected)} results: {ours.flatten()[:4].tolist()}"


def a_leased_result_is_not_overwritten_before_its_stream_has_read_it(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_outputs("leased")
    slow, other = torch.cuda.Stream(), torch.cuda.Stream()
    xs = [rows(device, 512, seed=call) for call in range(2)]
    with torch.inference_mode():
        expected = [pair.module.plain([x])[0] for x in xs]
        pair.check(xs[0])
        torch.cuda.synchronize()
        with torch.cuda.stream(slow):
            leased = pair.runner.run([xs[0]])[0]
        with torch.cuda.stream(other):
            between = pair.runner.run([xs[1]])[0]  # in the second set, after the first call only
        with torch.cuda.stream(slow):
            torch.cuda._sleep(SLEEP_CYCLES)
            read = leased.clone()
        del leased
        with torch.cuda.stream(other):
            pair.runner.run([xs[1]])  # in the first set again, which the slow stream has not read yet
        torch.cuda.synchronize()
        for name, ours, number in (("read", read, 0), ("between", between, 1)):
            assert torch.allclose(ours, expected[number], atol=1e-5), f"{name} is {whose(ours, expected)}; {pair.state}"
    expect(pair.state, captures=2, outputCopies=0)


def eight_threads(work):
    errors = []

    def run(index):
        try:
            work(index)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def eight_threads_get_their_own_results(device):
    for shapes in (lambda index: 64, lambda index: 60 + index % 4):
        for mode in ("copied", "leased"):
            pair = Pair(Mlp(), device)
            pair.runner.set_outputs(mode)
            start = threading.Barrier(8)

            def work(index):
                xs = [rows(device, shapes(index), seed=100 * index + call) for call in range(4)]
                with torch.inference_mode(), torch.cuda.stream(torch.cuda.Stream()):
                    torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
                    expected = [pair.module.plain([x]) for x in xs]
                    start.wait()
                    for call in range(100):
                        ours = pair.runner.run([xs[call % 4]])
                        if call % 10 == 0 and not torch.allclose(ours[0], expected[call % 4][0], atol=1e-5):
                            found = whose(ours[0], [one[0] for one in expected])
                            raise AssertionError(f"{mode}, thread {index}, call {call}: {found}; {pair.state}")
                    torch.cuda.current_stream().synchronize()

            eight_threads(work)
            state = pair.state
            assert state["replays"] == 800, state


def runners_on_different_streams_do_not_disturb_each_other(device):
    pairs = [Pair(LongSums(), device, seed=seed) for seed in range(3)]
    streams = [torch.cuda.Stream() for _ in pairs]
    x = rows(device, 64, 16384)
    with torch.inference_mode():
        expected = [pair.check(x, rtol=1e-3, atol=1e-2)[0] for pair in pairs]
        torch.cuda.synchronize()
        wrong = []
        for call in range(300):
            number = call % len(pairs)
            with torch.cuda.stream(streams[number]):
                ours = pairs[number].runner.run([x])[0]
                wrong.append((~torch.isclose(ours, expected[number], rtol=1e-3, atol=1e-2)).any())
        torch.cuda.synchronize()
    calls = [call for call, is_wrong in enumerate(wrong) if is_wrong]
    assert not calls, f"{len(calls)} of 300 calls were wrong: {calls[:20]}"


def random_numbers_of_other_threads_are_untouched_by_captures(device):
    stop = threading.Event()
    drawn = []

    def draw():
        while not stop.is_set():
            drawn.append(float(torch.rand(4, device=device).sum()))

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        pair = Pair(Mlp(), device)
        with torch.inference_mode():
            for count in range(1, 8):
                pair.check(rows(device, count))
    finally:
        stop.set()
        thread.join()
    expect(pair.state, captures=7, replays=7)
    assert drawn, "the other thread failed"


def under_the_caller_s_capture_it_becomes_a_part_of_that_graph(device):
    for is_warm in (True, False):
        pair = Pair(Mlp(), device)
        x = rows(device, 16)
        with torch.inference_mode():
            if is_warm:
                pair.check(x)
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                for _ in range(4):
                    pair.module.plain([x])
                    pair.runner.set_enabled(False)
                    pair.runner.run([x])
                    pair.runner.set_enabled(True)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                ours = pair.runner.run([x])
            for seed in range(3):
                x.copy_(rows(device, 16, seed=seed))
                graph.replay()
                compare(ours, pair.module.plain([x]))
            expect_reason(pair, "the caller is capturing")
            pair.check(x)


def two_runners_and_one_inside_the_other_work(device):
    one, two = Pair(Mlp(), device), Pair(Mlp(), device, seed=9)
    outer = Pair(Inside(one.runner), device)
    with torch.inference_mode():
        for call in range(5):
            x = rows(device, 16, seed=call)
            one.check(x)
            two.check(x)
            torch.testing.assert_close(outer.runner.run([x]), [one.module.plain([x + 1])[0] * 2])
        first, second = one.runner.run([x])[0], two.runner.run([x])[0]
        compare([first], one.module.plain([x]))
        compare([second], two.module.plain([x]))
    print(f"   outer: {outer.state['neverCaptured']}")
    expect(two.state, captures=1, plain=0)


def where_memory_runs_out_it_runs_plainly(device):
    pair = Pair(Temporary(), device)
    x = rows(device, 1024, 256)  # 1 GiB for a moment
    with torch.inference_mode():
        expected = pair.module.plain([x])
        torch.cuda.synchronize()
        total = torch.cuda.get_device_properties(0).total_memory
        reserved = torch.cuda.memory_reserved()
        torch.cuda.set_per_process_memory_fraction((reserved + (200 << 20)) / total)
        try:
            for _ in range(2):
                compare(pair.runner.run([x]), expected)
            expect(pair.state, captures=0, plain=2, poolBytes=0)
            expect_reason(pair, "memory did not suffice")
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)
        torch.rand(3, device=device)
        pair.runner.clear()  # forgets the failure
        compare(pair.runner.run([x]), expected)
        expect(pair.state, captures=1, replays=1)


def graphs_share_the_memory_of_their_temporaries(device):
    pair = Pair(Temporary(), device)
    with torch.inference_mode():
        sizes = []
        for count in (512, 511, 510, 509):
            compare(pair.check(rows(device, count, 256)), pair.module.plain([rows(device, count, 256)]))
            sizes.append(pair.state["poolBytes"] >> 20)
    print(f"   MiB after each capture: {sizes}")
    assert sizes[-1] < 2 * sizes[0], sizes


CHECKS = []
GPU_CHECKS = [
    it_runs_on_the_current_stream,
    calls_on_changing_streams_follow_each_other,
    a_leased_result_is_not_overwritten_before_its_stream_has_read_it,
    eight_threads_get_their_own_results,
    runners_on_different_streams_do_not_disturb_each_other,
    random_numbers_of_other_threads_are_untouched_by_captures,
    under_the_caller_s_capture_it_becomes_a_part_of_that_graph,
    two_runners_and_one_inside_the_other_work,
    where_memory_runs_out_it_runs_plainly,
    graphs_share_the_memory_of_their_temporaries,
]
