"""What kadvise did to each model, beside the steps of the recipe that was found for it by hand."""
import collections

# In the order in which they paid; the figures are those of the hand-made versions.
RECIPES = {
    "resnet50": "batch norms folded; channels_last throughout; convolution + ReLU and + add + ReLU in one",
    "bert-base": "attention; its mask built once; q, k, v joined; add + LayerNorm; position constants",
    "gpt2": "attention; is_causal; add + LayerNorm; tanh-GELU in one kernel; addmm + activation; vocabulary padded to 8",
    "llama-4-layers": "attention; is_causal; q, k, v and gate, up joined; add + RMSNorm; SiLU * up; rotary embedding; its "
                      "table kept",
    "vit-b-16": "add + LayerNorm; patch convolution as a product; last layer for the class token alone",
    "whisper-encoder": "attention; q, k, v joined; add + LayerNorm; 1-D convolutions as products",
    "deit-s": "bias added outside the product, in a kernel of its own",
    "convnext-t": "layer scale folded; product without its bias epilogue, bias + GELU in a kernel; depthwise in channels_last",
}


def times(speedup):
    return f", {speedup:.2f}x in its region" if speedup else ""


def of_row(row):
    advice = row.document.get("advice") or {}
    yield f"{row.cell.id}: kadvise took {advice.get('seconds', 0):.0f} s, whole {advice.get('outcome') or 'not judged'}"
    yield f"  by hand   {RECIPES.get(row.cell.subject, '-')}"
    for one in advice.get("applied", []):
        yield f"  applied   {one['rule']}: {one['title']}, {one['sites']} sites{times(one['speedup'])}"
    tried = collections.Counter(f"{one['rule']}: {one['outcome']}, {one['reason'][:140]}" for one in advice.get("tried", []))
    for words, count in tried.items():
        yield f"  tried     {words}" + (f" ({count} times)" if count > 1 else "")
    for one in advice.get("refused", []):
        yield f"  refused   {one['rule']}, {one['sites']} sites: {one['reason'][:140]}"


def lines(rows):
    return [text for row in rows if not row.cell.is_component and "advice" in row.document for text in of_row(row)]
