"""kadvise::row_program on random programs, against torch's functions. Each check takes a device and how many programs."""
import torch

from random_programs import RandomProgram
from torch_words import REDUCTIONS, WORDS


def run(text, inputs):
    return torch.ops.kadvise.row_program(text, inputs)


def agree(ours, theirs, tolerance, what):
    assert len(ours) == len(theirs), what
    for a, b in zip(ours, theirs):
        assert a.dtype == b.dtype and a.shape == b.shape, f"{what}: {a.dtype}{list(a.shape)} {b.dtype}{list(b.shape)}"
        torch.testing.assert_close(a.cpu(), b, rtol=tolerance, atol=tolerance, equal_nan=True, msg=lambda m: f"{what}\n{m}")


def programs(count, **options):
    for seed in range(count):
        yield seed, RandomProgram(seed, **options)


def random_programs_equal_torch_in_float64(device, count):
    # Operator by operator, with torch's own: on a GPU its hardsigmoid and hardswish multiply by a sixth of 32 bits.
    sixth = ("hardsigmoid", "hardswish")
    for seed, program in programs(count):
        tolerance = 1e-7 if device == "cuda" and any(word in program.text for word in sixth) else 1e-9
        wide = [t.double() if t.is_floating_point() else t for t in program.inputs]
        agree(run(program.text, [t.to(device) for t in wide]), program.reference(torch.float64), tolerance,
              f"seed {seed}\n{program.text}")


def random_programs_equal_torch_rounded_as_the_text_says(device, count):
    if device == "cuda":
        return  # other roundings on the way may differ in any result: the next check
    for seed, program in programs(count):
        ours = run(program.text, moved(program.inputs, device))
        agree(ours, program.reference(torch.float32), 1e-3, f"seed {seed}\n{program.text}")


def smooth_programs_are_near_torch(device, count):
    for seed, program in programs(count, smooth=True):
        program.inputs = moved(program.inputs, device)
        rounds = any(dtype in program.text for dtype in ("float16", "bfloat16"))
        for a, b in zip(run(program.text, program.inputs), program.reference(torch.float32)):
            assert a.dtype == b.dtype and a.shape == b.shape, f"seed {seed}\n{program.text}"
            a, b = a.double(), b.double()
            allowed = (4e-2 if rounds else 1e-4) * (1 + b.abs().max())
            assert (a - b).abs().max() <= allowed, f"seed {seed}: {(a - b).abs().max()} > {allowed}\n{program.text}"


def every_word_is_in_some_random_program(_, count):
    used = {word for _, program in programs(count) for line in program.text.splitlines() for word in line.split()[2:3]}
    missing = {*WORDS, *REDUCTIONS, "cast", "take", "pick"} - used
    assert not missing, missing


def moved(tensors, device):
    """With the same strides, which .to() would change."""
    return [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=device).copy_(t) if device != "meta"
            else torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=device) for t in tensors]


def outputs_are_new_memory_and_meta_knows_their_form(device, count):
    for seed, program in programs(count):
        inputs = moved(program.inputs, device)
        kept = [t.clone() for t in inputs]
        outputs, forms = run(program.text, inputs), run(program.text, moved(program.inputs, "meta"))
        for output, form in zip(outputs, forms):
            has = (output.shape, output.dtype, output.stride())
            assert has == (form.shape, form.dtype, form.stride()), f"seed {seed}: {has} {form.stride()}\n{program.text}"
        lines = [line for line in program.text.splitlines() if line.startswith("out ")]
        for output, line in zip(outputs, lines):
            assert "contiguous" not in line or output.is_contiguous(), f"seed {seed}: {line}\n{program.text}"
        memory = [t.untyped_storage().data_ptr() for t in [*outputs, *inputs] if t.numel()]
        assert len(set(memory)) == len(memory), f"seed {seed}: memory is shared\n{program.text}"
        for output in outputs:
            output.zero_()
        for t, before in zip(inputs, kept):
            assert torch.equal(t.nan_to_num(), before.nan_to_num()), f"seed {seed}: an input was written"


def empty_tensors_give_what_torch_gives(device, count):
    refused = 0
    for seed, program in programs(count, empty=True):
        try:
            theirs = program.reference(torch.float32)
        except (IndexError, RuntimeError):  # max and its like of nothing
            refused += 1
            try:
                ours = run(program.text, moved(program.inputs, device))
            except (IndexError, RuntimeError):
                continue
            assert all(t.numel() == 0 for t in ours), f"seed {seed}: torch refuses\n{program.text}"
        agree(run(program.text, moved(program.inputs, device)), theirs, 1e-3, f"seed {seed}\n{program.text}")
    assert 0 < refused < count


CHECKS = [
    random_programs_equal_torch_in_float64,
    random_programs_equal_torch_rounded_as_the_text_says,
    smooth_programs_are_near_torch,
    every_word_is_in_some_random_program,
    outputs_are_new_memory_and_meta_knows_their_form,
    empty_tensors_give_what_torch_gives,
]
