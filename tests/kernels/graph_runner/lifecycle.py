"""Files, copies, devices, errors, switches: the life of a runner."""
import copy
import gc
import json
from typing import List

import torch
from torch import Tensor

from .common import Mlp, Pair, Runnable, Wrapper, compare, expect, expect_reason, rows, saved, through_a_file


def error_of(call):
    try:
        call()
    except Exception as error:
        return str(error)
    return "no error"


def a_wrapper_is_saved_and_loaded_with_its_module(device):
    pair = Pair(Mlp(), device)
    wrapper = torch.jit.script(Wrapper(pair.runner))
    x = rows(device, 5)
    with torch.inference_mode():
        expected = pair.module.plain([x])
        compare([wrapper(x)], expected)
        once = through_a_file(wrapper)
        twice = through_a_file(once)
        for module in (once, twice, torch.jit.freeze(once.eval())):
            for _ in range(2):
                compare([module(x)], expected)


def a_deep_copy_has_a_module_and_graphs_of_its_own(device):
    pair = Pair(Mlp(), device)
    wrapper = torch.jit.script(Wrapper(pair.runner))
    x = rows(device, 5)
    with torch.inference_mode():
        expected = pair.module.plain([x])
        copied = copy.deepcopy(wrapper)
        compare([copied(x)], expected)
        expect(pair.state, replays=0, plain=0)
        compare([wrapper(x)], expected)


def settings_are_saved_with_the_module(device):
    pair = Pair(Mlp(), device)
    pair.runner.set_outputs("leased")
    pair.runner.set_limit(3)
    wrapper = through_a_file(torch.jit.script(Wrapper(pair.runner)))
    expect(json.loads(wrapper.runner.state()), outputs="leased", limit=3)
    expect(json.loads(copy.deepcopy(wrapper).runner.state()), outputs="leased", limit=3)


