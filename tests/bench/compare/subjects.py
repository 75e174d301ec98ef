"""What a cell compares: one Python module, the TorchScript module made of it, and the inputs of a call."""
import dataclasses
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import cells
import components

TINY_SHAPE = (2, 16, 64)


@dataclasses.dataclass
class Subject:
    eager: torch.nn.Module
    inputs: tuple
    how: str  # "script" or "trace"
    device: str


def component(cell, device):
    shape = TINY_SHAPE if cell.size == cells.TINY else components.SIZES[cell.size]
    module, inputs = components.build(cell.subject, shape, getattr(torch, cell.dtype), device)
    return Subject(module, inputs, "script", device)


def made(cell):
    """(Python module, inputs, "script" or "trace"). What is imported needs torchvision and transformers, which components do not."""
    if cell.group == "other models":
        import others

        return others.OTHERS[cell.subject]()
    import models

    return models.MODELS[cell.subject](cell.size == cells.TINY)


def model(cell, device):
    torch.manual_seed(0)
    with torch.device(device):  # a billion weights are drawn in no time on a GPU
        module, inputs, how = made(cell)
    dtype = getattr(torch, cell.dtype)
    inputs = tuple(t.to(dtype) if t.is_floating_point() else t for t in inputs)
    return Subject(module.eval().to(device, dtype), inputs, how, device)  # some make a parameter on the CPU whatever the context


def build(cell, device):
    """The same weights and inputs whenever it is called."""
    return component(cell, device) if cell.is_component else model(cell, device)


def save(subject, module_path, inputs_path):
    """As a user makes the file: scripted, or traced on the device where it will run."""
    with torch.no_grad():
        if subject.how == "script":
            script = torch.jit.script(subject.eager)
        else:
            script = torch.jit.trace(subject.eager, subject.inputs, check_trace=False, strict=False)
    torch.save(subject.inputs, inputs_path)
    torch.jit.save(script, module_path)
