"""Every schedule that fits, for many row lengths: the measurements behind kernels/common/row_schedule.h.

    python3 add_layer_norm_sweep.py --library build/release/lib/libkadvise_kernels_cuda.so
                                    [--dtypes bfloat16,float32] [--shapes 16384x4096] [--rounds 5] [--warm] [--json FILE]

Needs a GPU. Calls the library's C functions, naming the schedule. One line a shape: what the chosen schedule reaches
of the bandwidth of a copy of the same bytes, then the fastest schedules with their share and their speed-up over the
chosen one. A schedule whose result is wrong stops the sweep. --warm runs one set of inputs again and again, as a model does whose
activations stay in the last-level cache.
"""
import argparse
import ctypes
import json
import statistics
import sys

import timing
import torch

SHAPES = """131072x64 131072x128 65536x256 65536x384 32768x512 16384x768 16384x1024 16384x1536 8192x2048 8192x3072
16384x4096 8192x5120 8192x8192 4096x12288 4096x16384 2048x32768 512x65536 256x100000 16x65536 16x131072 64x262144"""
DTYPES = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}
REGISTERS, SHARED, SPLIT = range(3)
BY_WARP = [(8, 1), (16, 1), (32, 1), (32, 2), (32, 3), (32, 4)]
WARM_CALLS = 20  # in one pass, so that the start of a graph does not count
BY_BLOCK = [(1, 512), (2, 512), (4, 256)]  # vectors a thread, most threads


class Schedule(ctypes.Structure):
    NAMES = ("kind", "rowThreads", "vectors", "block", "blocksPerSm", "splits")
    _fields_ = [(name, ctypes.c_int32) for name in NAMES]

    def __str__(self):
        if self.kind == SPLIT:
            return f"split/{self.splits}"
        lanes = f"{self.rowThreads} lanes" if self.rowThreads else "block"
        name = "shared" if self.kind == SHARED else f"{lanes} x{self.vectors}"
        return f"{name}/{self.block}" + (f"/p{self.blocksPerSm}" if self.blocksPerSm else "")


class RowGrid(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int64), ("inner", ctypes.c_int64)]


class RowStride(ctypes.Structure):
    _fields_ = [("outer", ctypes.c_int64), ("inner", ctypes.c_int64)]


class Arguments(ctypes.Structure):
    POINTERS = ("x", "residual", "weight", "bias", "sum", "normalized")
    _fields_ = [*((name, ctypes.c_void_p) for name in POINTERS), ("grid", RowGrid),
                *((name, RowStride) for name in ("xStride", "residualStride", "sumStride")),
                ("length", ctypes.c_int64), ("eps", ctypes.c_float), ("dtype", ctypes.c_int32),
                ("schedule", ctypes.POINTER(Schedule)), ("scratch", ctypes.c_void_p)]


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        self.scratch_of = library.kadvise_cuda_add_layer_norm_scratch
        self.scratch_of.restype = ctypes.c_int64
        self.launch = library.kadvise_cuda_add_layer_norm
        self.launch.restype = ctypes.c_char_p
        self.launch.argtypes = [ctypes.POINTER(Arguments), ctypes.c_void_p]

    def call(self, schedule, x, residual, weight, bias):
        """Contiguous rows. Raises what the library says."""
        rows, length = x.shape
        total, normalized = torch.empty_like(x), torch.empty_like(x)
        stride = RowStride(rows * length, length)
        pointers = (tensor.data_ptr() for tensor in (x, residual, weight, bias, total, normalized))
        named = ctypes.pointer(schedule) if schedule else None
        arguments = Arguments(*pointers, RowGrid(rows, rows), stride, stride, stride, length, 1e-5, DTYPES[x.dtype],
                              named, None)
        floats = self.scratch_of(ctypes.byref(arguments))
        scratch = torch.empty(floats, device=x.device) if floats else None
        arguments.scratch = scratch.data_ptr() if floats else None
        problem = self.launch(ctypes.byref(arguments), torch.cuda.current_stream().cuda_stream)
        if problem:
            raise RuntimeError(problem.decode())
        return normalized, total, scratch


