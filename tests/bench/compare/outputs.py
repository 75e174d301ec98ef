"""Are a column's results those of eager? A fast wrong answer is no answer."""
import torch

# Root mean square of the difference over that of eager's results. Loose on purpose: TF32 convolutions, folded weights and
# other orders of sums are no mistakes here; how exact kadvise's rewrites are is for its own verifier to say.
BOUND = {"float32": 0.02, "float16": 0.05, "bfloat16": 0.1}


def tensors(out):
    if torch.is_tensor(out):
        return [out]
    return [t for o in out for t in tensors(o)] if isinstance(out, (list, tuple)) else []


def kept(out):
    """Copies on the host: results of a CUDA graph are written again by its next call."""
    return [t.detach().double().cpu() for t in tensors(out)]


def error(have, want):
    """The largest relative error of a result; infinite where they cannot be compared."""
    if len(have) != len(want) or any(a.shape != b.shape for a, b in zip(have, want)):
        return float("inf")
    worst = 0.0
    for a, b in zip(have, want):
        if not torch.equal(a.isfinite(), b.isfinite()):
            return float("inf")
        a, b = a.nan_to_num(0, 0, 0), b.nan_to_num(0, 0, 0)
        worst = max(worst, float((a - b).square().mean().sqrt() / b.square().mean().sqrt().clamp_min(1e-30)))
    return worst
