// The border between the torch side (product.cpp) and the CUDA side (cublaslt.cpp) of linear layers with an
// epilogue.
#pragma once

#include "kernels/common/abi.h"

#include <cstdint>

namespace kadvise {

enum class Epilogue : std::int32_t { None = 0, Relu = 1, GeluTanh = 2 };

// Whether sums of parts of a product may pass through memory, as the user's flags have it.
enum class SplitSums : std::int32_t { InAnyDtype = 0, InFloat = 1, Never = 2 };

// result[r][n] = epilogue(sum over k of x[r][k] * weight[n][k] + bias[n] + z[r][n]), all of one dtype, summed
// in float and rounded once. z goes without an epilogue only. Strides are in elements, between rows.
struct LinearArgs {
  const void* x;               // rows x in
  const void* weight;          // out x in; in x out where weightIsTransposed
  const void* bias;            // out, without gaps; null: there is none
  const void* z;               // rows x out; null: there is none
  void* result;                // rows x out, overlaps nothing
  std::int64_t rows, in, out;  // at least 1
  std::int64_t xStride, weightStride, zStride, resultStride;
  Dtype dtype;
  Epilogue epilogue;
  SplitSums splitSums;
  bool weightIsTransposed;
  bool inTf32;  // float is multiplied in TF32
};

// How the library of matrix products is going to compute it: valid for every call whose sizes, strides,
// dtype, flags and alignments are the same.
struct LinearPlan {
  std::uint64_t algorithm[8];
  std::int64_t workspaceBytes;
};

}  // namespace kadvise

extern "C" {
// Looks for the fastest algorithm by the library's own rules, once for each kind of call: it runs nothing on
// the GPU. Returns 1, or 0 where the library is not there or has none for such a call.
using KadviseCudaLinearPlan = int(const kadvise::LinearArgs*, kadvise::LinearPlan*);

// Enqueues on the stream (a cudaStream_t) of the current device: no synchronisation, no allocation, safe in
// capture. The workspace begins at a multiple of 256 bytes. Null, or a sentence saying what failed.
using KadviseCudaLinear = const char*(const kadvise::LinearArgs*, const kadvise::LinearPlan*, void* workspace,
                                      void* stream);
}
