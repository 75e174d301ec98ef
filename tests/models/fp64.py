"""A TorchScript module in float64: parameters, buffers, and what is written into its code."""
import torch

FLOATING = (5, 6, 15)  # float16, float32, bfloat16 as TorchScript numbers them
FLOAT64 = 7


def _nodes(block):
    for node in list(block.nodes()):
        yield node
        for inner in node.blocks():
            yield from _nodes(inner)


def _argument_names(node):
    text = node.schema()
    return [a.name for a in torch._C.parse_schema(text).arguments] if "(" in text and "no schema" not in text else []


def _promote(graph):
    """`.double()` leaves the dtypes that a trace has written down (`to(x, 6)`) and its constant tensors."""
    for node in _nodes(graph):
        names = _argument_names(node)
        for i, value in enumerate(list(node.inputs())):
            constant = value.toIValue()
            if torch.is_tensor(constant) and constant.is_floating_point() and constant.dtype != torch.float64:
                promoted = constant.double()
            elif i < len(names) and names[i] == "dtype" and constant in FLOATING:
                promoted = FLOAT64
            else:
                continue
            graph.setInsertPoint(node)
            node.replaceInput(i, graph.insertConstant(promoted))


class InFloat64:
    """Callable like the module that the file holds."""

    def __init__(self, path, device="cpu"):
        self.module = torch.jit.freeze(torch.jit.load(path, map_location=device).eval().double(), optimize_numerics=False)
        torch._C._jit_pass_inline(self.module.graph)
        _promote(self.module.graph)

    def __call__(self, *inputs):
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)  # of zeros(n) and the like, where the code names no dtype
        try:
            return self.module(*inputs)
        finally:
            torch.set_default_dtype(before)
