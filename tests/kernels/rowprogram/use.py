"""kadvise::row_program from Python: random programs against torch's functions, and what an operator owes torch.

    python3 use.py --library build/release/lib/libkadvise_kernels.so [--device cpu|cuda] [--programs N]

Prints one line a check; exits 1 when one failed.
"""
import argparse
import io
import sys
import traceback

import torch

import against_torch
import overwriting
from against_torch import agree, run

ROW = """row_program 1
rank 3
reduce 2
x = in {dtype}
w = in {dtype}
q = square x
m = mean q
e = add m 1e-05
k = rsqrt e
y = mul x k
z = mul y w
out z {dtype}
out m float32 drop
"""


def one_tensor_may_be_several_inputs(device, _):
    text = "row_program 1\nrank 2\na = in float32\nb = in float32\nc = in float32\nd = mul a b\ne = add d c\nout e float32\nout a float32"
    x = torch.randn(5, 7, device=device)
    results = run(text, [x, x, x.t()[:5].t()[:, :1]])
    torch.testing.assert_close(results[0], x * x + x[:, :1])
    torch.testing.assert_close(results[1], x)
    results[1].zero_()
    assert x.abs().sum() > 0


def strides_are_those_of_torch(device, _):
    text = "row_program 1\nrank 4\nx = in float32\ny = in float32\nz = add x y\nout z float32"
    x = torch.randn(2, 3, 4, 5, device=device)
    last = x.contiguous(memory_format=torch.channels_last)
    row = torch.randn(5, device=device)
    pairs = [(x, x), (last, last), (last, x), (x, last), (last, row), (row, last), (x.transpose(1, 3), x.transpose(1, 3)),
             (x[:, :, :, ::2], x[:, :, :, ::2]), (x[..., :1].expand(2, 3, 4, 5), x), (x.permute(3, 1, 0, 2)[::2], row[:4]),
             (x[:, :1].expand(2, 3, 4, 5), row), (last[:, 1:], last[:, 1:]), (x[:0], x[:0]), (x[:1, :1], row)]
    for a, b in pairs:
        ours, theirs = run(text, [a, b])[0], a + b
        torch.testing.assert_close(ours, theirs)
        assert ours.stride() == theirs.stride(), (a.stride(), b.stride(), ours.stride(), theirs.stride())


def copies_into_another_order_are_contiguous(device, _):
    """Heads and rows exchanged, windows cut out of images, images from channels_last: as whole vectors, ragged, misaligned."""
    text = "row_program 1\nrank {}\nx = in bfloat16\nout x bfloat16 contiguous"
    made = lambda *sizes: torch.randn(*sizes, device=device).bfloat16()
    flat = made(2 * 24 * 5 * 33 + 1)
    cases = [made(3, 64, 6, 32).transpose(1, 2), made(2, 197, 12, 64).permute(2, 0, 1, 3), made(2, 33, 3, 7).transpose(1, 2),
             made(2, 4, 7, 4, 7, 96).permute(0, 1, 3, 2, 4, 5), made(2, 40, 9, 11).contiguous(memory_format=torch.channels_last),
             made(4, 65, 130).transpose(1, 2), flat[1:].view(2, 24, 5, 33).transpose(1, 2), made(3, 8, 16)[:, ::2], made(7).expand(5, 7)]
    for x in cases:
        ours = run(text.format(x.dim()), [x])[0]
        assert ours.is_contiguous() and torch.equal(ours, x), (x.shape, x.stride())


