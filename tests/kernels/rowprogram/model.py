"""A module of many row programs, as an optimised encoder of 12 layers holds them, and how long its first call takes."""
import io
import time
from typing import List

import programs
import torch
from torch import Tensor

NAMES = ("add_layer_norm", "bias_gelu", "softmax", "layer_norm", "add_rms_norm", "gelu_tanh", "mean_var", "silu_mul")


class Layers(torch.nn.Module):
    """Each layer runs every program on tensors of its own width, whose results go into the next layer."""

    def __init__(self, dtype):
        super().__init__()
        self.texts: List[str] = [programs.named(name).text(dtype) for name in NAMES]
        self.kinds: List[str] = [programs.named(name).inputs for name in NAMES]

    def forward(self, inputs: List[Tensor]) -> List[Tensor]:
        x, w, b = inputs[0], inputs[1], inputs[2]
        for _ in range(12):
            for i, kind in enumerate(self.kinds):
                tensors: List[Tensor] = []
                for letter in kind:
                    tensors.append(w if letter == "w" else b if letter == "b" else x)
                results = torch.ops.kadvise.row_program(self.texts[i], tensors)
                if results[0].dim() == 2:
                    x = results[0]
        return [x]


class Captured(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    @torch.jit.export
    def captured(self, inputs: List[Tensor]) -> List[Tensor]:
        return self.inner(inputs)

    @torch.jit.export
    def plain(self, inputs: List[Tensor]) -> List[Tensor]:
        return self.inner(inputs)


def first_calls(in_a_runner, device="cuda"):
    """Milliseconds of the first call and of a later one."""
    dtype = torch.bfloat16
    inputs = [torch.randn(256, 768), torch.ones(768), torch.zeros(768)]
    inputs = [t.to(device, dtype) for t in inputs]
    module = torch.jit.script(Captured(Layers(dtype)).eval())
    call = module.plain
    if in_a_runner:
        file = io.BytesIO()
        torch.jit.save(module, file)
        call = torch.classes.kadvise.GraphRunner(torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)).run
    (inputs[0] @ inputs[0].t()).sum().item()  # torch's own start
    milliseconds, results = [], []
    for _ in range(3):
        begin = time.perf_counter()
        results.append(call(inputs)[0].clone())
        if device == "cuda":
            torch.cuda.synchronize()
        milliseconds.append((time.perf_counter() - begin) * 1e3)
    torch.testing.assert_close(results[0], results[-1])
    return milliseconds[0], milliseconds[-1]
