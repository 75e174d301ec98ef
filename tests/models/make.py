#!/usr/bin/env python3
"""Makes TorchScript modules of public architectures with random weights, for the demonstration and the tests.

  make.py --list
  make.py --out DIR [--dtype float32|float16|bfloat16] [--device cpu|cuda] [--batch N] NAME ...

Each NAME gives NAME.pt (torch.jit.save) and NAME.inputs.pt (torch.save of a tuple of tensors). Weights are random with
a fixed seed and norms are given random statistics, since fresh ones (all zero and one) would hide mistakes. Nothing is
downloaded. Names ending in -small are shrunk: the same code, fewer and narrower layers.
"""
import argparse
import math
import os
import sys
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
warnings.filterwarnings("ignore")
import torch
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vary_weights import vary_weights


def randomise_norms(module):
    for m in module.modules():
        if isinstance(m, (nn.BatchNorm2d, nn.LayerNorm)) and m.weight is not None:
            nn.init.uniform_(m.weight, 0.5, 1.5)
            nn.init.normal_(m.bias, 0, 0.1)
        if isinstance(m, nn.BatchNorm2d):
            nn.init.normal_(m.running_mean, 0, 0.1)
            nn.init.uniform_(m.running_var, 0.5, 1.5)
    return module


class FirstOutput(nn.Module):
    """A transformers model called with positional tensors; returns its first output."""

    def __init__(self, model, names, **fixed):
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *tensors):
        return self.model(**dict(zip(self.names, tensors)), return_dict=False, **self.fixed)[0]


def language_model(batch, kind, config, lengths, **sizes):
    """A language model of transformers with written-out attention, called with one tensor of tokens for each length."""
    import transformers

    c = getattr(transformers, config)(**sizes)
    c._attn_implementation = "eager"
    names = ("input_ids", "decoder_input_ids")[: len(lengths)]
    tokens = tuple(torch.randint(0, c.vocab_size, (batch, n)) for n in lengths)
    return vary_weights(FirstOutput(getattr(transformers, kind)(c), names, use_cache=False)), tokens, "trace"


def bert(batch, **config):
    from transformers import BertConfig, BertModel

    c = BertConfig(**config)
    c._attn_implementation = "eager"
    length = 24 if config else 128
    ids = torch.randint(0, c.vocab_size, (batch, length))
    mask = torch.ones(batch, length, dtype=torch.long)
    mask[-1, length - 5:] = 0  # the last sentence is padded
    return FirstOutput(BertModel(c), ("input_ids", "attention_mask")), (ids, mask), "trace"


SMALL_BERT = dict(hidden_size=128, num_hidden_layers=2, num_attention_heads=4, intermediate_size=256, vocab_size=1000,
                  max_position_embeddings=128)
SMALL_LLAMA = dict(SMALL_BERT, num_key_value_heads=2)
SMALL_GPT2 = dict(n_embd=128, n_layer=2, n_head=4, vocab_size=1000, n_positions=128)
SMALL_T5 = dict(d_model=128, d_kv=32, d_ff=256, num_layers=2, num_heads=4, vocab_size=1000)


def resnet(batch, layers, width, size, how, block="Bottleneck"):
    from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet

    model = ResNet({"Bottleneck": Bottleneck, "BasicBlock": BasicBlock}[block], layers, width_per_group=width)
    return randomise_norms(model), (torch.randn(batch, 3, size, size),), how


def vit(batch):
    from torchvision.models import VisionTransformer

    model = VisionTransformer(image_size=64, patch_size=16, num_layers=2, num_heads=4, hidden_dim=64, mlp_dim=128, num_classes=10)
    return vary_weights(model), (torch.randn(batch, 3, 64, 64),), "script"


