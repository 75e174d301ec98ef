"""Models of transformers with its defaults (attention by scaled_dot_product_attention where they choose it) and random weights."""
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models"))
import make
from vary_weights import vary_weights


def transformers_model(kind, config, names, inputs, sizes, **fixed):
    """A model of transformers as `names` of its arguments call it; `inputs` makes them of the configuration."""
    import transformers

    c = getattr(transformers, config)(**sizes)
    return vary_weights(make.FirstOutput(getattr(transformers, kind)(c), names, **fixed)), inputs(c), "trace"


def tokens(*shape):
    return lambda c: (torch.randint(0, c.vocab_size, shape),)


def floats(*shape):
    return lambda c: (torch.randn(*shape),)


def causal(kind, config, shape=(2, 256), **sizes):
    return transformers_model(kind, config, ("input_ids",), tokens(*shape), sizes, use_cache=False)


def t5():
    inputs = lambda c: (torch.randint(0, c.vocab_size, (4, 256)), torch.randint(0, c.vocab_size, (4, 64)))
    return transformers_model("T5ForConditionalGeneration", "T5Config", ("input_ids", "decoder_input_ids"), inputs, {}, use_cache=False)


def speech_and_words(samples):
    return lambda c: (torch.randn(2, samples), torch.randint(0, 1000, (2, 64)))


IMAGES = (8, 3, 224, 224)
PIXELS, WAVES = ("pixel_values",), ("input_values",)

