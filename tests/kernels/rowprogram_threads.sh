#!/bin/bash
# The runtime of row programs, whose state threads share, under the thread sanitizer: with a made-up GPU.
# By hand, after a release build; a minute.
#
#     tests/kernels/rowprogram_threads.sh [build/release]
set -e
cd "$(dirname "$0")/../.."
build=${1:-build/release}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

value() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
torch=$(value KADVISE_TORCH_DIR); cuda=$(value KADVISE_CUDA_ROOT); compiler=$(value CMAKE_CXX_COMPILER)
flags=(-std=c++20 -O1 -g -fsanitize=thread -fclang-abi-compat=17 -Wno-everything -I. -isystem "$torch/include"
       -isystem "$torch/include/torch/csrc/api/include" -isystem "$cuda/include")
sources=(kernels/common/{file_cache,own_files}.cpp kernels/rowprogram/{gpu_of_device,inspection,launch_plan,make_plan,program_cache,run,source_call,tuned_choices}.cpp
         tests/kernels/rowprogram/{made_up_gpu,run_threads_test,run_test}.cpp)
for source in "${sources[@]}"; do
  echo "$compiler ${flags[*]} -c $source -o $work/${source//\//_}.o"
done | xargs -P "$(nproc)" -d '\n' -I{} sh -c '{}'
"$compiler" -fsanitize=thread "$work"/*.o "$build/lib/libkadvise_rowprogram.a" -lgtest -o "$work/test" \
  -L"$torch/lib" -ltorch -ltorch_cpu -lc10 -Wl,-rpath,"$torch/lib" -Wl,--allow-shlib-undefined
"$work/test"
