"""kadvise::gather_scatter_add against messages written out, as PyTorch Geometric sums them.

    python3 gather_scatter_add.py --library build/release/lib/libkadvise_kernels.so [--only sorted] [--device cuda|cpu]
                                  [--dtypes bfloat16,float32] [--shapes 100000x1000000x64] [--rounds 15] [--json FILE]

Shapes are nodes x edges x columns. "sorted" has the edges in the order of their targets. comparison.py says what the columns
are; the copy moves a row in and its sum out for each node and the indices, as if every row were read once.
"""
import comparison
import torch

GPU_SHAPES = ("2708x10556x16 100000x1000000x64 169343x1166243x128 232965x4000000x64 10000x640000x256 50000x500000x100 "
              "4096x131072x512 20000x60000x32")
CPU_SHAPES = "500x4000x32"


def unsorted(device, dtype, nodes, edges, columns):
    source, target = (torch.randint(nodes, (edges,), device=device) for _ in range(2))
    x = torch.randn(nodes, columns, device=device, dtype=dtype)
    return x, source, target, torch.rand(edges, 1, device=device, dtype=dtype)


def by_target(*sizes):
    x, source, target, scale = unsorted(*sizes)
    return x, source, target.sort().values, scale


def moved(nodes, edges, columns):
    return 2 * nodes * columns + 8 * edges  # two indices of 8 bytes are 4 to 8 elements


def written(x, source, target, scale):
    messages = scale * x.index_select(0, source)
    zeros = messages.new_zeros(x.shape)
    return zeros.scatter_add_(0, target.view(-1, 1).expand_as(messages), messages)


def ours(x, source, target, scale):
    return torch.ops.kadvise.gather_scatter_add(x, source, target, scale, x.shape[0])


def benchmark(name, inputs):
    # torch adds 16-bit values in 16 bits; tests/kernels/ compare with double.
    return comparison.Benchmark(name, inputs, moved, ours, {"written": written}, GPU_SHAPES, CPU_SHAPES,
                                {"rtol": 0.1, "atol": 0.5})


comparison.main([benchmark("unsorted", unsorted), benchmark("sorted", by_target)])