def numbers_mean_what_they_do_in_torch(device, _):
    x = torch.tensor([-float("inf"), -2.0, -0.0, 0.0, 2.5, float("inf"), float("nan")], device=device)
    i = torch.tensor([-9, -2, -1, 0, 1, 5, 9], device=device)
    cases = [("pow x 0.5", x ** 0.5), ("pow x 2", x ** 2), ("pow x -1", x ** -1), ("clamp x nan 1", x.clamp(float("nan"), 1)),
             ("clamp x 1 -1", x.clamp(1, -1)), ("maximum x nan", torch.maximum(x, x * float("nan"))), ("sign x", x.sign()),
             ("floor_div i 2", i // 2), ("remainder i -4", i.remainder(-4)), ("fmod i -4", i.fmod(-4)),
             ("mul i 9007199254740992", i * 9007199254740992), ("cast uint8 i", i.to(torch.uint8).long()),
             ("add i 0.1", i + 0.1), ("round x", x.round()), ("fma x x -6.25", x * x - 6.25),
             ("sub 1 x", 1 - x), ("relu x", x.relu()), ("cast bool x", x.bool())]
    dtypes = {torch.float32: "float32", torch.int64: "int64", torch.bool: "bool"}
    for statement, expected in cases:
        text = f"row_program 1\nrank 1\nx = in float32\ni = in int64\ny = {statement}\nout y {dtypes[expected.dtype]}"
        torch.testing.assert_close(run(text, [x, i])[0], expected, equal_nan=True, msg=statement)


def a_wrong_index_is_an_error(device, _):
    if device == "cuda":
        return  # ends the process, as torch.embedding does
    text = "row_program 1\nrank 2\nt = in float32 table\ni = in int64\ng = take t i\nout g float32"
    for index in (-1, 4):
        try:
            run(text, [torch.randn(4, 3), torch.tensor([[0], [index]])])
        except IndexError:
            continue
        raise AssertionError(f"index {index} was taken")
    text = "row_program 1\nrank 2\nl = in float32 lists\ni = in int64\ng = pick l i\nout g float32"
    for lists, index in ((torch.randn(2, 1, 3), [[0], [3]]), (torch.randn(2, 1, 3), [[-1], [0]]), (torch.randn(2, 1, 3), [[0], [0], [0]])):
        try:
            run(text, [lists, torch.tensor(index)])
        except (IndexError, RuntimeError):
            continue
        raise AssertionError(f"index {index} was picked")


def samples(device, dtype=torch.float32, grad=False):
    generator = torch.Generator().manual_seed(3)
    make = lambda *sizes: torch.randn(*sizes, generator=generator).to(device, dtype).requires_grad_(grad)
    text = ROW.format(dtype=str(dtype)[6:])
    return [(text, [make(2, 5, 64), make(64)]), (text, [make(5, 2, 64).transpose(0, 1), make(64)]), (text, [make(64), make(64)])]


def torch_library_opcheck_passes(device, _):
    for options in ({}, {"grad": True}, {"dtype": torch.bfloat16}):
        for sample in samples(device, **options):
            torch.library.opcheck(torch.ops.kadvise.row_program.default, sample)


def written_out(x, w):
    m = (x * x).mean(-1, keepdim=True)
    return x * (m + 1e-5).rsqrt() * w, m.squeeze(-1)


def gradients_are_those_of_torch(device, _):
    for text, (x, w) in samples(device, grad=True):
        theirs = torch.autograd.grad(sum(t.sin().sum() for t in written_out(x, w)), [x, w])
        ours = torch.autograd.grad(sum(t.sin().sum() for t in run(text, [x, w])), [x, w])
        for a, b in zip(ours, theirs):
            torch.testing.assert_close(a, b)


GATHER = """row_program 1
rank 3
t = in float32 table
i = in int64
x = in float32
g = take t i
s = add g x
out s float32
"""


def it_compiles_without_graph_breaks_for_fixed_and_changing_shapes(device, _):
    def some(*sizes):
        return torch.randn(*sizes, device=device)

    calls = [(ROW.format(dtype="float32"), lambda n: [some(n, 4, 32), some(32)]),
             (ROW.format(dtype="float32"), lambda n: [some(4, n, 32).transpose(0, 1), some(32)]),
             (ROW.format(dtype="float32"), lambda n: [some(n, 4, 64)[..., ::2], some(32)]),
             (GATHER, lambda n: [some(10, 32), torch.randint(0, 10, (n, 4, 1), device=device), some(4, 32)])]
    for text, inputs in calls:
        for dynamic in (False, True):
            torch._dynamo.reset()
            compiled = torch.compile(lambda *x: run(text, list(x)), fullgraph=True, dynamic=dynamic, backend="aot_eager")
            for rows in (3, 8, 13):
                given = inputs(rows)
                with torch.no_grad():
                    agree([t.cpu() for t in compiled(*given)], [t.cpu() for t in run(text, given)], 1e-6, "compiled")


def its_source_can_be_read_without_a_gpu(_, __):
    source, text = torch.ops.kadvise.row_program_source, ROW.format(dtype="bfloat16")
    inputs = [torch.empty(4, 100, 768, device="meta", dtype=torch.bfloat16), torch.empty(768, device="meta", dtype=torch.bfloat16)]
    for schedule in ("", "block/t128/k1/b128"):
        assert "launch_bounds" in source(text, inputs, schedule)
    wide = [t.double() for t in inputs]
    for arguments, says in (((text, inputs, "blocks"), "'blocks' is no schedule"), ((text, wide), "float64 is computed by torch")):
        try:
            source(*arguments)
        except RuntimeError as error:
            assert says in str(error), error
        else:
            raise AssertionError(f"no error that says: {says}")


def autocast_changes_nothing(device, _):
    for text, inputs in samples(device) + samples(device, torch.bfloat16):
        plain = run(text, inputs)
        with torch.autocast(device, dtype=torch.bfloat16):
            agree([t.cpu() for t in run(text, inputs)], [t.cpu() for t in plain], 1e-6, "autocast")


def a_scripted_module_survives_save_and_load(device, _):
    class Norm(torch.nn.Module):
        def __init__(self, text: str):
            super().__init__()
            self.text = text
            self.weight = torch.nn.Parameter(torch.ones(64))

        def forward(self, x):
            z, m = torch.ops.kadvise.row_program(self.text, [x, self.weight])
            return z, m

    module = Norm(ROW.format(dtype="float32")).to(device).eval()
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(module), file)
    file.seek(0)
    loaded = torch.jit.load(file, map_location=device)
    x = torch.randn(2, 3, 64, device=device)
    with torch.inference_mode():
        for candidate in (loaded, torch.jit.freeze(loaded.eval())):
            for _ in range(3):
                agree([t.cpu() for t in candidate(x)], [t.cpu() for t in written_out(x, module.weight)], 1e-5, "loaded")


