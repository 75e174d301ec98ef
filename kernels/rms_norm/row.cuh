// The arithmetic of RMSNorm on one chunk of a row, for every schedule: squares are summed in float.
#pragma once

#include "kernels/common/reduce.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/rms_norm/launch.h"

namespace kadvise {

// The row's addresses. Without kAdd there is neither residual nor sum.
template <class T, bool kAdd>
struct RmsRow {
  const T* x;
  const T* residual;
  T* sum;
  T* normalized;

  __device__ __forceinline__ RmsRow(const RmsNormArgs& a, std::int64_t row) {
    const RowIndex at = rowIndex(a.grid, row);
    const std::int64_t result = rowOffset(at, a.resultStride);
    x = static_cast<const T*>(a.x) + rowOffset(at, a.xStride);
    normalized = static_cast<T*>(a.normalized) + result;
    residual = kAdd ? static_cast<const T*>(a.residual) + rowOffset(at, a.residualStride) : nullptr;
    sum = kAdd ? static_cast<T*>(a.sum) + result : nullptr;
  }
};

// Elements outside the row are zero in an edge chunk, and add nothing. A chunk is summed by itself before it
// joins the row's sum: a chain of additions half as long loses fewer digits.
template <class T, int V>
__device__ __forceinline__ float addSquares(float squares, const Chunk<T, V>& chunk) {
  float v[V];
  unpack(chunk, v);
  float part = v[0] * v[0];
#pragma unroll
  for (int j = 1; j < V; ++j) part = fmaf(v[j], v[j], part);
  return squares + part;
}

__device__ __forceinline__ float rmsScale(float squares, const RmsNormArgs& a) {
  return rsqrtf(squares / static_cast<float>(a.length) + a.eps);
}

// ---- weights, as floats: 1 is exact, so that a missing one costs no arithmetic of its own

template <class T>
__device__ __forceinline__ bool isWide(const RmsNormArgs& a) {
  return sizeof(T) < 4 && a.weightDtype == Dtype::Float;
}

// Of a whole chunk at column `first`, where x and weight are aligned.
template <class W, int V>
__device__ __forceinline__ void loadWeightAs(const void* weight, std::int64_t first, float (&w)[V]) {
  constexpr int kStep = V < kLanes<W> ? V : kLanes<W>;
#pragma unroll
  for (int j = 0; j < V; j += kStep) {
    float part[kStep];
    unpack(loadReused<W, kStep>(static_cast<const W*>(weight) + first + j), part);
#pragma unroll
    for (int i = 0; i < kStep; ++i) w[j + i] = part[i];
  }
}
template <class T, int V>
__device__ __forceinline__ void loadWeight(const RmsNormArgs& a, std::int64_t first, float (&w)[V]) {
  if (a.weight == nullptr) {
#pragma unroll
    for (int j = 0; j < V; ++j) w[j] = 1.0f;
  } else if (isWide<T>(a)) {
    loadWeightAs<float>(a.weight, first, w);
  } else {
    loadWeightAs<T>(a.weight, first, w);
  }
}

// Of a chunk that may reach out of the row, by element.
template <class T, int V, class Index>
__device__ __forceinline__ void loadEdgeWeight(const RmsNormArgs& a, Index first, Index length,
                                               float (&w)[V]) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const Index column = first + j;
    const bool inside = column >= 0 && column < length && a.weight != nullptr;
    w[j] = !inside        ? 1.0f
           : isWide<T>(a) ? static_cast<const float*>(a.weight)[column]
                          : toFloat(static_cast<const T*>(a.weight)[column]);
  }
}

// ---- the result

template <class T, int V>
__device__ __forceinline__ Chunk<T, V> scaled(const Chunk<T, V>& chunk, float scale, const float (&weight)[V],
                                              RmsRounding rounding) {
  float v[V];
  unpack(chunk, v);
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] *= scale;
  if (sizeof(T) < 4 && rounding == RmsRounding::BeforeWeight) unpack(pack<T, V>(v), v);
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] *= weight[j];
  return pack<T, V>(v);
}

}  // namespace kadvise
