"""What kadvise must find in 70 public architectures: the number of sites of every fusion rule in every model.

The models are those of all_models_test.py, at its small size. Each number is derived from the model's configuration and
its Python source (transformers 5.17, timm 1.0.29, torchvision 0.26, torch_geometric 2.8), as layers x sites, and never
from what kadvise found. What a rule counts:
  - a site is one match of the rule's pattern. Rules count independently: an RMS norm behind a residual add is a site of
    rms-norm-written-out and of add-rms-norm, attention over repeated heads one of both attention rules.
  - only what the result depends on counts. Poolers do not, since only the first output is taken, and neither does the
    branch of a script for optional inputs that are not given.
  - attention-mask-from-shapes: attention operators whose mask only shapes decide. Transformers makes one in every trace that is
    given none: causal in decoders, all true in encoders and between the two.
  - rope: one site for each rotated tensor. sibling-linears: one for each group of linears that read one value and all
    have a bias or all have none. add-layer-norm: operands of equal shapes only, so not a position table of batch 1.
A rule that a row does not name is expected nowhere in that model. ANY: not asserted, for the reason beside it.

Changes since the first full run, each with its reason:
  - hf_bart_sdpa, add-layer-norm 12 -> 11: the decoder's positions are of batch 1 (it unsqueezes them), only the encoder's
    have the batch's size.
  - tv_ssdlite, conv-batch-norm 70 -> 58: the heads' 12 stand in a loop over feature maps, whose sizes differ from round to
    round; there is no one shape for which the rule's condition could be asked.
  - hf_t5_sdpa, attention-mask-from-shapes 0 -> 2: only self attention has learned biases; cross attention adds zeros.
  - layout/convolutions-in-nchw, fusion/conv-of-patches, fusion/conv-of-signal: new rules, so counts beside those there were.
  - hf_qwen3_moe_sdpa, attention-mask-from-shapes 0 -> 2: traced without a mask, like the other decoders.
  - tv_swin_t, attention-written-out 0 -> 4: branches on sizes are joined.
"""

ANY = None

RULES = (
    "attention-written-out", "attention-repeated-heads", "attention-soft-capped", "attention-relative-gather", "attention-einsum",
    "attention-cosine", "attention-linear", "attention-mask-from-shapes", "loop-over-sequence",
    "rms-norm-written-out", "add-rms-norm", "layer-norm-written-out", "add-layer-norm",
    "gelu-written-out", "quick-gelu", "silu-written-out", "gated-activation", "rope", "sibling-linears", "linear-activation",
    "linear-add",
    "conv-relu", "conv-add-relu", "conv-batch-norm", "linear-batch-norm", "log-softmax", "group-norm-written-out",
    "embedding-sum-norm", "conv-of-patches", "conv-of-signal", "layout/convolutions-in-nchw")


def rule_id(rule):
    """Fusion rules go by their slug here, others by the whole id."""
    return rule if "/" in rule else "fusion/" + rule


PATCHES = {"conv-of-patches": 1}         # the patch embedding
# One finding for each region: whole networks are one, since everything between two convolutions belongs to it.
REGION = {"layout/convolutions-in-nchw": 1}

