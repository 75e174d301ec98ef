"""The decoder that makes images of what a diffusion model computes (a VAE's), written here as its public code is."""
import torch
from torch import nn
from torch.nn.functional import interpolate, silu, softmax


def norm(width):
    return nn.GroupNorm(32, width, eps=1e-6)


class Residual(nn.Module):
    def __init__(self, width_in, width):
        super().__init__()
        self.norm1, self.norm2 = norm(width_in), norm(width)
        self.conv1, self.conv2 = nn.Conv2d(width_in, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.skip = nn.Conv2d(width_in, width, 1) if width_in != width else nn.Identity()

    def forward(self, x):
        return self.skip(x) + self.conv2(silu(self.norm2(self.conv1(silu(self.norm1(x))))))


class Attention(nn.Module):
    """Of all pixels to all, as products of batches."""

    def __init__(self, width):
        super().__init__()
        self.norm = norm(width)
        self.q, self.k, self.v, self.out = (nn.Conv2d(width, width, 1) for _ in range(4))

    def forward(self, x):
        n, width, down, across = x.shape
        h = self.norm(x)
        q, k, v = (f(h).reshape(n, width, down * across) for f in (self.q, self.k, self.v))
        p = softmax(torch.bmm(q.permute(0, 2, 1), k) * width ** -0.5, dim=2)
        return x + self.out(torch.bmm(v, p.permute(0, 2, 1)).reshape(n, width, down, across))


class ImageDecoder(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.first = nn.Conv2d(4, 4 * width, 3, padding=1)
        self.middle = nn.Sequential(Residual(4 * width, 4 * width), Attention(4 * width), Residual(4 * width, 4 * width))
        steps = ((4 * width, 4 * width), (4 * width, 2 * width), (2 * width, width))
        self.up = nn.ModuleList(nn.Sequential(Residual(a, b), Residual(b, b)) for a, b in steps)
        self.grow = nn.ModuleList(nn.Conv2d(b, b, 3, padding=1) for _, b in steps)
        self.norm, self.last = norm(width), nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, latents):
        x = self.middle(self.first(latents))
        for up, grow in zip(self.up, self.grow):
            x = grow(interpolate(up(x), scale_factor=2.0, mode="nearest"))
        return self.last(silu(self.norm(x)))
