// The arithmetic of add + LayerNorm on one chunk of a row, for every schedule.
//
// Mean and variance in float, by three sums over the row: the mean; then, of the differences d from it, their
// mean and their squares. The mean of the differences would be 0 in exact arithmetic; it is the rounding
// error of the mean, and taking it off keeps rows whose mean is large against their deviation as exact as the
// inputs are. Sums of elements are weighted by 1 / length as they go, so that a row's sum cannot overflow
// where its mean does not.
#pragma once

#include "kernels/add_layer_norm/launch.h"
#include "kernels/common/reduce.cuh"
#include "kernels/common/vector.cuh"

namespace kadvise {

// The row's addresses in the four tensors.
template <class T>
struct RowPointers {
  const T* x;
  const T* residual;
  T* sum;
  T* normalized;
};

template <class T>
__device__ __forceinline__ RowPointers<T> rowPointers(const AddLayerNormArgs& a, std::int64_t row) {
  const RowIndex at = rowIndex(a.grid, row);
  return {static_cast<const T*>(a.x) + rowOffset(at, a.xStride),
          static_cast<const T*>(a.residual) + rowOffset(at, a.residualStride),
          static_cast<T*>(a.sum) + rowOffset(at, a.sumStride),
          static_cast<T*>(a.normalized) + row * a.length};
}

// Each chunk is summed by itself before it joins the row's sum: a chain of additions half as long loses fewer
// digits.

// First sum. Elements outside the row are zero in an edge chunk, and add nothing.
template <class T, int V>
__device__ __forceinline__ float addToMean(float mean, const Chunk<T, V>& sum, float share) {
  float v[V];
  unpack(sum, v);
  float part = v[0] * share;
#pragma unroll
  for (int j = 1; j < V; ++j) part = fmaf(v[j], share, part);
  return mean + part;
}

// Second and third sum: {mean of differences, squares of differences}. kEdges: the chunk may reach out of the
// row.
template <bool kEdges, class T, int V, class Index>
__device__ __forceinline__ float2 addToSpread(float2 spread, const Chunk<T, V>& sum, float mean, float share,
                                              Index first, Index length) {
  float v[V];
  unpack(sum, v);
  float2 part = {0.0f, 0.0f};
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const bool inside = !kEdges || (first + j >= 0 && first + j < length);
    const float d = inside ? v[j] - mean : 0.0f;
    part.x = fmaf(d, share, part.x);
    part.y = fmaf(d, d, part.y);
  }
  return plus(spread, part);
}

// What turns an element of the sum into a normalised one.
struct Normaliser {
  float mean, correction, scale;
  __device__ __forceinline__ float operator()(float v) const { return ((v - mean) - correction) * scale; }
};

// Squares that overflow make the scale 0, as in torch, also where the square of the correction overflows too.
__device__ __forceinline__ Normaliser normaliser(float mean, float2 spread, float share, float eps) {
  float variance = fmaf(spread.y, share, -spread.x * spread.x);
  if (isinf(spread.y)) variance = spread.y;
  if (variance < 0.0f) variance = 0.0f;  // not fmaxf, which would turn NaN into 0
  return {mean, spread.x, rsqrtf(variance + eps)};
}

// Weight and bias of the chunk at column `first`, by element: 1 and 0 where there is none.
template <class T, int V, class Index>
__device__ __forceinline__ void loadAffine(const AddLayerNormArgs& a, Index first, Index length,
                                           float (&weight)[V], float (&bias)[V]) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const bool inside = first + j >= 0 && first + j < length;
    weight[j] = inside && a.weight != nullptr ? toFloat(static_cast<const T*>(a.weight)[first + j]) : 1.0f;
    bias[j] = inside && a.bias != nullptr ? toFloat(static_cast<const T*>(a.bias)[first + j]) : 0.0f;
  }
}

template <class T, int V>
__device__ __forceinline__ Chunk<T, V> normalise(const Chunk<T, V>& sum, const Normaliser& toNormal,
                                                 const float (&weight)[V], const float (&bias)[V]) {
  float v[V];
  unpack(sum, v);
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] = fmaf(toNormal(v[j]), weight[j], bias[j]);
  return pack<T, V>(v);
}

// The same from whole chunks of weight and bias: 1 and 0 are exact, so that a missing one costs no branch.
template <class T, int V>
__device__ __forceinline__ Chunk<T, V> normalise(const Chunk<T, V>& sum, const Normaliser& toNormal,
                                                 const Chunk<T, V>& weight, const Chunk<T, V>& bias) {
  float w[V], b[V];
  unpack(weight, w);
  unpack(bias, b);
  return normalise(sum, toNormal, w, b);
}

}  // namespace kadvise
