// What the two kernel libraries say to each other: plain C++, so that no torch header goes through nvcc.
#pragma once

#include <cstdint>

namespace kadvise {

// Raised whenever a struct or function of this border changes; libraries of different builds refuse each
// other.
constexpr int kCudaAbi = 6;

enum class Dtype : std::int32_t { Float = 0, Half = 1, BFloat16 = 2 };

constexpr int bytesOf(Dtype dtype) { return dtype == Dtype::Float ? 4 : 2; }

// Where the rows of one tensor begin, in elements. The last dimensions of every tensor are contiguous; the
// rows before them form a grid of (count / inner) x inner, which covers slices, transposed batches and
// broadcasting.
struct RowStride {
  std::int64_t outer, inner;
};

// Row r of a tensor with stride s begins at (r / inner) * s.outer + (r % inner) * s.inner.
struct RowGrid {
  std::int64_t count;  // rows in all
  std::int64_t inner;  // rows along the fast dimension; equals count when one stride is enough
};

}  // namespace kadvise

// Exported by libkadvise_kernels_cuda.so. Sentences are static or thread-local: read them before the next
// call.
extern "C" {
using KadviseCudaAbi = int();  // kadvise_cuda_abi: kCudaAbi of that library
using KadviseCudaProblem =
    const char*();  // kadvise_cuda_problem: null, or why no kernel can run on this machine
}
