"""Models of torch.nn's own transformer layers, as people write them."""
import torch
from torch import nn


class OwnEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 6)

    def forward(self, x):
        return self.encoder(x)


class OwnDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(512, 8, 2048, batch_first=True), 4)

    def forward(self, x, memory):
        return self.decoder(x, memory)


class OwnLanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(8000, 512), nn.Linear(512, 8000)
        self.places = nn.Parameter(torch.randn(256, 512) * 0.02)
        layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 4)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(256))

    def forward(self, ids):
        return self.head(self.encoder(self.words(ids) + self.places, mask=self.mask))


# As others.py has them.
MODELS = {
    "own-encoder": lambda: (OwnEncoder(), (torch.randn(4, 256, 768),), "script"),
    "own-decoder": lambda: (OwnDecoder(), (torch.randn(4, 128, 512), torch.randn(4, 256, 512)), "script"),
    "own-language-model": lambda: (OwnLanguageModel(), (torch.randint(0, 8000, (4, 256)),), "script"),
}
