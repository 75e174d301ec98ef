#!/usr/bin/env python3
"""How long `kadvise lint` takes, and how much memory, against what is wanted of it.

  lint_speed.py KADVISE [--toolkit DIR] [--torch DIR] [--runs 7] [--json OUT]

Makes its own sources: a CUDA file of 700 lines, one that includes torch/extension.h, trees of 5 and of 175 files. Medians, the
fastest run and the largest process. The first run of a kind makes the precompiled headers and is shown alone. Nothing is asserted:
the column "wanted" is for people, and a machine that does other work is slower.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

KERNEL = """
__global__ void scale_{i}(float* __restrict__ out, const float* __restrict__ in, int n, float factor) {{
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  tile[threadIdx.x] = v;
  __syncthreads();
  for (int offset = 128; offset > 0; offset >>= 1) {{
    if (threadIdx.x < offset) tile[threadIdx.x] += tile[threadIdx.x + offset];
    __syncthreads();
  }}
  if (i < n) out[i] = v * factor + tile[0];
}}
"""
LAUNCH = "void run_{i}(float* out, const float* in, int n) {{ scale_{i}<<<(n + 255) / 256, 256>>>(out, in, n, 0.5f); }}\n"
TORCH = """
at::Tensor apply_{i}(at::Tensor x) {{
  TORCH_CHECK(x.is_cuda(), "on the GPU");
  auto y = at::empty_like(x);
  scale_{i}<<<(x.numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(y.data_ptr<float>(), x.data_ptr<float>(), x.numel(), 2.f);
  return y;
}}
"""
PARTS = 44  # that make 700 lines


def cuda_file(parts=PARTS):
    return "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cstdio>\n" + "".join(KERNEL.format(i=i) + LAUNCH.format(i=i) for i in range(parts))


def torch_file(parts=PARTS // 2):
    head = "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n#include <c10/cuda/CUDAGuard.h>\n"
    return head + "".join(KERNEL.format(i=i) + TORCH.format(i=i) for i in range(parts))


def tree(folder, files):
    os.makedirs(folder)
    for i in range(files):
        with open(os.path.join(folder, f"k{i}.cu"), "w", encoding="utf-8") as out:
            out.write(torch_file(4) if i % 4 == 3 else cuda_file(8))


def once(command):
    """Seconds, and the MiB of the largest process."""
    start = time.perf_counter()
    process = subprocess.Popen(["/usr/bin/env", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: {errors}")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kadvise")
    parser.add_argument("--toolkit")
    parser.add_argument("--torch")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json")
    args = parser.parse_args()
    program = os.path.abspath(args.kadvise)
    with tempfile.TemporaryDirectory() as work:
        os.environ["KADVISE_CACHE_DIR"] = os.path.join(work, "cache")
        for name, text in (("plain.cu", cuda_file()), ("torch.cu", torch_file())):
            with open(os.path.join(work, name), "w", encoding="utf-8") as out:
                out.write(text)
        tree(os.path.join(work, "five"), 5)
        tree(os.path.join(work, "many"), 175)
        lint = [program, "lint", "--exit-zero", "-q"]
        stub, fresh = ["--headers", "stub"], ["--no-cache"]
        cases = [("plain .cu, stub", 0.25, [*stub, *fresh, "plain.cu"]), ("torch .cu, stub", 0.4, [*stub, *fresh, "torch.cu"]),
                 ("5 files, stub", 1.5, [*stub, *fresh, "five"]), ("175 files, unchanged", 0.5, [*stub, "--cache-dir", "results", "many"])]
        if args.toolkit:
            toolkit = ["--headers", "toolkit", "--toolkit", os.path.abspath(args.toolkit)]
            cases += [("plain .cu, toolkit", 0.5, [*toolkit, *fresh, "plain.cu"]), ("5 files, toolkit", 1.5, [*toolkit, *fresh, "five"])]
            if args.torch:
                real = [*toolkit, "--torch", os.path.abspath(args.torch)]
                cases.append(("torch .cu, toolkit and torch", 1.0, [*real, *fresh, "torch.cu"]))
        os.chdir(work)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {args.runs} runs")
        print(f"{'':32s}{'first':>9s}{'median':>9s}{'fastest':>9s}{'wanted':>9s}{'MiB':>8s}")
        rows = []
        for name, wanted, arguments in cases:
            first, _ = once([*lint, *arguments])
            runs = [once([*lint, *arguments]) for _ in range(args.runs)]
            seconds = [s for s, _ in runs]
            rows.append({"case": name, "first": first, "median": statistics.median(seconds), "fastest": min(seconds), "wanted": wanted, "MiB": max(m for _, m in runs)})
            print(f"{name:32s}{first:8.2f}s{rows[-1]['median']:8.2f}s{rows[-1]['fastest']:8.2f}s{wanted:8.2f}s{rows[-1]['MiB']:8.0f}", flush=True)
        if args.json:
            with open(args.json, "w", encoding="utf-8") as out:
                json.dump(rows, out, indent=1)
        os.chdir("/")


if __name__ == "__main__":
    main()