class GraphAttention(nn.Module):
    """One layer of graph attention (GATv2) by gather and scatter, as graph libraries write it."""

    def __init__(self, width_in, width_out, heads):
        super().__init__()
        self.heads = heads
        self.source, self.target = nn.Linear(width_in, width_out), nn.Linear(width_in, width_out)
        self.score = nn.Parameter(torch.randn(heads, width_out // heads))

    def forward(self, x, edges):
        split = lambda t: t.reshape(x.size(0), self.heads, -1)
        source, target = split(self.source(x)), split(self.target(x))
        i, j = edges[0], edges[1]
        message = source.index_select(0, i)
        score = (nn.functional.leaky_relu(message + target.index_select(0, j), 0.2) * self.score).sum(-1)
        to = j.unsqueeze(-1).expand_as(score)
        largest = score.new_full((x.size(0), self.heads), -1e30).scatter_reduce(0, to, score, "amax")
        weight = (score - largest.index_select(0, j)).exp()
        total = torch.zeros_like(largest).scatter_add(0, to, weight) + 1e-16
        weight = weight / total.index_select(0, j)
        out = torch.zeros_like(source).index_add(0, j, message * weight.unsqueeze(-1))
        return out.flatten(1)


class GraphNetwork(nn.Module):
    def __init__(self, width=32, hidden=32, classes=8):
        super().__init__()
        self.first, self.second = GraphAttention(width, hidden, 4), GraphAttention(hidden, classes, 1)

    def forward(self, x, edges):
        return self.second(torch.relu(self.first(x, edges)), edges)


def graph_network(batch):
    nodes = 25 * batch
    return GraphNetwork(), (torch.randn(nodes, 32), torch.randint(0, nodes, (2, 100 * batch))), "trace"


class Attention(nn.Module):
    """Attention written out by hand, with and without a mask, as people write it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x, mask):
        b, n, d = x.shape
        split = lambda t: t.reshape(b, n, self.heads, d // self.heads).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1)) + mask
        return self.out(torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.down(torch.nn.functional.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self, width=64, heads=4, layers=2):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))

    def forward(self, x, mask):
        for block in self.blocks:
            x = block(x, mask)
        return x


class Gate(nn.Module):
    """Reads a value of the data on the host: a graph break that only a script can hold."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        if y.mean().item() > 0.0:
            y = torch.relu(y)
        return y


def encoder(batch):
    mask = torch.zeros(batch, 1, 1, 12)
    mask[-1, ..., 9:] = -1e4
    return randomise_norms(Encoder()), (torch.randn(batch, 12, 64), mask), "trace"


MODELS = {
    "bert": lambda b: bert(b),
    "bert-small": lambda b: bert(b, **SMALL_BERT),
    "resnet50": lambda b: resnet(b, [3, 4, 6, 3], 64, 224, "script"),
    "resnet-small": lambda b: resnet(b, [1, 1, 1, 1], 8, 64, "script"),
    "resnet-small-traced": lambda b: resnet(b, [1, 1, 1, 1], 8, 64, "trace"),
    "llama-small": lambda b: language_model(b, "LlamaForCausalLM", "LlamaConfig", (24,), **SMALL_LLAMA),
    "gpt2-small": lambda b: language_model(b, "GPT2LMHeadModel", "GPT2Config", (24,), **SMALL_GPT2),
    "t5-small": lambda b: language_model(b, "T5ForConditionalGeneration", "T5Config", (24, 12), **SMALL_T5),
    "vit-small": vit,
    "graph-network": graph_network,
    "encoder": encoder,
    "gate": lambda b: (Gate(), (torch.randn(b, 16),), "script"),
}


def make(name, batch=2, dtype=None, device="cpu", seed=0):
    """Returns (TorchScript module, inputs)."""
    torch.manual_seed(seed)
    model, inputs, how = MODELS[name](batch)
    model = model.eval().to(device=device, dtype=dtype)
    move = lambda t: t.to(device=device, dtype=dtype if t.is_floating_point() else None)
    inputs = tuple(move(t) for t in inputs)
    with torch.no_grad():
        if how == "script":
            return torch.jit.script(model), inputs
        return torch.jit.trace(model, inputs, check_trace=False, strict=False), inputs


def inputs_of(name, batch, dtype=None, device="cpu", seed=0):
    """Other inputs of the same model: another seed, another batch size."""
    torch.manual_seed(seed)
    _, inputs, _ = MODELS[name](batch)
    return tuple(t.to(device=device, dtype=dtype if t.is_floating_point() else None) for t in inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--out", default=".")
    parser.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="float32")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=2)
    args = parser.parse_args()
    if args.list or not args.names:
        print("\n".join(MODELS))
        return 0
    unknown = [n for n in args.names if n not in MODELS]
    if unknown:
        parser.error(f"no model {', '.join(unknown)}; --list names them")
    os.makedirs(args.out, exist_ok=True)
    for name in args.names:
        module, inputs = make(name, args.batch, getattr(torch, args.dtype), args.device)
        path = os.path.join(args.out, name)
        torch.jit.save(module, path + ".pt")
        torch.save(inputs, path + ".inputs.pt")
        print(f"{path}.pt  {os.path.getsize(path + '.pt') / 2**20:.1f} MiB  inputs " +
              ", ".join(f"{str(t.dtype)[6:]}{list(t.shape)}" for t in inputs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