# Most transformers here have two layers.
BERT = {
    "add-layer-norm": 2 * 2,             # layers x (attention, mlp); the embedding's last operand has batch 1
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
    "embedding-sum-norm": 1,             # word + token type + position
    "sibling-linears": 2,                # layers x (q k v)
}
DISTILBERT = {
    "add-layer-norm": 2 * 2,             # layers x (attention, mlp)
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
    "embedding-sum-norm": 1,             # word + position
    "sibling-linears": 2,                # layers x (q k v)
}
GPT2 = {
    "add-layer-norm": 2 * 2,             # layer 0 second, layer 1 first and second, final
    "gelu-written-out": 2,               # layers: gelu_new
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
    "linear-activation": ANY,            # the activation is the written-out GELU, the linear an addmm
    "embedding-sum-norm": ANY,           # the sum is also the residual
}
GPT_NEOX = {
    "add-layer-norm": 2 + 1,             # layer 1 (attention's and mlp's norm of one sum) + final
    "rope": 2 * 2,                       # layers x (q, k), partial; q k v are one linear
    "linear-add": 2,                     # layers: attention's output and the mlp's are added to each other first
}
LLAMA = {                                # mistral, qwen2, gemma: the same blocks
    "rms-norm-written-out": 2 * 2 + 1,   # layers x (input, post-attention) + final
    "add-rms-norm": 2 * 2,               # all but layer 0's first, which reads the embedding
    "rope": 2 * 2,                       # layers x (q, k)
    "sibling-linears": 2 * 2,            # layers x (q k v, gate up)
    "gated-activation": 2,               # layers
    "attention-repeated-heads": 2,       # layers: 4 heads of queries share 2 of keys and values
    "linear-add": 2 * 2,                 # layers x (attention's output, down)
}
MASK = {"attention-mask-from-shapes": 2}  # layers
QWEN3 = {**LLAMA,
    "rms-norm-written-out": 2 * 4 + 1,   # layers x (input, q, k, post-attention) + final
}
T5 = {
    "rms-norm-written-out": 5 + 7,       # encoder 2 layers x 2 + final, decoder 2 layers x 3 + final
    "add-rms-norm": 4 + 6,               # all but the first of each stack, which reads the embedding
    "sibling-linears": 2 + 2 + 1,        # encoder and decoder layers x (q k v) + cross (k v of both layers read one value)
    "linear-add": 2 * 2 + 2 * 3,         # encoder and decoder layers x (attention's output, mlp's second), cross attention's
    "linear-activation": ANY,            # linear then ReLU, 2 + 2, but without a bias
}
WHISPER = {
    "layout/convolutions-in-nchw": 1,    # the two of the signal, GELU between
    "add-layer-norm": 2 * 2,             # layer 0 second, layer 1 first and second, final; the position table has rank 2
    "sibling-linears": 2,                # layers x (q v): k has no bias
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
    "conv-of-signal": 2,                 # the stem's two
}
HF_VIT = {
    **PATCHES,
    "add-layer-norm": 2 * 2,             # layer 0 second, layer 1 first and second, final
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
    "sibling-linears": 2,                # layers x (q k v)
}
# Pre-norm blocks of timm: all norms but layer 0's first read a residual sum; so does the last, unless it follows the pooling.
DEIT = {
    **PATCHES,
    "add-layer-norm": 1 + 2 + 1,         # layer 0 second, layer 1 both, final; position table of batch 1 before layer 0
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
}
EVA02 = {
    **PATCHES,
    "add-layer-norm": 1 + 2,             # layer 0 second, layer 1 both; the last norm follows the pooling
    "rope": 2 * 2,                       # layers x (q, k), pairs
    "gated-activation": 2,               # layers: chunked SwiGLU; q k v are one linear
    "linear-add": 2 * 2,                 # layers x (attention's output, mlp's second)
}
# Between the convolution and its ReLU stands a batch norm: whether that is a site of these two depends on their pages.
BEHIND_NORM = {"conv-relu": ANY, "conv-add-relu": ANY}