def bytes_that_hold_no_module_are_refused_in_a_sentence(device):
    runner = torch.classes.kadvise.GraphRunner
    assert "could not load the module" in error_of(lambda: runner(torch.zeros(40, dtype=torch.uint8)))
    assert "one uint8 tensor" in error_of(lambda: runner(torch.zeros(4)))
    no_methods = saved(torch.jit.script(torch.nn.ReLU()))
    assert "has no method captured" in error_of(lambda: runner(no_methods))

    class Wrong(torch.nn.Module):
        @torch.jit.export
        def captured(self, x: Tensor) -> Tensor:
            return x

        @torch.jit.export
        def plain(self, inputs: List[Tensor]) -> List[Tensor]:
            return inputs

    assert "must be captured(Tensor[] inputs)" in error_of(lambda: runner(saved(torch.jit.script(Wrong()))))
    whole = saved(torch.jit.script(Runnable(Mlp())))
    assert "could not load the module" in error_of(lambda: runner(whole[: whole.numel() // 2]))


def settings_that_make_no_sense_are_refused(device):
    pair = Pair(Mlp(), device)
    assert '"copied" or "leased"' in error_of(lambda: pair.runner.set_outputs("borrowed"))
    assert "at least 1" in error_of(lambda: pair.runner.set_limit(0))


def switched_off_it_runs_plainly_and_says_so(device):
    pair = Pair(Mlp(), device)
    with torch.inference_mode():
        pair.runner.set_enabled(False)
        pair.check(rows(device, 5))
        expect(pair.state, enabled=False, replays=0, plain=1)
        expect_reason(pair, "switched off")
        pair.runner.set_enabled(True)
        pair.check(rows(device, 5))
    expect(pair.state, enabled=True, replays=1 if device == "cuda" else 0)


def on_the_cpu_it_runs_plainly_and_says_so(device):
    pair = Pair(Mlp(), "cpu")
    for count in (5, 1, 0):
        pair.check(rows("cpu", count))
    expect(pair.state, captures=0, replays=0, plain=3)
    expect_reason(pair, "on the CPU")


def gradients_flow_through_the_plain_module(device):
    pair = Pair(Mlp(), device, grad=True)
    x, y = (rows(device, 5).requires_grad_() for _ in range(2))
    ours, theirs = pair.runner.run([x]), pair.module.plain([y])
    compare(ours, theirs)
    ours[0].sum().backward()
    theirs[0].sum().backward()
    torch.testing.assert_close(x.grad, y.grad)
    expect_reason(pair, "gradients" if device == "cuda" else "on the CPU")
    frozen = Pair(Mlp(), device)
    z = rows(device, 5).requires_grad_()
    assert frozen.runner.run([z])[0].requires_grad


def inputs_on_another_device_are_refused_with_the_remedy(device):
    pair = Pair(Mlp(), device)
    other = "cpu" if device == "cuda" else "meta"
    if other == "meta":
        return  # nothing to say: torch's own error is clear
    message = error_of(lambda: pair.runner.run([rows(other, 4)]))
    assert "map_location" in message and "does not reach" in message, message
    on_the_cpu = Pair(Mlp(), "cpu")
    message = error_of(lambda: on_the_cpu.runner.run([rows(device, 4)]))
    assert 'map_location="cuda:0"' in message, message


def a_file_is_loaded_onto_the_device_of_map_location(device):
    x = rows("cpu", 5)
    for made_on in ("cpu", "cuda"):
        pair = Pair(Mlp(), made_on)
        wrapper = torch.jit.script(Wrapper(pair.runner))
        with torch.inference_mode():
            for wanted in ("cpu", "cuda"):
                loaded = through_a_file(wrapper, map_location=wanted)
                result = loaded(x.to(wanted))
                assert result.device.type == wanted
                expected = pair.module.plain([x.to(made_on)])
                torch.testing.assert_close(result.cpu(), expected[0].cpu(), rtol=1e-4, atol=1e-5)
            as_saved = through_a_file(wrapper)
            assert as_saved(x.to(made_on)).device.type == made_on


def clear_gives_the_memory_back_and_the_next_call_captures_again(device):
    pair = Pair(Mlp(), device)
    with torch.inference_mode():
        pair.check(rows(device, 4096))
        assert pair.state["poolBytes"] > 4096 * 32 * 4, pair.state
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        before = torch.cuda.memory_reserved()
        pool = pair.state["poolBytes"]
        pair.runner.clear()
        freed = before - torch.cuda.memory_reserved()
        print(f"   a pool of {pool >> 10} KiB, {freed >> 10} KiB came back (cuBLAS keeps its workspace)")
        expect(pair.state, captures=0, poolBytes=0)
        assert freed > 0, (pool, freed)
        pair.check(rows(device, 4096, seed=1))
        expect(pair.state, captures=1, replays=2)


def results_outlive_the_runner(device):
    for mode in ("copied", "leased"):
        pair = Pair(Mlp(), device)
        pair.runner.set_outputs(mode)
        x = rows(device, 64)
        with torch.inference_mode():
            result, expected = pair.runner.run([x]), pair.module.plain([x])
            pair.runner = None
            gc.collect()
            again = Pair(Mlp(), device, seed=8)
            for call in range(3):
                again.check(rows(device, 64, seed=call))
            compare(result, expected)


CHECKS = [
    a_wrapper_is_saved_and_loaded_with_its_module,
    a_deep_copy_has_a_module_and_graphs_of_its_own,
    settings_are_saved_with_the_module,
    bytes_that_hold_no_module_are_refused_in_a_sentence,
    settings_that_make_no_sense_are_refused,
    switched_off_it_runs_plainly_and_says_so,
    on_the_cpu_it_runs_plainly_and_says_so,
    gradients_flow_through_the_plain_module,
]
GPU_CHECKS = [
    inputs_on_another_device_are_refused_with_the_remedy,
    a_file_is_loaded_onto_the_device_of_map_location,
    clear_gives_the_memory_back_and_the_next_call_captures_again,
    results_outlive_the_runner,
]
