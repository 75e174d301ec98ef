"""The operator library from Python, as a user of an optimised module meets it.

    python3 python_use.py --library build/release/lib/libkadvise_kernels.so [--device cpu|cuda]

Prints one line a check; exits 1 when one failed.
"""
import argparse
import io
import sys
import traceback

import torch


def inputs(device, *sizes, dtype=torch.float32, grad=False):
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(s, generator=generator).to(device, dtype).requires_grad_(grad) for s in sizes]


def composition(x, residual, weight, bias):
    total = x + residual
    return torch.nn.functional.layer_norm(total, weight.shape, weight, bias), total


def fused(x, residual, weight, bias):
    return torch.ops.kadvise.add_layer_norm(x, residual, weight.shape, weight, bias, 1e-5)


def close(ours, theirs):
    for a, b in zip(ours, theirs):
        torch.testing.assert_close(a, b)


class Block(torch.nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))
        self.bias = torch.nn.Parameter(torch.zeros(width))

    def forward(self, x, residual):
        normalized, total = torch.ops.kadvise.add_layer_norm(x, residual, [96], self.weight, self.bias, 1e-5)
        return normalized * 2 + total


def a_scripted_module_survives_save_load_and_freeze(device):
    block = Block(96).to(device).eval()
    x, residual = inputs(device, (4, 10, 96), (4, 10, 96))
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(block), file)
    file.seek(0)
    loaded = torch.jit.load(file, map_location=device)
    normalized, total = composition(x, residual, block.weight, block.bias)
    with torch.inference_mode():
        for module in (loaded, torch.jit.freeze(loaded.eval())):
            for _ in range(3):  # the executor optimises after the first runs
                close([module(x, residual)], [normalized * 2 + total])


def torch_library_opcheck_passes(device):
    cases = [
        inputs(device, (3, 7, 40), (3, 7, 40), (40,), (40,)),
        inputs(device, (3, 7, 40), (40,), (40,), (40,)),
        inputs(device, (3, 7, 40), (3, 7, 40), (40,), (40,), grad=True),
        inputs(device, (5, 129), (5, 129), (129,), (129,), dtype=torch.bfloat16),
    ]
    x, residual, weight, bias = inputs(device, (3, 7, 40), (3, 7, 40), (40,), (40,))
    cases.append([x.transpose(0, 1), residual.transpose(0, 1), weight, bias])
    cases.append([x.transpose(0, 1), residual[:1, :1], weight, bias])
    for x, residual, weight, bias in cases:
        arguments = (x, residual, list(weight.shape), weight, bias, 1e-5)
        torch.library.opcheck(torch.ops.kadvise.add_layer_norm.default, arguments)


def samples(device, dtype=torch.float32, grad=False):
    """Arguments for every other operator, by its name: those that its kernels serve."""
    def some(*sizes):
        return inputs(device, *sizes, dtype=dtype, grad=grad)

    x, y, weight = some((3, 7, 64), (3, 7, 64), (64,))
    both, = some((3, 7, 128))
    heads, cos, sin = some((2, 5, 3, 64), (5, 64), (5, 64))
    linear, bias, rest = some((32, 64), (32,), (3, 7, 32))
    image, kernel, z, channels = some((2, 8, 6, 6), (8, 8, 3, 3), (2, 8, 6, 6), (8,))
    return [
        ("rms_norm", (x, weight, 1e-6, True)),
        ("rms_norm", (x.transpose(0, 1), weight, 1e-6, False)),
        ("add_rms_norm", (x, y, weight, 1e-6, False)),
        ("activation", (x, "quick_gelu")),
        ("gated_activation", (x, y, "silu")),
        ("gated_activation", (*both.chunk(2, -1), "gelu")),
        ("rope", (heads.transpose(1, 2), cos, sin, False, 64)),
        ("rope", (heads.transpose(1, 2), cos[:, :32], sin[:, :32], True, 32)),
        ("linear", (x, linear, bias)),
        ("linear_activation", (x, linear, bias, "relu")),
        ("linear_activation", (x, linear, bias, "gelu_tanh")),
        ("linear_activation", (x, linear, None, "silu")),
        ("linear_add", (x, linear, bias, rest)),
        ("linear_add", (x, linear, None, rest)),
        ("conv1d_channels_last", (image[:, :, 0], kernel[:, :, 0], channels, [1], [1], [1], 1)),
        ("conv_transpose1d_channels_last", (z[:, :, 0], kernel[:, :, 0], None, [2], [1], [1], 1, [1])),
        ("conv2d_relu", (image, kernel, channels, [1, 1], [1, 1], [1, 1], 1)),
        ("conv2d_add_relu", (image, kernel, z, None, channels, [1, 1], [1, 1], [1, 1], 1)),
    ]


def torch_library_opcheck_passes_for_every_other_operator(device):
    for arguments in ({}, {"grad": True}, {"dtype": torch.bfloat16}):
        for name, sample in samples(device, **arguments):
            torch.library.opcheck(getattr(torch.ops.kadvise, name).default, sample)


