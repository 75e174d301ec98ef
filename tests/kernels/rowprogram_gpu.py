"""Generated kernels on a GPU: results, captures, streams, threads, caches.

    python3 rowprogram_gpu.py --library build/release/lib/libkadvise_kernels.so [--only NAME] [--cases 200] [--first 0]

Prints one line a check; exits 1 when one failed. sanitize.sh runs some cases under compute-sanitizer.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "rowprogram"))
import generate  # noqa: E402
import model  # noqa: E402
import programs  # noqa: E402
import torch  # noqa: E402
from runtime import FORMS, NONE, Runtime, expect_as_near  # noqa: E402

DEVICE = "cuda"  # elsewhere there are no generated kernels


def fresh(name, dtype=torch.bfloat16):
    """A program whose kernels no earlier check has: names are in no kernel, numbers are. The number changes no result."""
    fresh.count += 1
    return programs.named(name).text(dtype).replace("out y", f"yy = add y {fresh.count}e-30\nout yy")


fresh.count = 0


def every_form_equals_float64(runtime, options):
    served = collections.Counter()
    for seed in range(options.first, options.first + options.cases):
        case = generate.case(seed, DEVICE)
        exact, (theirs, ran) = case.reference(), runtime.run(case.text, case.tensors, NONE)
        assert ran == "", ran
        for asked in ("", *FORMS):
            ours, ran = runtime.run(case.text, case.tensors, asked)
            served[asked or "chosen"] += ran != ""
            if ran or not asked:
                expect_as_near(case, ours, theirs, exact, ran or "interpreter")
    print("    cases served:", dict(served))
    if options.cases >= 100:
        missing = [form for form in ("chosen", *FORMS) if not served[form]]
        assert not missing, f"no case was served by {missing}"
        assert served["chosen"] > 0.8 * options.cases, "the interpreter served more than a fifth"


def twice_gives_the_same_bits(runtime, options):
    for seed in range(20):
        case = generate.case(seed, DEVICE)
        first, second = (runtime.run(case.text, case.tensors)[0] for _ in range(2))
        assert all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(first, second)), case.name


def nan_and_infinity_pass_as_torch_has_them(runtime, options):
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e-40, 65504.0, -3e38])
    for name in ("gelu", "silu_mul", "softmax", "layer_norm", "rms_norm", "mean_var"):
        program = programs.named(name)
        for dtype in generate.DTYPES:
            tensors = program.tensors(DEVICE, dtype, 16, 256)
            tensors[0][:8, 5] = special.to(DEVICE, dtype)
            text = program.text(dtype)
            theirs, _ = runtime.run(text, tensors, NONE)
            ours, ran = runtime.run(text, tensors)
            assert ran, name
            for a, b in zip(ours, theirs):
                torch.testing.assert_close(a, b, equal_nan=True, rtol=2e-2, atol=1e-3)
                assert torch.equal(a.isnan(), b.isnan()), f"{name} {dtype}"


def a_cuda_graph_captures_it(runtime, options):
    for text in (programs.named("add_layer_norm").text(torch.bfloat16), fresh("layer_norm")):
        names = "xrwb" if "r = in" in text else "xwb"
        program = programs.named("add_layer_norm" if names == "xrwb" else "layer_norm")
        tensors = program.tensors(DEVICE, torch.bfloat16, 4096, 1024)
        if names == "xrwb":
            runtime.run(text, tensors)  # the other one is first met in the capture
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results, ran = runtime.run(text, tensors)
        assert ran, "the interpreter was captured"
        for _ in range(3):
            tensors[0].normal_()
            for result in results:
                result.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            for a, b in zip(results, runtime.run(text, tensors, NONE)[0]):
                torch.testing.assert_close(a, b, rtol=2e-2, atol=2e-2)


def it_runs_on_the_current_stream(runtime, options):
    program, side = programs.named("rms_norm"), torch.cuda.Stream()
    for columns in (256, 4096, 60000):
        tensors = program.tensors(DEVICE, torch.float32, 64, columns)
        runtime.run(program.text(torch.float32), tensors)
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(50_000_000)  # a kernel on another stream would read x too early
            tensors[0].add_(1)
            ours, ran = runtime.run(program.text(torch.float32), tensors)
        torch.cuda.synchronize()
        assert ran
        torch.testing.assert_close(ours[0], program.aten(*tensors)[0])


def eight_threads_use_it_at_once(runtime, options):
    """In processes of their own, since what may go wrong is a crash: with an empty cache, and with one that has its files."""
    def status(operator, folder):
        call = [sys.executable, os.path.join(HERE, "rowprogram", "threads.py"), "--library", options.library, "--operator", operator]
        return subprocess.run(call, env={**os.environ, "KADVISE_CACHE_DIR": folder}, capture_output=True, text=True)

    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                run = status("row_program", folder)
                if run.returncode != 0:
                    others = {operator: status(operator, folder).returncode for operator in ("rms_norm", "torch")}
                    raise AssertionError(f"exit status {run.returncode}, of other operators {others}\n{run.stdout}{run.stderr}")


def more_than_2_31_elements(runtime, options):
    rows, columns = (1 << 20) + 3, 2049
    if torch.cuda.mem_get_info()[0] < 5 * rows * columns * 2:
        print("    SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested")
        return
    for name in ("gelu", "rms_norm"):
        program = programs.named(name)
        tensors = program.tensors(DEVICE, torch.bfloat16, 1, columns)
        tensors[0] = torch.empty(rows, columns, device=DEVICE, dtype=torch.bfloat16).normal_()
        ours, ran = runtime.run(program.text(torch.bfloat16), tensors)
        assert ran, name
        for row in (0, rows // 2 + 5, rows - 8):
            part = program.aten(tensors[0][row:row + 8].clone(), *tensors[1:])[0]
            torch.testing.assert_close(ours[0][row:row + 8].clone(), part, rtol=2e-2, atol=2e-2)
        del ours, tensors
        torch.cuda.empty_cache()


def in_a_process(library, environment):
    """(milliseconds of the first call, the schedule that served, standard error) of a process of its own."""
    call = [sys.executable, os.path.abspath(__file__), "--library", library, "--first-call"]
    run = subprocess.run(call, env={**os.environ, **environment}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    milliseconds, schedule = run.stdout.split("\n")[-2].split(" ", 1)
    return float(milliseconds), schedule, run.stderr


def first_call(library):
    runtime, program = Runtime(library), programs.named("add_layer_norm")
    tensors = program.tensors(DEVICE, torch.bfloat16, 8192, 1024)
    expected = program.aten(*tensors)  # and torch's own start is over
    torch.cuda.synchronize()
    begin = time.perf_counter()
    ours, ran = runtime.run(program.text(torch.bfloat16), tensors)
    torch.cuda.synchronize()
    milliseconds = (time.perf_counter() - begin) * 1e3
    for a, b in zip(ours, expected):
        torch.testing.assert_close(a, b, rtol=3e-2, atol=3e-2)
    print(f"{milliseconds:.1f} {ran}")


def files_keep_kernels_and_choices_and_damage_is_no_harm(runtime, options):
    with tempfile.TemporaryDirectory() as folder:
        settings = {"KADVISE_CACHE_DIR": folder}
        cold = in_a_process(options.library, settings)
        kept = sorted(path.suffix for path in pathlib.Path(folder).iterdir())
        assert ".tuned" in kept and ".kernel" in kept, kept
        warm = in_a_process(options.library, settings)
        print(f"    first call: {cold[0]:.0f} ms cold, {warm[0]:.1f} ms from files")
        assert warm[1] == cold[1], f"tuned {cold[1]}, from files {warm[1]}"
        for path in pathlib.Path(folder).iterdir():
            path.write_bytes(path.read_bytes()[:-20] + b"damaged" * 3)
        assert in_a_process(options.library, settings)[1] != ""
        untuned = in_a_process(options.library, {**settings, "KADVISE_TUNE": "0"})
        assert untuned[1] != ""
        print(f"    chosen by timing {cold[1]}, by the model {untuned[1]} ({untuned[0]:.1f} ms)")


def the_kernels_of_a_model_are_compiled_side_by_side(runtime, options):
    """Prints what a first call costs; that results agree is asserted in the process."""
    for what in ("plain", "runner"):
        with tempfile.TemporaryDirectory() as folder:
            times = []
            for _ in range(2):
                call = [sys.executable, os.path.abspath(__file__), "--library", options.library, "--first-model", what]
                run = subprocess.run(call, env={**os.environ, "KADVISE_CACHE_DIR": folder}, capture_output=True, text=True)
                assert run.returncode == 0, run.stderr
                times.append(run.stdout.strip().split("\n")[-1])
        print(f"    {what}: first and later call, ms: {times[0]} cold, {times[1]} from files")


def without_a_compiler_the_interpreter_serves_and_says_so_once(runtime, options):
    with tempfile.TemporaryDirectory() as folder:
        _, ran, said = in_a_process(options.library, {"KADVISE_NVRTC": "", "KADVISE_CACHE_DIR": folder})
    assert ran == "", ran
    assert said.count("KADVISE_NVRTC is set and empty") == 1, said


def a_calls_own_time_on_the_host(runtime, options):
    """Prints, asserts nothing: what a call costs beside the launch."""
    program, rounds = programs.named("add_layer_norm"), 2000
    tensors, text = program.tensors(DEVICE, torch.bfloat16, 16, 256), program.text(torch.bfloat16)

    def microseconds(call):
        call()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for i in range(rounds):
            call()
            if i % 200 == 0:
                torch.cuda.synchronize()
        return (time.perf_counter() - begin) * 1e6 / rounds

    ours = microseconds(lambda: torch.ops.kadvise.row_program(text, tensors))
    hand = microseconds(lambda: torch.ops.kadvise.add_layer_norm(tensors[0], tensors[1], [256], tensors[2], tensors[3], 1e-5))
    print(f"    {ours:.1f} us a call from Python, {hand:.1f} us of the hand-written operator")


CHECKS = [every_form_equals_float64, twice_gives_the_same_bits, nan_and_infinity_pass_as_torch_has_them, a_cuda_graph_captures_it,
          it_runs_on_the_current_stream, eight_threads_use_it_at_once, files_keep_kernels_and_choices_and_damage_is_no_harm,
          the_kernels_of_a_model_are_compiled_side_by_side,
          without_a_compiler_the_interpreter_serves_and_says_so_once, a_calls_own_time_on_the_host, more_than_2_31_elements]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--only")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--first-call", action="store_true", help="one call, its time and its schedule")
    parser.add_argument("--first-model", choices=("plain", "runner"), help="the first call of many programs")
    options = parser.parse_args()
    if options.first_model:
        Runtime(options.library)
        with torch.inference_mode():
            return print("%.1f %.1f" % model.first_calls(options.first_model == "runner", DEVICE))
    if options.first_call:
        return first_call(options.library)
    runtime, failed = Runtime(options.library), 0
    warnings.simplefilter("always")
    for check in CHECKS:
        if options.only and options.only not in check.__name__:
            continue
        try:
            with torch.inference_mode():
                begin = time.monotonic()
                check(runtime, options)
            print(f"ok    {check.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL  {check.__name__}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
