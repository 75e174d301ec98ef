#!/usr/bin/env python3
"""From the last keystroke to the diagnostics, and from saving to those of the full look: medians, and memory.

  lsp_latency.py KADVISE [TOOLKIT]     TOOLKIT: a CUDA toolkit's folder, for the full look
"""
import os
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
import editor as editors  # noqa: E402
from sources import kernels  # noqa: E402

RUNS = 15
TORCH = """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
""" + "".join(f"""
at::Tensor run{i}(const at::Tensor& x, const at::Tensor& y) {{
  TORCH_CHECK(x.is_cuda() && y.is_cuda(), "on a GPU");
  auto z = at::empty_like(x);
  for (int64_t j = 0; j < x.size(0); ++j) z[j] = x[j] * at::sigmoid(x[j]) + y[j].softmax(-1);
  return z.contiguous();
}}
""" for i in range(60))


def seconds_to_answer(editor, uri, act):
    start = time.perf_counter()
    act()
    editor.published(uri)
    return time.perf_counter() - start


def residents(editor):
    return sum(int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
               for pid in [editor.process.pid, *editor.parsers()])


def computed(editor):
    """Processor time of the server and its parsers so far, in ms: what a busy machine does not lengthen."""
    ticks = 0
    for pid in [editor.process.pid, *editor.parsers()]:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def typed(editor, uri, line, times):
    at = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}
    return [seconds_to_answer(editor, uri, lambda: editor.change(uri, at, "//x\n" if i % 2 else "\n")) for i in range(times)]


def saved(editor, uri, times):
    """Until the full look of a text that was typed and looked at before is shown."""
    out = []
    for _ in range(times):
        typed(editor, uri, 0, 1)
        while editor.idle()["files"]:
            pass
        start = time.perf_counter()
        editor.save(uri)
        while editor.idle()["files"]:
            pass
        out.append(time.perf_counter() - start)
    return out


def main(program, toolkit=""):
    editors.program = program
    with tempfile.TemporaryDirectory() as folder:
        editor = editors.Editor(pathlib.Path(folder).resolve(), settings={"toolkit": toolkit} if toolkit else {})
        editor.initialize()
        for name, text in (("kernels.cu", kernels(100)), ("torch.cpp", TORCH)):
            uri = editor.open(name, text, "cuda-cpp" if name.endswith(".cu") else "cpp")
            editor.published(uri)
            while editor.idle()["files"]:
                pass
            before = computed(editor)
            keys = typed(editor, uri, 1, RUNS)
            work = (computed(editor) - before) / RUNS
            print(f"{name}, {text.count(chr(10))} lines: typed {statistics.median(keys) * 1000:.0f} ms ({work:.0f} ms of computing), "
                  f"saved {statistics.median(saved(editor, uri, RUNS // 3)) * 1000:.0f} ms", flush=True)
        for i in range(8):
            editor.published(editor.open(f"more{i}.cu", kernels(30 + i)))
        while editor.idle()["files"]:
            pass
        print(f"server and parsers with ten open files: {residents(editor) >> 20} MiB; tier {editor.command('status')['tier']}")
        editor.leave()


if __name__ == "__main__":
    main(*sys.argv[1:])