def one_or_many(results):
    return results if isinstance(results, tuple) else (results,)


def every_other_operator_compiles_without_graph_breaks(device):
    for name, sample in samples(device):
        operator = getattr(torch.ops.kadvise, name)
        torch._dynamo.reset()
        compiled = torch.compile(lambda *a: operator(*a), fullgraph=True, dynamic=True, backend="aot_eager")
        with torch.no_grad():
            close(one_or_many(compiled(*sample)), one_or_many(operator(*sample)))


def a_cuda_graph_captures_every_other_operator(device):
    for name, static in samples(device, torch.bfloat16):
        operator = getattr(torch.ops.kadvise, name)
        for _ in range(3):
            operator(*static)  # loads libraries and kernels, which capture would not allow
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = one_or_many(operator(*static))
        for argument in static:
            if isinstance(argument, torch.Tensor):
                argument.copy_(torch.randn_like(argument))
        for result in results:
            result.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        close(results, one_or_many(operator(*static)))


def it_compiles_without_graph_breaks_for_fixed_and_changing_shapes(device):
    for dynamic in (False, True):
        torch._dynamo.reset()
        compiled = torch.compile(fused, fullgraph=True, dynamic=dynamic, backend="aot_eager")
        for rows in (3, 8, 13):
            arguments = inputs(device, (rows, 5, 96), (rows, 5, 96), (96,), (96,))
            with torch.no_grad():
                close(compiled(*arguments), composition(*arguments))


def it_exports_as_one_node(device):
    class Fused(torch.nn.Module):
        def forward(self, x, residual, weight, bias):
            return fused(x, residual, weight, bias)

    arguments = tuple(inputs(device, (4, 96), (4, 96), (96,), (96,)))
    with torch.no_grad():
        program = torch.export.export(Fused(), arguments)
    targets = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert targets.count("kadvise.add_layer_norm.default") == 1, targets


def it_takes_the_defaults_of_layer_norm(device):
    x, residual = inputs(device, (4, 96), (4, 96))
    normalized, total = torch.ops.kadvise.add_layer_norm(x, residual, [96])
    close([normalized, total], [torch.nn.functional.layer_norm(x + residual, [96]), x + residual])


# One size for each kind of kernel: registers (by warp, by block, with edges), shared memory, split rows.
GRAPH_SIZES = [(512, 96), (64, 4096), (64, 1000), (64, 1023), (40, 60000), (4, 300000)]


def a_cuda_graph_captures_and_replays_it(device):
    for size in GRAPH_SIZES:
        static = inputs(device, size, size, size[-1:], size[-1:], dtype=torch.bfloat16)
        fused(*static)  # the first use loads the library, which capture would not allow
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = fused(*static)
        for seed in range(3):
            torch.manual_seed(seed)
            for tensor in static:
                tensor.copy_(torch.randn_like(tensor))
            for result in results:
                result.fill_(float("nan"))
            graph.replay()
            torch.cuda.synchronize()
            close(results, fused(*static))


def it_runs_on_the_current_stream(device):
    side = torch.cuda.Stream()
    for size in GRAPH_SIZES:
        x, residual, weight, bias = inputs(device, size, size, size[-1:], size[-1:])
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(50_000_000)  # a kernel on another stream would now read x too early
            x.add_(1)
            results = fused(x, residual, weight, bias)
        side.synchronize()
        close(results, composition(x, residual, weight, bias))


def it_runs_on_the_device_of_its_tensors(device):
    if torch.cuda.device_count() < 2:
        print("   SKIPPED: one GPU, so nothing was tested")
        return
    arguments = inputs("cuda:1", (64, 1000), (64, 1000), (1000,), (1000,))
    with torch.cuda.device(0):
        results = fused(*arguments)
    assert all(result.device == torch.device("cuda:1") for result in results)
    close(results, composition(*arguments))


CHECKS = [
    a_scripted_module_survives_save_load_and_freeze,
    torch_library_opcheck_passes,
    torch_library_opcheck_passes_for_every_other_operator,
    every_other_operator_compiles_without_graph_breaks,
    it_compiles_without_graph_breaks_for_fixed_and_changing_shapes,
    it_exports_as_one_node,
    it_takes_the_defaults_of_layer_norm,
]
GPU_CHECKS = [
    a_cuda_graph_captures_and_replays_it,
    a_cuda_graph_captures_every_other_operator,
    it_runs_on_the_current_stream,
    it_runs_on_the_device_of_its_tensors,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    arguments = parser.parse_args()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        print("SKIPPED: torch sees no GPU, so nothing was tested")
        return 77
    torch.ops.load_library(arguments.library)
    failed = 0
    for check in CHECKS + (GPU_CHECKS if arguments.device == "cuda" else []):
        try:
            check(arguments.device)
            print("ok", check.__name__)
        except Exception:
            failed += 1
            print("FAILED", check.__name__)
            traceback.print_exc()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
