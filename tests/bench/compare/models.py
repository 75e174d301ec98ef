"""The nine models of the comparison, from the classes that people use, with random weights.

Language models are called with 2 x 128 tokens and images are 2 x 3 x 224 x 224, but for the tiny ones of a self-test.
Attention of transformers' models is the written-out one ("eager"), which is what a trace of them holds.
"""
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models"))
import make
from vary_weights import vary_weights

BATCH, TOKENS, IMAGE = 2, 128, 224
TINY_VIT = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64)


def images(size):
    return (torch.randn(BATCH, 3, size, size),)


def resnet50(tiny):
    return make.resnet(BATCH, [1, 1, 1, 1], 8, 64, "script") if tiny else make.resnet(BATCH, [3, 4, 6, 3], 64, IMAGE, "script")


def bert_base(tiny):
    module, inputs, how = make.bert(BATCH, **(make.SMALL_BERT if tiny else {}))
    return vary_weights(module), inputs, how


def gpt2(tiny):
    sizes = make.SMALL_GPT2 if tiny else {}
    return make.language_model(BATCH, "GPT2LMHeadModel", "GPT2Config", (24 if tiny else TOKENS,), **sizes)


def llama_4_layers(tiny):
    sizes = make.SMALL_LLAMA if tiny else dict(num_hidden_layers=4)
    return make.language_model(BATCH, "LlamaForCausalLM", "LlamaConfig", (24 if tiny else TOKENS,), **sizes)


def vit_b_16(tiny):
    from torchvision.models import vit_b_16 as build

    return make.vit(BATCH) if tiny else (vary_weights(build(weights=None)), images(IMAGE), "script")


def whisper_encoder(tiny):
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    positions = 50 if tiny else 1500
    config = WhisperConfig(d_model=64 if tiny else 384, encoder_layers=2 if tiny else 4, encoder_attention_heads=2 if tiny else 6,
                           encoder_ffn_dim=128 if tiny else 1536, max_source_positions=positions)
    config._attn_implementation = "eager"
    features = torch.randn(BATCH, config.num_mel_bins, 2 * positions)
    return vary_weights(make.FirstOutput(WhisperEncoder(config), ("input_features",))), (features,), "trace"


def deit_s(tiny):
    from transformers import DeiTConfig, DeiTForImageClassification

    sizes = TINY_VIT if tiny else dict(hidden_size=384, num_attention_heads=6, intermediate_size=1536)
    config = DeiTConfig(num_labels=10 if tiny else 1000, **sizes)
    config._attn_implementation = "eager"
    module = make.FirstOutput(DeiTForImageClassification(config), ("pixel_values",))
    return vary_weights(module), images(config.image_size), "trace"


def convnext_t(tiny):
    from torchvision.models.convnext import CNBlockConfig, ConvNeXt, convnext_tiny

    if not tiny:
        return vary_weights(convnext_tiny(weights=None)), images(IMAGE), "script"
    settings = [CNBlockConfig(32, 64, 1), CNBlockConfig(64, 128, 2), CNBlockConfig(128, None, 1)]
    return vary_weights(ConvNeXt(settings, num_classes=10)), images(64), "script"


# Each takes `tiny` and returns (Python module, inputs, "script" or "trace").
MODELS = {"resnet50": resnet50, "bert-base": bert_base, "gpt2": gpt2, "llama-4-layers": llama_4_layers, "vit-b-16": vit_b_16,
          "whisper-encoder": whisper_encoder, "deit-s": deit_s, "convnext-t": convnext_t}