def up_to_warps(threads):
    return -(-threads // 32) * 32


def candidates(rows, length, size):
    """Schedules that can hold such a row."""
    lanes_of_vector = 16 // size
    shift = lanes_of_vector - 1 if length % lanes_of_vector else 0  # rows then begin between two vectors
    vectors = -(-(length + shift) // lanes_of_vector)
    found = []
    for lanes, each in BY_WARP:
        if vectors <= lanes * each and (vectors * 4 >= lanes * each or lanes == 8):
            found += [Schedule(REGISTERS, lanes, each, block, more, 0) for block in (32, 64, 128) for more in (0, 8, 16)]
    for each, most in BY_BLOCK:
        block = up_to_warps(-(-vectors // each))
        if block <= most:
            found += [Schedule(REGISTERS, 0, each, block, more, 0) for more in (0, 2, 4, 8)]
    if vectors >= 128 and vectors * 16 <= 226 * 1024:
        found += [Schedule(SHARED, 0, 0, block, more, 0) for block in (128, 256, 384, 512) for more in (0, 1, 2, 4)
                  if block <= vectors]
    if vectors >= 4096:
        found += [Schedule(SPLIT, 0, 0, 512, 0, splits) for splits in (1, 2, 4, 8, 16, 33, 66, 132, 264)
                  if splits * 512 <= vectors and rows * splits < 1 << 20]
    return found


def sweep_shape(library, rows, length, dtype, rounds, is_warm):
    size = torch.empty((), dtype=dtype).element_size()
    weight, bias = (torch.randn(length, device="cuda").to(dtype) for _ in range(2))
    both = [torch.randn(2, rows, length, device="cuda", dtype=dtype)
            for _ in range(1 if is_warm else timing.sets_needed("cuda", 4 * rows * length * size))]
    both *= WARM_CALLS if is_warm else 1
    sets = [(pair[0], pair[1], weight, bias) for pair in both]
    reference = library.call(None, *sets[0])
    passes = {"copy": timing.Pass(lambda pair: pair.clone(), [(pair,) for pair in both], "cuda"),
              "chosen": timing.Pass(lambda *one: library.call(None, *one), sets, "cuda")}
    results = {}
    for schedule in candidates(rows, length, size):
        normalized, total, _ = library.call(schedule, *sets[0])
        assert torch.equal(total, reference[1]), schedule
        torch.testing.assert_close(normalized, reference[0])
        trial = {**passes, "trial": timing.Pass(lambda *one: library.call(schedule, *one), sets, "cuda")}
        samples = timing.measure(trial, rounds)
        results[str(schedule)] = [timing.speedup(samples, "trial", "copy"), timing.speedup(samples, "trial", "chosen"),
                                  statistics.median(samples["trial"])]
        del trial
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--dtypes", default="bfloat16,float32")
    parser.add_argument("--shapes", default=",".join(SHAPES.split()))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    timing.describe("cuda", ["python3", *sys.argv])
    library = Library(options.library)
    everything = {}
    for dtype in options.dtypes.split(","):
        for shape in options.shapes.split(","):
            rows, length = map(int, shape.split("x"))
            results = sweep_shape(library, rows, length, getattr(torch, dtype), options.rounds, options.warm)
            best = sorted(results.items(), key=lambda item: -item[1][0])
            chosen = statistics.median(of_copy / over for of_copy, over, _ in results.values())
            everything[f"{dtype} {shape}"] = {"chosen": chosen, **results}
            print(f"{shape:>14} {dtype:>9}  chosen {chosen:.2f} of copy | " + " | ".join(
                f"{name} {of_copy:.2f} ({over:.2f}x)" for name, (of_copy, over, _) in best[:4]), flush=True)
            torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w") as file:
            json.dump(everything, file)


if __name__ == "__main__":
    main()
