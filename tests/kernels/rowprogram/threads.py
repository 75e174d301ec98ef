"""Eight threads that use new programs at once, each on a stream of its own; a crash prints the C++ stack of its thread.

    python3 threads.py --library build/release/lib/libkadvise_kernels.so [--operator row_program|rms_norm|torch]

The other operators are what to compare a crash with: a hand-written one of ours, and torch's own. Exits 1 with what was wrong.
"""
import argparse
import ctypes
import faulthandler
import os
import pathlib
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
import torch  # noqa: E402
from runtime import Runtime  # noqa: E402

THREADS, CALLS, NEW = 8, 40, 4


def print_native_backtraces(library):
    """Where the test library of the build is at hand."""
    faulthandler.enable()
    file = pathlib.Path(library).resolve().parents[1] / "tests" / "libnative_backtrace.so"
    if file.exists():
        ctypes.CDLL(str(file)).print_native_backtraces()


def new_texts():
    """Programs whose kernels no other run has: numbers are in kernels, and these change no result."""
    text, seed = programs.named("layer_norm").text(torch.float32), int.from_bytes(os.urandom(3), "little")
    return [text.replace("out y", f"yy = add y {seed + i}e-36\nout yy") for i in range(NEW)]


def calls(operator, runtime, tensors):
    """Each gives (result, whether what is tested served)."""
    x, w, *b = tensors
    if operator == "rms_norm":
        return [lambda: (torch.ops.kadvise.rms_norm(x, w, 1e-5, False), True)]
    if operator == "torch":
        return [lambda: (torch.nn.functional.layer_norm(x, w.shape, w, *b, 1e-5), True)]

    def run(text):
        results, ran = runtime.run(text, tensors)
        return results[0], ran != ""
    return [lambda text=text: run(text) for text in new_texts()]


def at_once(each, expected):
    """What went wrong."""
    wrong, together = [], threading.Barrier(THREADS)

    def work(first):
        with torch.inference_mode(), torch.cuda.stream(torch.cuda.Stream()):
            together.wait()
            for i in range(CALLS):
                ours, ran = each[(first + i) % len(each)]()
                torch.cuda.current_stream().synchronize()
                if not ran or not torch.allclose(ours, expected, rtol=1e-4, atol=1e-4):
                    wrong.append((first, i, ran))

    threads = [threading.Thread(target=work, args=(t,)) for t in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--operator", choices=("row_program", "rms_norm", "torch"), default="row_program")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print_native_backtraces(options.library)
    program = programs.named("rms_norm" if options.operator == "rms_norm" else "layer_norm")
    runtime = Runtime(options.library)
    with torch.inference_mode():
        tensors = program.tensors("cuda", torch.float32, 2048, 768)
        expected = program.aten(*tensors)[0]
        torch.cuda.synchronize()
    for _ in range(options.rounds):  # each with programs of its own
        wrong = at_once(calls(options.operator, runtime, tensors), expected)
        if wrong:
            return f"{options.operator}: {wrong[:3]}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