EXPECTED = {
    # torch.nn. The recurrent nets are one fused operator a layer; the encoders' layers are taken apart.
    "nn_encoder_script": {
        "add-layer-norm": 2 * 2, "linear-add": 2 * 2,   # 2 layers: behind attention, behind the wide product
        "sibling-linears": ANY},         # nn.MultiheadAttention has branches for q, k, v that are one value or three
    "nn_encoder_prenorm_trace": {
        "add-layer-norm": 2 * 2 - 1, "linear-add": 2 * 2},   # the first norm reads no sum
    "nn_lstm": {},
    "nn_gru": {},
    # torchvision. conv-batch-norm: stem + blocks x convolutions + downsampling.
    "tv_resnet18": {**REGION, "conv-batch-norm": 1 + 4 * 2 + 3, **BEHIND_NORM},    # stages 2 to 4 downsample
    "tv_resnet50": {**REGION, "conv-batch-norm": 1 + 5 * 3 + 4, **BEHIND_NORM},    # blocks 1, 2, 1, 1; each stage widens
    "tv_resnet50_trace": {**REGION, "conv-batch-norm": 1 + 5 * 3 + 4, **BEHIND_NORM},
    "tv_resnext50": {**REGION, "conv-batch-norm": 1 + 4 * 3 + 4, **BEHIND_NORM},
    "tv_mobilenet_v3": {
        **REGION,
        "conv-batch-norm": 1 + 2 + 14 * 3 + 1,    # stem, first block without expansion, 14 blocks, last
        "conv-relu": ANY, "conv-add-relu": 0},    # 8 squeeze-and-excitations have it plain, other blocks behind a norm
    "tv_efficientnet_b0": {**REGION, "conv-batch-norm": 1 + 2 + 4 * 3 + 1},   # stem, block without expansion, 4 blocks, last
    "tv_convnext_tiny": {**REGION, "conv-of-patches": 1 + 2},   # stem, downsampling; its norms read convolutions and permuted sums
    "tv_vit_b_16": {
        **PATCHES,
        "add-layer-norm": 3 * 2,         # 3 layers: layer 0 second, the others both, final
        "linear-add": 3 * 2,             # attention's last, mlp's second
        "sibling-linears": ANY},         # as nn_encoder_script
    # attention-written-out: whether the shifted window's mask is added is decided at run time, between scores and softmax;
    # the branches that ask it are joined, so that each arm is straight code.
    "tv_swin_t": {
        **PATCHES, **REGION,
        "attention-written-out": 4,      # blocks
        "add-layer-norm": 3 + 3 + 1,     # stages x (all but the first norm, which reads no sum) + final
        "linear-add": 4},                # mlp's second; attention's output is put together from windows first
    "tv_regnet_y": {
        **REGION,
        "conv-batch-norm": 1 + 6 * 3 + 3,         # stem, 6 blocks, 3 stages widen
        "conv-relu": ANY, "conv-add-relu": ANY},  # 6 squeeze-and-excitations have it plain, blocks behind a norm
    "tv_fcn": {**REGION, "conv-batch-norm": 12 + 1, **BEHIND_NORM},  # as tv_resnet18 + head
    "tv_deeplab": {**REGION, "conv-batch-norm": 12 + 6, **BEHIND_NORM},  # as tv_resnet18 + pyramid 1 + 2 + 1, project, head
    "tv_ssdlite": {
        "layout/convolutions-in-nchw": 2 + 4,     # two halves of the backbone and the extra levels, parted by the list of maps
        "conv-batch-norm": 46 + 4 * 3,            # as tv_mobilenet_v3 + extra levels; the heads are in a loop
        **BEHIND_NORM},
    "tv_fasterrcnn": {
        **REGION,                        # the proposals' head; the backbone reads a batch made in a loop
        "conv-batch-norm": 12,           # as tv_resnet18; the pyramid has no norm
        "linear-activation": 2,          # fc6, fc7
        "sibling-linears": 1,            # class scores and boxes
        **BEHIND_NORM},
    # timm. Scripts of timm have written-out attention, traces the fused operator.
    "timm_deit_small": {**DEIT, "attention-written-out": 2},
    "timm_deit_small_eagerattn": {**DEIT, "attention-written-out": 2},
    "timm_deit_small_trace": DEIT,
    "timm_mixer_s16": {
        **PATCHES,
        "add-layer-norm": 8 * 2,         # 8 layers: all but the first, and the final
        "linear-add": 8},                # layers: the mlp over channels; that over tokens is transposed
    "timm_resnext26ts": {**REGION, "conv-batch-norm": 3 + 8 * 3 + 4},              # tiered stem, 8 blocks, 4 stages widen; SiLU
    "timm_eva02": {**EVA02, "attention-written-out": 2},
    "timm_eva02_trace": EVA02,
    "timm_efficientvit_b0": {
        **REGION,
        "attention-linear": 2 * 2,                # last two stages x depth
        "conv-batch-norm": 3 + 2 * 6 + 2 * 5 + 1},  # stem; 2 stages of 2 blocks x 3; 2 of 1 + 2 x (attention, mlp); head
    "timm_poolformer_s12": {**REGION},   # group norms; the layers' MLPs are convolutions
    "timm_mobilevit_xxs": {
        **REGION,
        "attention-written-out": 2 + 4 + 3,       # depths
        "add-layer-norm": 2 * (2 + 4 + 3),        # each transformer: all but the first, and its final
        "linear-add": 2 * (2 + 4 + 3),            # layers x (attention's output, mlp's second)
        "conv-batch-norm": 1 + 4 * 3 + 3 * (3 + 3) + 1},  # stem, 4 blocks, 3 x (block, around the transformer), last
    "timm_dinov3_small": {               # linear-add: a layer scale stands between
        **PATCHES,
        "attention-written-out": 2,
        "add-layer-norm": 1 + 2 + 1,     # layer 0 second, layer 1 both, final before the pooling
        "rope": 2 * 2},                  # layers x (q, k), half
    "timm_convnextv2_atto": {**REGION, "conv-of-patches": 1 + 3},  # stem and downsampling
    "timm_beit": {**PATCHES, "attention-written-out": 2, "add-layer-norm": 1 + 2},  # with a bias table; last norm follows the pooling
    # transformers, traced; _eager is written-out attention, _sdpa the fused operator.
    "hf_bert_eager": {**BERT, "attention-written-out": 2},
    "hf_bert_sdpa": BERT,
    "hf_roberta_sdpa": {**BERT, "add-layer-norm": 2 * 2 + 1},            # its positions have the batch's size
    "hf_distilbert_eager": {**DISTILBERT, "attention-written-out": 2},
    "hf_distilbert_sdpa": DISTILBERT,
    "hf_gpt2_eager": {**GPT2, "attention-written-out": 2},
    "hf_gpt2_sdpa": {**GPT2, **MASK},
    "hf_gpt2_mask_sdpa": GPT2,
    "hf_gpt_neox_eager": {**GPT_NEOX, "attention-written-out": 2},
    "hf_gpt_neox_sdpa": {**GPT_NEOX, **MASK},
    "hf_llama_eager": {**LLAMA, "attention-written-out": 2},
    "hf_llama_sdpa": {**LLAMA, **MASK},
    "hf_mistral_eager": {**LLAMA, "attention-written-out": 2},
    "hf_mistral_sdpa": LLAMA,            # its mask is a sliding window
    "hf_qwen2_sdpa": {**LLAMA, **MASK},
    "hf_qwen3_eager": {**QWEN3, "attention-written-out": 2},
    "hf_qwen3_sdpa": {**QWEN3, **MASK},
    "hf_phi_sdpa": {**MASK,
        "add-layer-norm": 2,             # layer 1 and final: one norm a layer, parallel branches
        "gelu-written-out": 2,           # layers: gelu_new
        "rope": 2 * 2,                   # layers x (q, k), partial
        "linear-add": 2,                 # layers: attention's output and the mlp's are added to each other first
        "sibling-linears": 2,            # layers x (q k v and the mlp's first read one norm)
        "linear-activation": ANY},       # the activation is the written-out GELU
    "hf_gemma_sdpa": {**LLAMA, **MASK, "linear-activation": ANY},                # gate, then tanh-GELU, but without a bias
    "hf_olmo2_sdpa": {**LLAMA, **MASK,
        "rms-norm-written-out": 2 * 4 + 1,        # layers x (q, k, after attention, after mlp) + final
        "linear-add": 0,                          # a norm stands between
        "add-rms-norm": 1},                       # final: the others stand before the residual add
    "hf_llama_mask_sdpa": LLAMA,
    "hf_bloom": {
        "attention-written-out": 2,      # layers: baddbmm with ALiBi, then bmm
        "add-layer-norm": 2 * 2,         # layer 0 second, layer 1 both, final
        "gelu-written-out": 2,           # layers
        "linear-add": 2 * 2,             # layers x (attention's output, mlp's second)
        "linear-activation": ANY},       # the activation is the written-out GELU
    "hf_opt_sdpa": {
        "sibling-linears": 2,            # layers x (q k v)
        "linear-activation": 2,          # layers: fc1, ReLU
        "linear-add": 2 * 2,             # layers x (attention's output, fc2)
        "add-layer-norm": ANY,           # views of the sum stand between, but for layer 0's first
        "embedding-sum-norm": ANY},      # the sum is also the residual
    "hf_t5_eager": {**T5, "attention-written-out": 2 + 2 * 2},           # encoder; decoder layers x (self, cross)
    "hf_t5_sdpa": {**T5, **MASK},         # decoder layers: cross attention, whose bias is zeros
    "hf_bart_sdpa": {
        "attention-mask-from-shapes": 2 + 2 * 2,  # encoder; decoder layers x (self, cross)
        "add-layer-norm": 2 * 2 + 2 * 3 + 1,      # encoder and decoder layers, the encoder's embeddings
        "linear-add": 2 * 2 + 2 * 3,              # encoder and decoder layers x (attention's output, mlp's second), cross attention's
        "sibling-linears": 2 + 2 + 1,             # as T5
        "embedding-sum-norm": ANY},               # a scale of 1.0 stands between
    "hf_whisper_encoder_eager": {**WHISPER, "attention-written-out": 2},
    "hf_whisper_encoder_sdpa": WHISPER,
    "hf_vit_eager": {**HF_VIT, "attention-written-out": 2},
    "hf_vit_sdpa": {**HF_VIT, **MASK},
    "hf_clip_sdpa": {
        **PATCHES,
        "quick-gelu": 2 + 2,             # text and vision layers
        "add-layer-norm": 4 + 3,         # text: layer 0 second, layer 1 both, final; vision: without final, which reads a slice
        "linear-add": 2 * 2 + 2 * 2,     # text and vision layers x (attention's output, mlp's second)
        "sibling-linears": 2 + 2,        # layers x (q k v)
        "embedding-sum-norm": ANY},      # the text's sum is also the residual
    "hf_segformer": {
        "conv-of-patches": 3,            # reducing stages: patches of the sequence, without overlap
        "layout/convolutions-in-nchw": 1,   # all stages: what reads rows of pixels joins them
        "add-layer-norm": 4 * 2,         # 4 stages of one layer: second norm, stage norm
        "linear-add": 4 * 2,             # attention's output, mlp's second
        "sibling-linears": 3 + 1},       # reducing stages: k v of the reduced value; last stage: q k v
    "hf_mamba": {
        "rms-norm-written-out": 2 + 1,   # layers + final
        "add-rms-norm": 2,               # layer 1, final
        "linear-add": 2,                 # layers: out_proj
        "gated-activation": 2},          # layers: scan * silu(gate), in this order
    "hf_qwen3_moe_sdpa": {**QWEN3, **MASK,
        "linear-add": 2,                 # layers: attention's output; the experts' sum is put together by index
        "sibling-linears": 2},           # layers x (q k v); gated-activation: gate and up of the experts are one chunked product
    "hf_wav2vec2_sdpa": {**MASK,
        "conv-of-signal": 7,             # the feature encoder's; the positional one is in groups
        "layout/convolutions-in-nchw": 1,   # the feature encoder's
        "add-layer-norm": 2 * 2 + 1,     # layers x (first, second) + final; layer 0 reads hidden + convolution
        "linear-add": 2 * 2,             # layers x (attention's output, mlp's second)
        "sibling-linears": 2},           # layers x (q k v)
    # torch_geometric
    "pyg_gcn_trace": {},
    "pyg_gat_trace": {},
    "pyg_sage_script": {},
    "pyg_sage_trace": {"linear-add": 2},  # layers: of the neighbours and of the node itself; the script has the first with a branch behind
}


def expected(model, rule):
    """The number of sites of a fusion rule ("rope") in a model, or ANY."""
    return EXPECTED[model].get(rule, 0)