def a_cuda_graph_captures_and_replays_it(device, _):
    for text, inputs in samples(device, torch.bfloat16):
        for _ in range(3):
            run(text, inputs)  # compiles, which capture would not allow
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = run(text, inputs)
        for tensor in inputs:
            tensor.copy_(torch.randn_like(tensor))
        for result in results:
            result.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        agree([t.cpu() for t in results], [t.cpu() for t in run(text, inputs)], 1e-6, "replayed")


def a_number_on_the_cpu_serves_beside_tensors_on_a_gpu(device, _):
    text = "row_program 1\nrank 1\nx = in float32\ny = in float32\nz = mul x y\nout z float32"
    x = torch.randn(9, device=device)
    torch.testing.assert_close(run(text, [x, torch.tensor(3.0)])[0], x * 3)
    torch.testing.assert_close(run(text, [torch.tensor(3.0), x])[0], x * 3)
    try:
        run(text, [x, torch.randn(9)])
    except RuntimeError as error:
        assert "move them to one device" in str(error)
    else:
        raise AssertionError("tensors of two devices were taken")


CHECKS = [
    *against_torch.CHECKS,
    one_tensor_may_be_several_inputs,
    strides_are_those_of_torch,
    copies_into_another_order_are_contiguous,
    numbers_mean_what_they_do_in_torch,
    a_wrong_index_is_an_error,
    torch_library_opcheck_passes,
    gradients_are_those_of_torch,
    it_compiles_without_graph_breaks_for_fixed_and_changing_shapes,
    its_source_can_be_read_without_a_gpu,
    autocast_changes_nothing,
    a_scripted_module_survives_save_and_load,
]
GPU_CHECKS = [
    *overwriting.GPU_CHECKS,
    a_cuda_graph_captures_and_replays_it,
    a_number_on_the_cpu_serves_beside_tensors_on_a_gpu,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--programs", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        print("SKIPPED: torch sees no GPU, so nothing was tested")
        return 77
    torch.ops.load_library(arguments.library)
    failed = 0
    for check in CHECKS + (GPU_CHECKS if arguments.device == "cuda" else []):
        try:
            check(arguments.device, arguments.programs)
            print("ok", check.__name__, flush=True)
        except Exception:
            failed += 1
            print("FAILED", check.__name__, flush=True)
            traceback.print_exc()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
