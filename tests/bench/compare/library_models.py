"""Models of timm, as it scripts them, and of diffusers, traced; random weights."""
import functools
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


def stable_diffusion_3():
    inputs = (torch.randn(2, 16, 64, 64), torch.randn(2, 154, 1024), torch.randn(2, 1024), torch.tensor([500.0, 500.0]))
    return diffuser("SD3Transformer2DModel", ("hidden_states", "encoder_hidden_states", "pooled_projections", "timestep"), inputs,
                    sample_size=64, num_layers=6, attention_head_dim=64, num_attention_heads=12, joint_attention_dim=1024,
                    caption_projection_dim=768, pooled_projection_dim=1024)


def flux():
    inputs = (torch.randn(1, 1024, 64), torch.randn(1, 128, 1024), torch.randn(1, 768), torch.tensor([0.5]),
              torch.zeros(1024, 3), torch.zeros(128, 3))
    names = ("hidden_states", "encoder_hidden_states", "pooled_projections", "timestep", "img_ids", "txt_ids")
    return diffuser("FluxTransformer2DModel", names, inputs, num_layers=2, num_single_layers=4, attention_head_dim=64,
                    num_attention_heads=16, joint_attention_dim=1024, pooled_projection_dim=768, in_channels=64,
                    axes_dims_rope=(8, 28, 28))


def autoencoder():
    kinds = dict(down_block_types=("DownEncoderBlock2D",) * 3, up_block_types=("UpDecoderBlock2D",) * 3)
    return diffuser("AutoencoderKL", ("sample",), (torch.randn(1, 3, 256, 256),), block_out_channels=(64, 128, 256), layers_per_block=2,
                    **kinds)


# What timm calls them.
TIMM = {
    "nfnet-l0": "nfnet_l0", "caformer-s18": "caformer_s18", "fastvit-t12": "fastvit_t12", "convit-t": "convit_tiny",
    "ghostnet": "ghostnet_100", "mvit-v2-t": "mvitv2_tiny", "coat-lite-t": "coat_lite_tiny", "davit-t": "davit_tiny",
    "hgnet-v2-b2": "hgnetv2_b2", "xcit-s12": "xcit_small_12_p16_224", "swin-v2-cr-t": "swinv2_cr_tiny_ns_224",
    "edgenext-s": "edgenext_small", "efficientformer-l1": "efficientformer_l1", "tnt-s": "tnt_s_patch16_224",
    "twins-svt-s": "twins_svt_small", "gcvit-t": "gcvit_tiny", "regnety-032": "regnety_032", "volo-d1": "volo_d1_224",
    "cait-xxs24": "cait_xxs24_224", "coatnet-0": "coatnet_0_rw_224", "eva02-s": "eva02_small_patch14_224",
    "beit-v2-b": "beitv2_base_patch16_224", "mixer-b16": "mixer_b16_224", "gmlp-s16": "gmlp_s16_224", "resnest26d": "resnest26d",
    "tiny-vit-11m": "tiny_vit_11m_224", "repvit-m1": "repvit_m1", "mambaout-t": "mambaout_tiny",
    "inception-next-t": "inception_next_tiny", "efficientvit-b1": "efficientvit_b1", "repvgg-a2": "repvgg_a2",
    "mobileone-s1": "mobileone_s1", "mobilenetv4-m": "mobilenetv4_conv_medium", "starnet-s3": "starnet_s3",
    "fasternet-t1": "fasternet_t1",
}
# As others.py has them.
MODELS = {
    **{name: functools.partial(classifier, of_timm) for name, of_timm in TIMM.items()},
    "stable-diffusion-unet": stable_diffusion_unet,
    "stable-diffusion-3-6-layers": stable_diffusion_3,
    "flux-6-layers": flux,
    "autoencoder-kl": autoencoder,
    "pixart-6-layers": pixart,
}
