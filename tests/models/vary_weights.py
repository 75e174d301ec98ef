"""Gives a module weights that hide nothing: fresh norms (all one), fresh biases and heads (all zero) and layer scales
(all 1e-6) would let a wrong rewrite pass."""
import torch

STATISTICS = {"running_mean": lambda t, g: t.normal_(0, 0.1, generator=g),
              "running_var": lambda t, g: t.uniform_(0.5, 1.5, generator=g)}


def vary_weights(module, seed=0):
    devices = {t.device for t in [*module.parameters(), *module.buffers()]}
    random = {device: torch.Generator(device).manual_seed(seed) for device in devices}
    with torch.no_grad():
        for _, p in sorted(module.named_parameters()):
            if not p.is_floating_point() or p.numel() < 2 or not bool((p == p.flatten()[0]).all()):
                continue
            if p.flatten()[0] == 0:
                p.normal_(0, 0.1, generator=random[p.device])
            else:
                p.uniform_(0.5, 1.5, generator=random[p.device])
        for name, b in sorted(module.named_buffers()):
            if (change := STATISTICS.get(name.rsplit(".", 1)[-1])) and b.is_floating_point():
                change(b, random[b.device])
    return module
