"""Models of timm, as it scripts them, and of diffusers, traced; random weights."""
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models"))
import make
from vary_weights import vary_weights


def classifier(name, shape=(8, 3, 224, 224)):
    import timm

    return vary_weights(timm.create_model(name, scriptable=True)), (torch.randn(*shape),), "script"


def diffuser(kind, names, inputs, **sizes):
    import diffusers

    return vary_weights(make.FirstOutput(getattr(diffusers, kind)(**sizes), names)), inputs, "trace"


def stable_diffusion_unet():
    inputs = (torch.randn(2, 4, 64, 64), torch.tensor([500, 500]), torch.randn(2, 77, 768))
    return diffuser("UNet2DConditionModel", ("sample", "timestep", "encoder_hidden_states"), inputs, cross_attention_dim=768,
                    block_out_channels=(160, 320, 640, 640), layers_per_block=1, attention_head_dim=8, sample_size=64)


def pixart():
    inputs = (torch.randn(2, 4, 64, 64), torch.randn(2, 120, 4096), torch.tensor([500, 500]))
    return diffuser("PixArtTransformer2DModel", ("hidden_states", "encoder_hidden_states", "timestep"), inputs, num_layers=6,
                    num_attention_heads=12, attention_head_dim=64, cross_attention_dim=768, sample_size=64, caption_channels=4096,
                    use_additional_conditions=False)


# As others.py has them.
MODELS = {
    "nfnet-l0": lambda: classifier("nfnet_l0"),
    "caformer-s18": lambda: classifier("caformer_s18"),
    "fastvit-t12": lambda: classifier("fastvit_t12"),
    "stable-diffusion-unet": stable_diffusion_unet,
    "pixart-6-layers": pixart,
}
