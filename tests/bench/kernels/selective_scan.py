"""kadvise::selective_scan against its recurrence, one time after the other, as transformers writes it.

    python3 selective_scan.py --no-compile --library build/release/lib/libkadvise_kernels.so [--only short] [--device cuda|cpu]
                              [--dtypes bfloat16,float32] [--shapes 4x1536x128x16] [--rounds 15] [--json FILE]

Shapes are batch x channels x times x states. "short" has the recurrence beside it, as far as a trace would unroll it; "long" has
lengths for which that takes too long, and only a copy of the same bytes. torch.compile unrolls the loop, too, and takes minutes
for each shape: --no-compile leaves it out. comparison.py says what the columns are; x, dt, z and the result count.
"""
import comparison
import torch
import torch.nn.functional as F

SHORT = "1x1536x128x16 4x1536x128x16 8x5120x64x16 16x2560x64x16"
LONG = "1x1536x2048x16 8x1536x2048x16 1x5120x8192x16 4x4096x1024x64"
CPU_SHAPES = "2x64x40x16"


def inputs(device, dtype, batch, channels, times, states):
    def tensor(*sizes, **how):
        return torch.randn(*sizes, device=device, **{"dtype": dtype, **how})

    decay = -torch.arange(1.0, states + 1, device=device).expand(channels, -1).contiguous()
    rows = [tensor(batch, times, states).transpose(1, 2) for _ in range(2)]
    gate = tensor(batch, times, channels).transpose(1, 2)
    return (tensor(batch, channels, times), tensor(batch, channels, times), decay, *rows,
            tensor(channels, dtype=torch.float32), gate, tensor(channels, dtype=torch.float32) - 4)


def moved(batch, channels, times, states):
    return 4 * batch * channels * times + 2 * batch * states * times


def written(x, dt, decay, b, c, skip, gate, bias):
    step = F.softplus(dt + bias.to(dt.dtype)[:, None])
    factors = torch.exp(decay[None, :, None] * step[..., None])
    terms = step[..., None] * b.transpose(1, 2)[:, None].float() * x[..., None].float()
    h = torch.zeros_like(factors[:, :, 0])
    results = []
    for t in range(x.shape[2]):
        h = factors[:, :, t] * h + terms[:, :, t]
        results.append(torch.matmul(h.to(x.dtype), c[:, :, t].unsqueeze(-1))[..., 0])
    return (torch.stack(results, -1) + x * skip[:, None]) * F.silu(gate)


def ours(x, dt, decay, b, c, skip, gate, bias):
    return torch.ops.kadvise.selective_scan(x, dt, decay, b, c, skip, gate, bias, True)


TOLERANCE = {"rtol": 0.05, "atol": 0.1}
comparison.main([comparison.Benchmark("short", inputs, moved, ours, {"written": written}, SHORT, CPU_SHAPES, TOLERANCE),
                 comparison.Benchmark("long", inputs, moved, ours, {}, LONG, CPU_SHAPES)])