# Each returns (Python module, inputs, "script" or "trace").
MODELS = {
    "segformer-b0": lambda: transformers_model("SegformerForSemanticSegmentation", "SegformerConfig", PIXELS, floats(2, 3, 512, 512), {}),
    "dinov2-s": lambda: transformers_model("Dinov2Model", "Dinov2Config", PIXELS, floats(*IMAGES),
                                           dict(hidden_size=384, num_attention_heads=6, image_size=224)),
    "convnextv2-t": lambda: transformers_model("ConvNextV2Model", "ConvNextV2Config", PIXELS, floats(*IMAGES), {}),
    "focalnet-t": lambda: transformers_model("FocalNetModel", "FocalNetConfig", PIXELS, floats(*IMAGES), {}),
    "hiera-t": lambda: transformers_model("HieraModel", "HieraConfig", PIXELS, floats(4, 3, 224, 224), {}),
    "mobilevitv2": lambda: transformers_model("MobileViTV2Model", "MobileViTV2Config", PIXELS, floats(8, 3, 256, 256), {}),
    "sam-encoder-6-layers": lambda: transformers_model("SamVisionModel", "SamVisionConfig", PIXELS, floats(1, 3, 512, 512),
                                                      dict(image_size=512, num_hidden_layers=6, global_attn_indexes=[2, 5])),
    "videomae-6-layers": lambda: transformers_model("VideoMAEModel", "VideoMAEConfig", PIXELS, floats(1, 16, 3, 224, 224),
                                                    dict(num_hidden_layers=6)),
    "timesformer-4-layers": lambda: transformers_model("TimesformerModel", "TimesformerConfig", PIXELS, floats(2, 8, 3, 224, 224),
                                                       dict(num_hidden_layers=4)),
    "ast-6-layers": lambda: transformers_model("ASTModel", "ASTConfig", WAVES, floats(2, 1024, 128), dict(num_hidden_layers=6)),
    "wavlm-4-layers": lambda: transformers_model("WavLMModel", "WavLMConfig", WAVES, floats(2, 32000), dict(num_hidden_layers=4)),
    "wav2vec2": lambda: transformers_model("Wav2Vec2Model", "Wav2Vec2Config", WAVES, floats(2, 64000), {}),
    "conformer-4-layers": lambda: transformers_model("Wav2Vec2ConformerModel", "Wav2Vec2ConformerConfig", WAVES, floats(2, 64000),
                                                     dict(num_hidden_layers=4, position_embeddings_type="rotary")),
    "hifi-gan": lambda: transformers_model("SpeechT5HifiGan", "SpeechT5HifiGanConfig", ("spectrogram",), floats(200, 80), {}),
    "esm2-12-layers": lambda: transformers_model("EsmModel", "EsmConfig", ("input_ids",), tokens(2, 256), dict(
        vocab_size=33, hidden_size=480, num_hidden_layers=12, num_attention_heads=20, intermediate_size=1920, pad_token_id=1,
        mask_token_id=32, position_embedding_type="rotary", emb_layer_norm_before=False, token_dropout=False)),
    "deberta-v3-6-layers": lambda: transformers_model("DebertaV2Model", "DebertaV2Config", ("input_ids",), tokens(2, 128), dict(
        hidden_size=768, num_attention_heads=12, intermediate_size=3072, num_hidden_layers=6, relative_attention=True,
        pos_att_type=["p2c", "c2p"], position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True)),
    "albert": lambda: transformers_model("AlbertModel", "AlbertConfig", ("input_ids",), tokens(4, 128),
                                         dict(hidden_size=768, num_attention_heads=12, intermediate_size=3072)),
    "roformer-6-layers": lambda: transformers_model("RoFormerModel", "RoFormerConfig", ("input_ids",), tokens(4, 256),
                                                    dict(num_hidden_layers=6)),
    "xlnet-6-layers": lambda: transformers_model("XLNetModel", "XLNetConfig", ("input_ids",), tokens(2, 128),
                                                 dict(d_model=768, n_head=12, d_inner=3072, n_layer=6)),
    "t5-small": t5,
    "falcon-4-layers": lambda: causal("FalconForCausalLM", "FalconConfig", num_hidden_layers=4, vocab_size=32000, hidden_size=2048,
                                      num_attention_heads=32),
    "opt-6-layers": lambda: causal("OPTForCausalLM", "OPTConfig", num_hidden_layers=6, vocab_size=32000, hidden_size=1024,
                                   num_attention_heads=16, ffn_dim=4096, word_embed_proj_dim=1024),
    "gpt-neox-4-layers": lambda: causal("GPTNeoXForCausalLM", "GPTNeoXConfig", num_hidden_layers=4, vocab_size=32000, hidden_size=1024,
                                        num_attention_heads=16, intermediate_size=4096),
    "gemma2-4-layers": lambda: causal("Gemma2ForCausalLM", "Gemma2Config", num_hidden_layers=4, vocab_size=32000),
    "qwen3-4-layers": lambda: causal("Qwen3ForCausalLM", "Qwen3Config", num_hidden_layers=4, vocab_size=32000, hidden_size=2048,
                                     intermediate_size=6144, num_attention_heads=16, num_key_value_heads=8),
    "qwen3-moe-2-layers": lambda: causal("Qwen3MoeForCausalLM", "Qwen3MoeConfig", num_hidden_layers=2, vocab_size=32000, num_experts=32),
    "mamba-4-layers": lambda: causal("MambaForCausalLM", "MambaConfig", num_hidden_layers=4, vocab_size=32000),
    "modernbert-9-layers": lambda: transformers_model("ModernBertModel", "ModernBertConfig", ("input_ids",), tokens(4, 512),
                                                      dict(num_hidden_layers=9)),
    "phi3-4-layers": lambda: causal("Phi3ForCausalLM", "Phi3Config", num_hidden_layers=4, vocab_size=32000, hidden_size=2048,
                                    intermediate_size=5504, num_attention_heads=16, num_key_value_heads=16, pad_token_id=0),
    "starcoder2-4-layers": lambda: causal("Starcoder2ForCausalLM", "Starcoder2Config", num_hidden_layers=4, vocab_size=32000,
                                          hidden_size=2048, intermediate_size=8192, num_attention_heads=16, num_key_value_heads=2),
    "gemma3-6-layers": lambda: causal("Gemma3ForCausalLM", "Gemma3TextConfig", num_hidden_layers=6, vocab_size=32000, hidden_size=1152,
                                      intermediate_size=6912, num_attention_heads=4, num_key_value_heads=1),
    "lfm2-4-layers": lambda: causal("Lfm2ForCausalLM", "Lfm2Config", num_hidden_layers=4, vocab_size=32000, hidden_size=1024,
                                    intermediate_size=4096, num_attention_heads=16, num_key_value_heads=4,
                                    layer_types=["conv", "conv", "full_attention", "conv"]),
    "mobilebert-8-layers": lambda: transformers_model("MobileBertModel", "MobileBertConfig", ("input_ids",), tokens(4, 128),
                                                      dict(num_hidden_layers=8)),
    "siglip-8-layers": lambda: transformers_model("SiglipVisionModel", "SiglipVisionConfig", PIXELS, floats(*IMAGES),
                                                  dict(num_hidden_layers=8)),
    "levit": lambda: transformers_model("LevitModel", "LevitConfig", PIXELS, floats(*IMAGES), {}),
    "pvt-v2": lambda: transformers_model("PvtV2Model", "PvtV2Config", PIXELS, floats(*IMAGES), {}),
    "poolformer": lambda: transformers_model("PoolFormerModel", "PoolFormerConfig", PIXELS, floats(*IMAGES), {}),
    "swiftformer": lambda: transformers_model("SwiftFormerModel", "SwiftFormerConfig", PIXELS, floats(*IMAGES), {}),
    "cvt": lambda: transformers_model("CvtModel", "CvtConfig", PIXELS, floats(*IMAGES), {}),
    "dpt": lambda: transformers_model("DPTForDepthEstimation", "DPTConfig", PIXELS, floats(2, 3, 384, 384), {}),
    "yolos-6-layers": lambda: transformers_model("YolosModel", "YolosConfig", PIXELS, floats(2, 3, 512, 864), dict(num_hidden_layers=6)),
    "hubert-6-layers": lambda: transformers_model("HubertModel", "HubertConfig", WAVES, floats(2, 64000), dict(num_hidden_layers=6)),
    "w2v-bert-4-layers": lambda: transformers_model("Wav2Vec2BertModel", "Wav2Vec2BertConfig", ("input_features",), floats(2, 400, 160),
                                                    dict(num_hidden_layers=4)),
    "mimi-4-layers": lambda: transformers_model("MimiModel", "MimiConfig", WAVES, floats(1, 1, 48000), dict(num_hidden_layers=4)),
    "moonshine": lambda: transformers_model("MoonshineModel", "MoonshineConfig", ("input_values", "decoder_input_ids"), speech_and_words(64000),
                                            {}, use_cache=False),
    "whisper": lambda: transformers_model("WhisperModel", "WhisperConfig", ("input_features", "decoder_input_ids"),
                                          lambda c: (torch.randn(2, 80, 3000), torch.randint(0, c.vocab_size, (2, 64))), {}, use_cache=False),
    "bart-6-layers": lambda: transformers_model("BartModel", "BartConfig", ("input_ids",), tokens(2, 256), dict(
        encoder_layers=6, decoder_layers=6, d_model=768, encoder_ffn_dim=3072, decoder_ffn_dim=3072, vocab_size=32000), use_cache=False),
    "detr": lambda: transformers_model("DetrModel", "DetrConfig", PIXELS, floats(1, 3, 512, 512), dict(use_pretrained_backbone=False)),
    "convbert-6-layers": lambda: transformers_model("ConvBertModel", "ConvBertConfig", ("input_ids",), tokens(4, 128),
                                                    dict(num_hidden_layers=6)),
    "mpnet-6-layers": lambda: transformers_model("MPNetModel", "MPNetConfig", ("input_ids",), tokens(4, 128), dict(num_hidden_layers=6)),
    "funnel": lambda: transformers_model("FunnelModel", "FunnelConfig", ("input_ids",), tokens(2, 128), {}),
    "gpt-oss-4-layers": lambda: causal("GptOssForCausalLM", "GptOssConfig", num_hidden_layers=4, vocab_size=32000, hidden_size=1024,
                                       intermediate_size=1024, num_local_experts=8, num_attention_heads=16, num_key_value_heads=4),
}
