"""The kernel library's runtime of row programs: which schedule served, and which is to."""
import ctypes

import torch

FORMS = ("flat", "lanes", "block", "shared", "cluster", "split", "columns")
NONE = "none"  # no schedule begins so: the interpreter serves


class Runtime:
    def __init__(self, library):
        torch.ops.load_library(library)
        self.functions = ctypes.CDLL(library)
        self.functions.kadvise_row_program_ran.restype = ctypes.c_char_p

    def ask(self, schedule=""):
        self.functions.kadvise_row_program_ask(schedule.encode())

    def ran(self):
        return self.functions.kadvise_row_program_ran().decode()

    def run(self, text, tensors, schedule=""):
        """(results, the schedule that served)."""
        self.ask(schedule)
        try:
            return torch.ops.kadvise.row_program(text, tensors), self.ran()
        finally:
            self.ask()


def error(results, exact):
    """Root mean square and largest distance from float64, of all results."""
    far = [(a.double() - b).flatten() for a, b in zip(results, exact)]
    far = [torch.where(a.isnan() & b.isnan(), 0, d) for a, b, d in
           ((a.flatten(), b.flatten(), d) for a, b, d in zip(results, exact, far)) if d.numel()]
    return [(d.square().mean().sqrt().item(), d.abs().max().item()) for d in far]


def expect_as_near(case, ours, theirs, exact, what):
    """No further from float64 than a small factor of what the interpreter is, and a few roundings."""
    assert len(ours) == len(theirs) == len(exact), case.name
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape and a.dtype == b.dtype and a.stride() == b.stride(), f"{what} {case.name}: {a.shape} {a.stride()}"
    for (rms, most), (rms_of, most_of), values in zip(error(ours, exact), error(theirs, exact), (e for e in exact if e.numel())):
        unit = torch.finfo(ours[0].dtype).eps if ours[0].is_floating_point() else 0
        size = values[values.isfinite()].abs()
        size = size.max().item() if size.numel() else 0
        allowed = 1.5 * rms_of + 2 * unit * size, 2 * most_of + 4 * unit * size
        assert rms <= allowed[0] and most <= allowed[1], (
            f"{what} {case.name}\nis {rms:.3g} (most {most:.3g}) from float64, the interpreter {rms_of:.3g} ({most_of:.3g})\n{case.text}")
