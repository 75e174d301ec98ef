"""Other inputs for a model of which one set of inputs is known: fresh values, another batch size, another length."""
import torch


def is_mask(t):
    return not t.is_floating_point() and t.dim() == 2 and bool(((t == 0) | (t == 1)).all())


def fresh_values(t, generator):
    """Random values that the model accepts where it accepted those of t."""
    if t.is_floating_point():
        between_0_and_1 = t.numel() > 0 and t.min() >= 0 and t.max() <= 1
        draw = torch.rand if between_0_and_1 else torch.randn
        return draw(t.shape, generator=generator).to(t.dtype)
    if is_mask(t):  # a padded end in all rows but the first
        lengths = torch.randint(max(1, t.size(1) // 2), t.size(1) + 1, (t.size(0), 1), generator=generator)
        lengths[:1] = t.size(1)
        return (torch.arange(t.size(1)) < lengths).to(t.dtype)
    if t.numel() == 0:
        return t.clone()
    # Indices: those that occur are in range.
    return t.flatten()[torch.randint(0, t.numel(), t.shape, generator=generator)]


def fresh(inputs, seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(fresh_values(t, generator) for t in inputs)


def other_batch(inputs, seed):
    """One row more in every input that has the first one's batch. For a graph network: one node more."""
    rows = inputs[0].size(0)
    more = fresh(inputs, seed + 1)
    return tuple(torch.cat([t, m[:1]]) if t.dim() > 0 and t.size(0) == rows else t for t, m in zip(fresh(inputs, seed), more))


def other_length(inputs, seed):
    """Shorter sequences of indices (fewer edges, for a graph network); where there are none, another size of images or
    signals. Whether the model takes it is for the model to say."""
    indices = [t for t in inputs if not t.is_floating_point() and t.dim() >= 2]

    def resized(t):
        if indices:
            return t[..., : t.size(-1) - max(1, t.size(-1) // 4)] if not t.is_floating_point() and t.dim() >= 2 else t
        spatial = 1 if t.dim() <= 2 else 2
        size = list(t.shape[:-spatial]) + [n + n // 2 for n in t.shape[-spatial:]]
        return t.new_zeros(size) + (0.5 if t.numel() and t.min() >= 0 else -0.5)  # keeps the range that fresh() looks at

    return fresh(tuple(resized(t) for t in inputs), seed)
