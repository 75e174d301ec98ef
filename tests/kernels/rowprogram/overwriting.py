"""kadvise::row_program whose outputs may lie in the memory of inputs: on a GPU, as TorchScript calls it. Each check takes a
device and how many programs."""
from typing import List

import torch

from against_torch import agree, moved, programs, run


def written_over(text):
    """The text with each output over an input of its dtype that no other output is over."""
    lines = text.splitlines()
    inputs = [line.split() for line in lines if line.split()[2:3] == ["in"] and len(line.split()) == 4]
    for i, line in enumerate(lines):
        own = next((words for words in inputs if line.startswith("out ") and words[3] == line.split()[2]), None)
        if own:
            lines[i] += f" over {own[0]}"
            inputs.remove(own)
    return "\n".join(lines) + "\n"


def on_copies(program: str, inputs: List[torch.Tensor]):
    copies = [one.clone() for one in inputs]
    return torch.ops.kadvise.row_program(program, copies)


def programs_are_right_in_the_memory_of_their_inputs(device, count):
    run_on_copies = torch.jit.script(on_copies)  # TorchScript gives up what it no longer needs
    for seed, program in programs(count, smooth=True):
        inputs, text = moved(program.inputs, device), written_over(program.text)
        for _ in range(2):
            agree(run_on_copies(text, inputs), [t.cpu() for t in run(program.text, inputs)], 1e-5, f"seed {seed}\n{text}")


def what_nobody_else_holds_is_written_over(device, _):
    """Results are right where a module's own values are overwritten, and no more memory is used than they take."""
    text = "row_program 1\nrank 2\nx = in float32\nb = in float32\ns = add x b\ny = relu s\nout y float32 over x"

    class Chain(torch.nn.Module):
        def __init__(self, text: str):
            super().__init__()
            self.text = text

        def forward(self, x, y, b):
            return torch.ops.kadvise.row_program(self.text, [torch.mm(x, y), b])[0]

    class Holding(Chain):
        def forward(self, x, y, b):
            h = torch.mm(x, y)
            return torch.ops.kadvise.row_program(self.text, [h, b])[0] + h, h

    x, y, b = (torch.randn(*sizes, device=device) for sizes in ((4096, 64), (64, 4096), (4096,)))
    product = x @ y
    result = (product + b).relu()
    chain, holding = (torch.jit.script(kind(text)).eval() for kind in (Chain, Holding))
    with torch.no_grad():
        for _ in range(4):
            torch.testing.assert_close(chain(x, y, b), result)
            for ours, theirs in zip(holding(x, y, b), (result + product, product)):
                torch.testing.assert_close(ours, theirs)
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        chain(x, y, b)
        assert torch.cuda.max_memory_allocated() - before < 1.5 * product.numel() * 4


GPU_CHECKS = [
    programs_are_right_in_the_memory_of_their_inputs,
    what_nobody_else_holds_is_written_over,
]
