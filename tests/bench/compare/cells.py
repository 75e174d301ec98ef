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
# Others, which no rule was written beside (others.py); their size is their own.
OTHERS = (("mobilenet-v3-large", "bfloat16"), ("efficientnet-b0", "bfloat16"), ("densenet121", "bfloat16"), ("swin-t", "bfloat16"),
          ("r2plus1d-18", "bfloat16"), ("unet", "float16"), ("diffusion-unet", "bfloat16"), ("dit-b-2", "bfloat16"),
          ("segformer-b0", "bfloat16"), ("dinov2-s", "bfloat16"), ("wav2vec2", "bfloat16"), ("conformer-4-layers", "bfloat16"),
          ("hifi-gan", "float32"), ("esm2-12-layers", "bfloat16"), ("deberta-v3-6-layers", "bfloat16"), ("t5-small", "bfloat16"),
          ("gemma2-4-layers", "bfloat16"), ("qwen3-4-layers", "bfloat16"), ("qwen3-moe-2-layers", "bfloat16"),
          ("mamba-4-layers", "bfloat16"), ("efficientnet-v2-s", "bfloat16"), ("maxvit-t", "bfloat16"), ("swin-v2-t", "bfloat16"),
          ("shufflenet-v2", "bfloat16"), ("sam-encoder-6-layers", "bfloat16"), ("videomae-6-layers", "bfloat16"), ("albert", "bfloat16"),
          ("xlnet-6-layers", "bfloat16"), ("falcon-4-layers", "bfloat16"), ("gpt-neox-4-layers", "bfloat16"),
          ("image-decoder", "bfloat16"), ("convnextv2-t", "bfloat16"), ("focalnet-t", "bfloat16"), ("hiera-t", "bfloat16"),
          ("mobilevitv2", "bfloat16"), ("timesformer-4-layers", "bfloat16"), ("ast-6-layers", "bfloat16"),
          ("wavlm-4-layers", "bfloat16"), ("roformer-6-layers", "bfloat16"), ("opt-6-layers", "bfloat16"),
          ("own-encoder", "bfloat16"), ("own-decoder", "bfloat16"), ("own-language-model", "bfloat16"),
          ("csp-detector", "bfloat16"), ("super-resolution", "bfloat16"))
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
    """Cells whose id one of the shell patterns meets ("*-bfloat16", "bert*"); all of them without a pattern."""
    return [cell for cell in table if not patterns or any(fnmatch.fnmatchcase(cell.id, p) for p in patterns)]
