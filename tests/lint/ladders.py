#!/usr/bin/env python3
"""Holds `kadvise lint` against kernels that their authors improved step by step: the rules must speak of the early
steps and be silent about the later ones.

  ladders.py KADVISE DIR…     DIR: copies of cuda-samples, llm.c, SGEMM_CUDA; what is not there is named and skipped

Prints one line a kernel; the exit code is 1 when a verdict is wrong.
"""
import json
import pathlib
import subprocess
import sys

COALESCING, BANKS = "cuda/uncoalesced-access", "cuda/bank-conflict"
RULES = (COALESCING, BANKS)

# File (the end of its path) -> kernel -> what must be said of it. What a table does not name may be anything.
NONE, FAR, BANK = frozenset(), frozenset({COALESCING}), frozenset({BANKS})
LADDERS = {
    "transpose/transpose.cu": {
        "copy": NONE, "copySharedMem": NONE, "transposeNaive": FAR, "transposeCoalesced": BANK, "transposeNoBankConflicts": NONE,
        "transposeDiagonal": NONE, "transposeFineGrained": NONE, "transposeCoarseGrained": NONE},
    "reduction/reduction_kernel.cu": {
        "reduce0": NONE, "reduce1": BANK, "reduce2": NONE, "reduce3": NONE, "reduce4": NONE, "reduce5": NONE, "reduce6": NONE,
        "reduce7": NONE, "cg_reduce": NONE},
    "dev/cuda/softmax_forward.cu": {
        "softmax_forward_kernel1": FAR, "softmax_forward_kernel2": NONE, "softmax_forward_kernel3": NONE, "softmax_forward_kernel4": NONE,
        "softmax_forward_online_kernel1": FAR, "softmax_forward_online_kernel2": NONE, "softmax_forward_kernel7": NONE,
        "softmax_forward_online_kernel8": NONE},
    "dev/cuda/layernorm_forward.cu": {
        "layernorm_forward_kernel1": FAR, "mean_kernel": NONE, "rstd_kernel": NONE, "normalization_kernel": NONE,
        "layernorm_forward_kernel3": NONE, "layernorm_forward_kernel4": NONE, "layernorm_forward_kernel5": NONE, "layernorm_forward_kernel6": NONE},
    "dev/cuda/layernorm_backward.cu": {
        "layernorm_backward_kernel1": FAR, "layernorm_backward_kernel2": NONE, "layernorm_backward_kernel3": NONE, "layernorm_backward_kernel4": NONE,
        "layernorm_backward_kernel5": NONE, "layernorm_backward_kernel6": NONE},
    "dev/cuda/attention_forward.cu": {
        "attention_query_key_kernel1": FAR, "attention_softmax_kernel1": FAR, "softmax_forward_kernel4": NONE, "softmax_forward_kernel5": NONE,
        "scale_kernel": NONE},
    "dev/cuda/encoder_forward.cu": {"encoder_forward_kernel1": FAR, "encoder_forward_kernel2": NONE, "encoder_forward_kernel3": NONE},
    "dev/cuda/fused_residual_forward.cu": {
        "residual_forward_kernel1": NONE, "layernorm_forward_kernel1": FAR, "fused_residual_forward2": FAR, "fused_residual_forward3": NONE,
        "fused_residual_forward_kernel4": NONE, "fused_residual_forward_kernel5": NONE, "fused_residual_forward_kernel6": NONE},
    "dev/cuda/matmul_forward.cu": {"matmul_forward_kernel1": FAR, "add_bias": NONE},
    "dev/cuda/matmul_backward_bias.cu": {
        "matmul_backward_bias_kernel1": FAR, "matmul_backward_bias_kernel3": FAR,
        "matmul_backward_bias_kernel4": NONE, "matmul_backward_bias_kernel5": NONE},
    "dev/cuda/gelu_forward.cu": {"gelu_forward_kernel1": NONE, "gelu_forward_kernel2": NONE},
    "dev/cuda/residual_forward.cu": {"residual_forward_kernel1": NONE, "residual_forward_kernel2": NONE},
    "dev/cuda/adamw.cu": {"adamw_kernel1": NONE, "adamw_kernel2": NONE},
    "dev/cuda/crossentropy_forward.cu": {"crossentropy_forward_kernel1": NONE},
    "kernels/1_naive.cuh": {"sgemm_naive": FAR},
    "kernels/2_kernel_global_mem_coalesce.cuh": {"sgemm_global_mem_coalesce": NONE},
    "kernels/3_kernel_shared_mem_blocking.cuh": {"sgemm_shared_mem_block": NONE},
    "kernels/4_kernel_1D_blocktiling.cuh": {"sgemm1DBlocktiling": NONE},
}


def files_of(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            ending = next((e for e in LADDERS if path.as_posix().endswith("/" + e)), None)
            if ending:
                yield ending, path


def said_of(program, path):
    command = [program, "lint", "--exit-zero", "--output-format", "json", "--headers", "stub", "--select", ",".join(RULES), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    out = {}
    for finding in json.loads(done.stdout)["files"][0]["findings"]:
        out.setdefault(finding["where"].get("scope", "").split("::")[-1], set()).add(finding["rule"])
    return out


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    wrong, seen = 0, set()
    for ending, path in files_of(sys.argv[2:]):
        seen.add(ending)
        said = said_of(sys.argv[1], path)
        for kernel, wanted in LADDERS[ending].items():
            got = said.get(kernel, set())
            wrong += got != wanted
            names = ", ".join(sorted(r.split("/")[1] for r in got)) or "-"
            print(f"{'ok   ' if got == wanted else 'WRONG'} {ending:45} {kernel:40} {names}")
    for ending in sorted(LADDERS.keys() - seen):
        print(f"skipped: {ending} is in none of the folders")
    print(f"{wrong} wrong" if wrong else "all as they should be")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
