"""Models beyond those of the recipes, at the sizes that people run: what the rules were not written beside.

From torchvision, transformers (transformer_models.py), timm and diffusers (library_models.py) and torch itself,
concatenated images (joined_nets.py), and U-Nets and a diffusion transformer, written here as their public code is. Random weights.
"""
import os
import sys

import torch
from torch import nn

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models"))
import image_decoder
import joined_nets
import library_models
import torch_layers
import transformer_models
from transformer_models import IMAGES
from vary_weights import vary_weights


def vision(name, shape):
    """A classifier of torchvision, scripted, called with images or clips of `shape`."""
    from torchvision import models

    build = getattr(models, name, None) or getattr(models.video, name)
    return vary_weights(build(weights=None)), (torch.randn(*shape),), "script"


def modulated(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


class DitBlock(nn.Module):
    """A transformer block whose norms are shifted and scaled by the time step (adaLN-Zero)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = (nn.LayerNorm(width, elementwise_affine=False, eps=1e-6) for _ in range(2))
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(width, 6 * width))

    def attention(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        return self.proj(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, d))

    def forward(self, x, c):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.modulation(c).chunk(6, dim=1)
        x = x + gate1.unsqueeze(1) * self.attention(modulated(self.norm1(x), shift1, scale1))
        return x + gate2.unsqueeze(1) * self.mlp(modulated(self.norm2(x), shift2, scale2))


class Dit(nn.Module):
    def __init__(self, width=768, heads=12, depth=12):
        super().__init__()
        self.embed = nn.Conv2d(4, width, 2, stride=2)
        self.position = nn.Parameter(torch.randn(1, 256, width))
        self.blocks = nn.ModuleList(DitBlock(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, 32)

    def forward(self, latents, c):
        x = self.embed(latents).flatten(2).transpose(1, 2) + self.position
        for block in self.blocks:
            x = block(x, c)
        return self.head(x)


class ResidualBlock(nn.Module):
    def __init__(self, width_in, width, time_width=1280):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, width_in), nn.Conv2d(width_in, width, 3, padding=1)
        self.time = nn.Linear(time_width, width)
        self.norm2, self.conv2 = nn.GroupNorm(32, width), nn.Conv2d(width, width, 3, padding=1)
        self.skip = nn.Conv2d(width_in, width, 1) if width_in != width else nn.Identity()

    def forward(self, x, t):
        h = self.conv1(nn.functional.silu(self.norm1(x)))
        h = h + self.time(nn.functional.silu(t))[:, :, None, None]
        return self.skip(x) + self.conv2(nn.functional.silu(self.norm2(h)))


class CrossAttention(nn.Module):
    def __init__(self, width, context, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = nn.Linear(width, width, bias=False), nn.Linear(context, width, bias=False), nn.Linear(context, width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, x, context):
        b, n, d = x.shape
        split = lambda t: t.view(b, -1, self.heads, d // self.heads).transpose(1, 2)
        out = nn.functional.scaled_dot_product_attention(split(self.q(x)), split(self.k(context)), split(self.v(context)))
        return self.out(out.transpose(1, 2).reshape(b, n, d))


class SpatialTransformer(nn.Module):
    """Pixels as tokens: attention to each other and to the text, then a gated MLP."""

    def __init__(self, width, context=768, heads=8):
        super().__init__()
        self.norm, self.into, self.back = nn.GroupNorm(32, width, eps=1e-6), nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.to_self, self.to_text = CrossAttention(width, width, heads), CrossAttention(width, context, heads)
        self.gated, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x, text):
        b, c, h, w = x.shape
        y = self.into(self.norm(x)).permute(0, 2, 3, 1).reshape(b, h * w, c)
        n = self.norm1(y)
        y = y + self.to_self(n, n)
        y = y + self.to_text(self.norm2(y), text)
        value, gate = self.gated(self.norm3(y)).chunk(2, dim=-1)
        y = y + self.down(value * nn.functional.gelu(gate))
        return x + self.back(y.reshape(b, h, w, c).permute(0, 3, 1, 2))


class DiffusionUnet(nn.Module):
    """Two levels of the U-Net of latent diffusion, with its skips."""

    def __init__(self, widths=(320, 640)):
        super().__init__()
        a, b = widths
        self.first = nn.Conv2d(4, a, 3, padding=1)
        self.down1, self.text1 = ResidualBlock(a, a), SpatialTransformer(a)
        self.shrink = nn.Conv2d(a, a, 3, stride=2, padding=1)
        self.down2, self.text2 = ResidualBlock(a, b), SpatialTransformer(b)
        self.middle = ResidualBlock(b, b)
        self.up2, self.text3 = ResidualBlock(2 * b, b), SpatialTransformer(b)
        self.grow = nn.Conv2d(b, b, 3, padding=1)
        self.up1, self.text4 = ResidualBlock(a + b, a), SpatialTransformer(a)
        self.norm, self.last = nn.GroupNorm(32, a), nn.Conv2d(a, 4, 3, padding=1)

    def forward(self, x, t, text):
        x1 = self.text1(self.down1(self.first(x), t), text)
        x2 = self.text2(self.down2(self.shrink(x1), t), text)
        x = self.middle(x2, t)
        x = self.text3(self.up2(torch.cat([x, x2], dim=1), t), text)
        x = self.grow(nn.functional.interpolate(x, scale_factor=2.0, mode="nearest"))
        x = self.text4(self.up1(torch.cat([x, x1], dim=1), t), text)
        return self.last(nn.functional.silu(self.norm(x)))


def double_conv(width_in, width):
    layers = [layer for w in (width_in, width) for layer in (nn.Conv2d(w, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True))]
    return nn.Sequential(*layers)


class Unet(nn.Module):
    """The U-Net of segmentation: convolutions with batch norms, pools, transposed convolutions and skips."""

    def __init__(self, widths=(64, 128, 256, 512)):
        super().__init__()
        self.down = nn.ModuleList(double_conv(a, b) for a, b in zip((3, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in zip(widths, widths[1:]))
        self.merge = nn.ModuleList(double_conv(2 * a, a) for a in widths[:-1])
        self.head = nn.Conv2d(widths[0], 2, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(x if i == 0 else nn.functional.max_pool2d(x, 2))
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([kept[i], self.up[i](x)], dim=1))
        return self.head(x)


def dit():
    return vary_weights(Dit()), (torch.randn(4, 4, 32, 32), torch.randn(4, 768)), "trace"


def diffusion_unet():
    return vary_weights(DiffusionUnet()), (torch.randn(2, 4, 64, 64), torch.randn(2, 1280), torch.randn(2, 77, 768)), "trace"


def unet():
    return vary_weights(Unet()), (torch.randn(2, 3, 256, 256),), "trace"


def decoder():
    return vary_weights(image_decoder.ImageDecoder()), (torch.randn(1, 4, 32, 32),), "trace"


# Each returns (Python module, inputs, "script" or "trace").
OTHERS = {
    "mobilenet-v3-large": lambda: vision("mobilenet_v3_large", IMAGES),
    "efficientnet-b0": lambda: vision("efficientnet_b0", IMAGES),
    "densenet121": lambda: vision("densenet121", IMAGES),
    "swin-t": lambda: vision("swin_t", IMAGES),
    "efficientnet-v2-s": lambda: vision("efficientnet_v2_s", IMAGES),
    "maxvit-t": lambda: vision("maxvit_t", IMAGES),
    "swin-v2-t": lambda: vision("swin_v2_t", IMAGES),
    "shufflenet-v2": lambda: vision("shufflenet_v2_x1_0", IMAGES),
    "mvit-v2-s": lambda: vision("mvit_v2_s", (1, 3, 16, 224, 224)),
    "r2plus1d-18": lambda: vision("r2plus1d_18", (2, 3, 16, 112, 112)),
    "unet": unet,
    "diffusion-unet": diffusion_unet,
    "image-decoder": decoder,
    "dit-b-2": dit,
    **transformer_models.MODELS,
    **torch_layers.MODELS,
    **joined_nets.MODELS,
    **library_models.MODELS,
}
