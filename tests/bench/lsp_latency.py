#!/usr/bin/env python3
"""From the last keystroke to the diagnostics, and from saving to those of the full look; memory with ten open files.

  lsp_latency.py KADVISE [--toolkit DIR] [--torch DIR] [--runs 15]     a CUDA toolkit and a torch package, for the full look

Each figure is the fastest and the median of the runs, beside what is wanted of the median on two idle cores; "computing" is the processor
time of server and parsers, which a busy machine does not lengthen. The first full look makes the precompiled headers and is shown alone.
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lsp"))
import editor as editors  # noqa: E402
from sources import kernels  # noqa: E402

TYPED_MS, SAVED_MS, MEMORY_MIB = 300, 1000, 600  # wanted
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


def resident_mib(editor):
    """Of server and parsers together; pages that they share count once for each."""
    return sum(int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
               for pid in [editor.process.pid, *editor.parsers()]) >> 20


class Peak:
    """The most that they hold at any moment."""

    def __init__(self, editor):
        self.editor, self.mib, self.isOver = editor, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.isOver.wait(0.1):
            try:
                self.mib = max(self.mib, resident_mib(self.editor))
            except OSError:
                pass  # a parser ended just now

    def end(self):
        self.isOver.set()
        self.thread.join()
        return self.mib


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
        settled(editor)
        start = time.perf_counter()
        editor.save(uri)
        settled(editor)
        out.append(time.perf_counter() - start)
    return out


def words(what, seconds, wanted):
    best, median = min(seconds) * 1000, statistics.median(seconds) * 1000
    return f"{what} {best:.0f} / {median:.0f} ms (wanted {wanted}: {'met' if median <= wanted else 'not met'})"


def settled(editor):
    """Until nothing is under way, which takes long where headers are made and the machine is busy."""
    editor.take(lambda m: m.get("method") == "kadvise/status" and m["params"]["state"] != "parsing" and not m["params"]["files"], "peace", patience=600)


def measure(editor, name, text, runs):
    uri = editor.open(name, text, "cuda-cpp" if name.endswith(".cu") else "cpp")
    start = time.perf_counter()
    editor.published(uri)
    settled(editor)
    first = time.perf_counter() - start
    before = computed(editor)
    keys = typed(editor, uri, 1, runs)
    work = (computed(editor) - before) / runs
    before = computed(editor)
    saves = saved(editor, uri, max(3, runs // 3))
    full = (computed(editor) - before) / len(saves) - work  # each text was typed and looked at first
    tier = editor.command("status")["tier"]
    print(f"{name}, {text.count(chr(10))} lines: {words('typed', keys, TYPED_MS)}, {work:.0f} ms of computing; "
          f"{words('saved', saves, SAVED_MS)}, {full:.0f} ms of computing, tier {tier}, the first time {first:.1f} s", flush=True)
    return uri


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("kadvise")
    arguments.add_argument("--toolkit", default="")
    arguments.add_argument("--torch", default="")
    arguments.add_argument("--runs", type=int, default=15)
    given = arguments.parse_args()
    editors.program = given.kadvise
    settings = {key: value for key, value in (("toolkit", given.toolkit), ("torch", given.torch)) if value}
    with tempfile.TemporaryDirectory() as folder:
        # Precompiled headers of its own: others' runs would push them out of the user's.
        environment = {"XDG_CACHE_HOME": folder + "/cache"}
        editor = editors.Editor(pathlib.Path(folder).resolve(), settings=settings, environment=environment)
        editor.initialize()
        uris = [measure(editor, "kernels.cu", kernels(100), given.runs), measure(editor, "torch.cpp", TORCH, given.runs)]
        peak = Peak(editor)  # from here on: looking on takes time, too
        for uri in uris:
            saved(editor, uri, 1)
        for i in range(8):
            editor.published(editor.open(f"more{i}.cu", kernels(30 + i)))
        settled(editor)
        most = peak.end()
        print(f"server and parsers, ten open files: {resident_mib(editor)} MiB now, {most} MiB at most (wanted {MEMORY_MIB}: {'met' if most <= MEMORY_MIB else 'not met'})")
        editor.leave()


if __name__ == "__main__":
    main()
