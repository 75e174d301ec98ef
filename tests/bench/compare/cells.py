"""What the comparison consists of: one cell for each subject, size and dtype, and the columns that are timed in it."""
import dataclasses
import fnmatch

COLUMNS = ("eager", "frozen", "graph", "compile", "reduce-overhead", "max-autotune", "kadvise")
MEANING = {
    "eager": "the Python module as it is",
    "frozen": "torch.jit.freeze of the loaded TorchScript module",
    "graph": "the frozen module captured with torch.cuda.graph around the inputs, replayed; results in the graph's memory",
    "compile": "torch.compile(module)",
    "reduce-overhead": "torch.compile(module, mode='reduce-overhead')",
    "max-autotune": "torch.compile(module, mode='max-autotune')",
    "kadvise": "what `kadvise M.pt --apply` wrote, with libkadvise_kernels.so alone; M.pt itself where it wrote nothing",
}

COMPONENTS = ("attention", "block", "layer-norm", "rms-norm", "projections", "gated-mlp")
SIZES = ("small", "middle", "large")
DTYPES = ("float32", "bfloat16")
AUTOTUNED = ("middle", "bfloat16")  # autotuning takes minutes: one size in one dtype

# Those whose recipes were measured by hand, in the dtypes in which they were; then the language models in float32.
MODELS = (("resnet50", "float32"), ("resnet50", "bfloat16"), ("bert-base", "bfloat16"), ("gpt2", "bfloat16"),
          ("llama-4-layers", "bfloat16"), ("vit-b-16", "bfloat16"), ("whisper-encoder", "bfloat16"), ("deit-s", "float32"),
          ("convnext-t", "float32"), ("bert-base", "float32"), ("gpt2", "float32"), ("llama-4-layers", "float32"))
MODEL_SIZE = "batch2"
# Others, which no rule was written beside: every name of others.py; their size is their own.
OTHER_DTYPES = {"unet": "float16", "hifi-gan": "float32", "detr": "float32", "stable-diffusion-unet": "float16",
                "stable-diffusion-3-6-layers": "float16", "autoencoder-kl": "float32"}  # the rest in bfloat16
OTHERS = tuple((name, OTHER_DTYPES.get(name, "bfloat16")) for name in """
    mobilenet-v3-large efficientnet-b0 densenet121 swin-t r2plus1d-18 unet diffusion-unet dit-b-2 segformer-b0
    dinov2-s wav2vec2 conformer-4-layers hifi-gan esm2-12-layers deberta-v3-6-layers t5-small gemma2-4-layers
    qwen3-4-layers qwen3-moe-2-layers mamba-4-layers efficientnet-v2-s maxvit-t swin-v2-t shufflenet-v2
    sam-encoder-6-layers videomae-6-layers albert xlnet-6-layers falcon-4-layers gpt-neox-4-layers image-decoder
    convnextv2-t focalnet-t hiera-t mobilevitv2 timesformer-4-layers ast-6-layers wavlm-4-layers roformer-6-layers
    opt-6-layers own-encoder own-decoder own-language-model csp-detector super-resolution mvit-v2-s
    modernbert-9-layers phi3-4-layers starcoder2-4-layers gemma3-6-layers lfm2-4-layers mobilebert-8-layers
    siglip-8-layers levit pvt-v2 poolformer swiftformer cvt dpt yolos-6-layers hubert-6-layers w2v-bert-4-layers
    mimi-4-layers moonshine whisper bart-6-layers detr convbert-6-layers mpnet-6-layers funnel gpt-oss-4-layers
    nfnet-l0 caformer-s18 fastvit-t12 convit-t ghostnet mvit-v2-t coat-lite-t davit-t hgnet-v2-b2 xcit-s12
    swin-v2-cr-t edgenext-s efficientformer-l1 tnt-s twins-svt-s gcvit-t regnety-032 volo-d1 cait-xxs24 coatnet-0
    eva02-s beit-v2-b mixer-b16 gmlp-s16 resnest26d tiny-vit-11m repvit-m1 mambaout-t inception-next-t
    efficientvit-b1 repvgg-a2 mobileone-s1 mobilenetv4-m starnet-s3 fasternet-t1 stable-diffusion-unet stable-diffusion-3-6-layers flux-6-layers autoencoder-kl pixart-6-layers
""".split())
OTHER_SIZE = "other"
GROUPS = ("components", "models", "other models")
TINY = "tiny"  # for a test of the benchmark itself: the figures mean nothing


@dataclasses.dataclass(frozen=True)
class Cell:
    subject: str
    size: str
    dtype: str
    columns: tuple

    @property
    def id(self):
        return f"{self.subject}-{self.size}-{self.dtype}"

    @property
    def is_component(self):
        return self.subject in COMPONENTS

    @property
    def group(self):
        return "components" if self.is_component else "other models" if self.size == OTHER_SIZE else "models"


def columns_of(size, dtype):
    return tuple(c for c in COLUMNS if c != "max-autotune" or (size, dtype) == AUTOTUNED)


def whole_table():
    components = [Cell(name, size, dtype, columns_of(size, dtype)) for name in COMPONENTS for dtype in DTYPES for size in SIZES]
    return components + [Cell(name, MODEL_SIZE, dtype, columns_of(MODEL_SIZE, dtype)) for name, dtype in MODELS]


def other_table():
    return [Cell(name, OTHER_SIZE, dtype, columns_of(OTHER_SIZE, dtype)) for name, dtype in OTHERS]


def tiny_table():
    columns = columns_of(TINY, "float32")
    return [Cell(name, TINY, "float32", columns) for name in (*COMPONENTS, *dict.fromkeys(name for name, _ in MODELS))]


def by_id(cell_id):
    return next(cell for cell in whole_table() + other_table() + tiny_table() if cell.id == cell_id)


def chosen(table, patterns):
    """Cells whose id or subject one of the shell patterns meets ("*-bfloat16", "bert-base"); all of them without a pattern."""
    return [cell for cell in table if not patterns
            or any(fnmatch.fnmatchcase(name, p) for name in (cell.id, cell.subject) for p in patterns)]
