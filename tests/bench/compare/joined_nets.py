"""Convolutional networks that put features together, as public code has them: a detector of CSP blocks, and dense blocks for
super-resolution."""
import torch
from torch import nn
from torch.nn import functional as F
from vary_weights import vary_weights


def convolution(given, made, size=1, stride=1):
    return nn.Sequential(nn.Conv2d(given, made, size, stride, size // 2, bias=False), nn.BatchNorm2d(made), nn.SiLU(inplace=True))


class Bottleneck(nn.Module):
    def __init__(self, width, adds):
        super().__init__()
        self.body, self.adds = nn.Sequential(convolution(width, width, 3), convolution(width, width, 3)), adds

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class CspBlock(nn.Module):
    """Half of the channels go through the bottlenecks, of which all results are put together."""

    def __init__(self, given, made, count, adds):
        super().__init__()
        half = made // 2
        self.first, self.last = convolution(given, made), convolution((2 + count) * half, made)
        self.bottlenecks = nn.ModuleList(Bottleneck(half, adds) for _ in range(count))

    def forward(self, x):
        features = list(self.first(x).chunk(2, 1))
        for bottleneck in self.bottlenecks:
            features.append(bottleneck(features[-1]))
        return self.last(torch.cat(features, 1))


class PooledPyramid(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.last, self.pool = convolution(width, width // 2), convolution(2 * width, width), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        x = self.first(x)
        y = self.pool(x)
        z = self.pool(y)
        return self.last(torch.cat((x, y, z, self.pool(z)), 1))


class Heads(nn.Module):
    """Boxes as distributions over 16 places for each side, and classes."""

    def __init__(self, widths, classes=80, places=16):
        super().__init__()
        self.classes, self.places = classes, places
        head = lambda given, between, made: nn.Sequential(convolution(given, between, 3), convolution(between, between, 3), nn.Conv2d(between, made, 1))
        self.boxes = nn.ModuleList(head(w, max(widths[0] // 4, 4 * places), 4 * places) for w in widths)
        self.kinds = nn.ModuleList(head(w, max(widths[0], classes), classes) for w in widths)
        self.register_buffer("steps", torch.arange(places, dtype=torch.float32))

    def forward(self, images):
        both = [torch.cat((box(x), kind(x)), 1).flatten(2) for x, box, kind in zip(images, self.boxes, self.kinds)]
        box, kind = torch.cat(both, 2).split((4 * self.places, self.classes), 1)
        box = box.view(box.shape[0], 4, self.places, -1).softmax(2) * self.steps.view(1, 1, -1, 1)
        return torch.cat((box.sum(2), kind.sigmoid()), 1)


class Detector(nn.Module):
    def __init__(self, width=32, counts=(1, 2, 2, 1)):
        super().__init__()
        w = [width << i for i in range(5)]
        stage = lambda i: nn.Sequential(convolution(w[i], w[i + 1], 3, 2), CspBlock(w[i + 1], w[i + 1], counts[i], True))
        self.early = nn.Sequential(convolution(3, w[0], 3, 2), stage(0), stage(1))
        self.middle, self.late, self.up = stage(2), nn.Sequential(stage(3), PooledPyramid(w[4])), nn.Upsample(scale_factor=2, mode="nearest")
        self.up4, self.up3 = CspBlock(w[4] + w[3], w[3], 1, False), CspBlock(w[3] + w[2], w[2], 1, False)
        self.to4, self.down4 = convolution(w[2], w[2], 3, 2), CspBlock(w[2] + w[3], w[3], 1, False)
        self.to5, self.down5 = convolution(w[3], w[3], 3, 2), CspBlock(w[3] + w[4], w[4], 1, False)
        self.heads = Heads(w[2:])

    def forward(self, x):
        p3 = self.early(x)
        p4 = self.middle(p3)
        p5 = self.late(p4)
        n4 = self.up4(torch.cat((self.up(p5), p4), 1))
        n3 = self.up3(torch.cat((self.up(n4), p3), 1))
        m4 = self.down4(torch.cat((self.to4(n3), n4), 1))
        return self.heads((n3, m4, self.down5(torch.cat((self.to5(m4), p5), 1))))


class DenseBlock(nn.Module):
    def __init__(self, width=64, growth=32, count=4):
        super().__init__()
        self.grow = nn.ModuleList(nn.Conv2d(width + i * growth, growth, 3, 1, 1) for i in range(count))
        self.last = nn.Conv2d(width + count * growth, width, 3, 1, 1)

    def forward(self, x):
        features = [x]
        for convolve in self.grow:
            together = torch.cat(features, 1) if len(features) > 1 else x
            features.append(F.leaky_relu(convolve(together), 0.2))
        return self.last(torch.cat(features, 1)) * 0.2 + x


class SuperResolution(nn.Module):
    """Residual-in-residual dense blocks, then twice as large twice."""

    def __init__(self, blocks=4, width=64):
        super().__init__()
        layer = lambda given, made: nn.Conv2d(given, made, 3, 1, 1)
        self.blocks = nn.ModuleList(nn.Sequential(DenseBlock(), DenseBlock(), DenseBlock()) for _ in range(blocks))
        self.first, self.body, self.last = layer(3, width), layer(width, width), layer(width, 3)
        self.grow = nn.ModuleList(layer(width, width) for _ in range(2))
        self.fine = layer(width, width)

    def forward(self, x):
        given = x = self.first(x)
        for block in self.blocks:
            x = block(x) * 0.2 + x
        x = given + self.body(x)
        for grow in self.grow:
            x = F.leaky_relu(grow(F.interpolate(x, scale_factor=2.0, mode="nearest")), 0.2)
        return self.last(F.leaky_relu(self.fine(x), 0.2))


# As others.py has them.
MODELS = {
    "csp-detector": lambda: (vary_weights(Detector()), (torch.randn(8, 3, 640, 640),), "trace"),
    "super-resolution": lambda: (vary_weights(SuperResolution()), (torch.rand(2, 3, 128, 128),), "trace"),
}
