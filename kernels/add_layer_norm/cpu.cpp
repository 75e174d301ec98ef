// The CPU reference of add + LayerNorm: the same sums as the CUDA kernels (row.cuh says why these).
#include "kernels/add_layer_norm/op.h"
#include "kernels/common/cpu_float.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace kadvise {
namespace {

// Sums are made of sums over blocks of a row: one long chain of additions in float loses digits.
constexpr std::int64_t kBlock = 256;

template <class T>
KADVISE_INLINE T* at(const void* data, std::int64_t offset) {
  return static_cast<T*>(const_cast<void*>(data)) + offset;
}

// x + residual, and its mean; before it is rounded to T, which is within what spreadOf corrects.
template <class T>
KADVISE_INLINE float addRow(const T* x, const T* residual, T* sum, std::int64_t length, float share) {
  float mean = 0.0f;
  for (std::int64_t begin = 0; begin < length; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, length);
    float part = 0.0f;
#pragma omp simd reduction(+ : part)
    for (std::int64_t i = begin; i < end; ++i) {
      const float v = widen(x[i]) + widen(residual[i]);
      sum[i] = narrow<T>(v);
      part += v * share;
    }
    mean += part;
  }
  return mean;
}

struct Spread {
  float correction, variance;
};

// The mean of the differences from the mean, which is its rounding error, and the variance around the mean so
// corrected.
template <class T>
KADVISE_INLINE Spread spreadOf(const T* sum, std::int64_t length, float mean, float share) {
  float correction = 0.0f, squares = 0.0f;
  for (std::int64_t begin = 0; begin < length; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, length);
    float differences = 0.0f, part = 0.0f;
#pragma omp simd reduction(+ : differences, part)
    for (std::int64_t i = begin; i < end; ++i) {
      const float d = widen(sum[i]) - mean;
      differences += d * share;
      part += d * d;
    }
    correction += differences;
    squares += part;
  }
  if (std::isinf(squares)) return {correction, squares};  // the scale is 0 then, as in torch
  const float variance = squares * share - correction * correction;
  return {correction, variance < 0.0f ? 0.0f : variance};
}

template <class T, bool kWeight, bool kBias>
KADVISE_INLINE void normaliseRow(const T* sum, const T* weight, const T* bias, T* normalized,
                                 std::int64_t length, float mean, float correction, float scale) {
#pragma omp simd
  for (std::int64_t i = 0; i < length; ++i) {
    float v = ((widen(sum[i]) - mean) - correction) * scale;
    if constexpr (kWeight) v *= widen(weight[i]);
    if constexpr (kBias) v += widen(bias[i]);
    normalized[i] = narrow<T>(v);
  }
}

template <class T, bool kWeight, bool kBias>
KADVISE_INLINE void rowsOf(const AddLayerNormArgs& a, std::int64_t begin, std::int64_t end) {
  const float share = 1.0f / static_cast<float>(a.length);
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t outer = row / a.grid.inner, inner = row % a.grid.inner;
    const auto offset = [&](const RowStride& s) { return outer * s.outer + inner * s.inner; };
    T* sum = at<T>(a.sum, offset(a.sumStride));
    const float mean = addRow(at<const T>(a.x, offset(a.xStride)),
                              at<const T>(a.residual, offset(a.residualStride)), sum, a.length, share);
    const Spread spread = spreadOf(sum, a.length, mean, share);
    normaliseRow<T, kWeight, kBias>(sum, at<const T>(a.weight, 0), at<const T>(a.bias, 0),
                                    at<T>(a.normalized, row * a.length), a.length, mean, spread.correction,
                                    1.0f / std::sqrt(spread.variance + a.eps));
  }
}

template <class T>
KADVISE_INLINE void rowsOf(const AddLayerNormArgs& a, std::int64_t begin, std::int64_t end) {
  if (a.weight != nullptr && a.bias != nullptr) return rowsOf<T, true, true>(a, begin, end);
  if (a.weight != nullptr) return rowsOf<T, true, false>(a, begin, end);
  if (a.bias != nullptr) return rowsOf<T, false, true>(a, begin, end);
  rowsOf<T, false, false>(a, begin, end);
}

KADVISE_CPU_CLONES void floatRows(const AddLayerNormArgs& a, std::int64_t begin, std::int64_t end) {
  rowsOf<float>(a, begin, end);
}
KADVISE_CPU_CLONES void bfloat16Rows(const AddLayerNormArgs& a, std::int64_t begin, std::int64_t end) {
  rowsOf<BFloat16Bits>(a, begin, end);
}

}  // namespace

void addLayerNormCpu(const AddLayerNormArgs& args) {
  constexpr std::int64_t kElementsPerTask = 32 * 1024;  // below this a thread costs more than it saves
  const std::int64_t rowsPerTask = std::max<std::int64_t>(1, kElementsPerTask / args.length);
  const auto rows = args.dtype == Dtype::Float ? &floatRows : &bfloat16Rows;
  at::parallel_for(0, args.grid.count, rowsPerTask,
                   [&](std::int64_t begin, std::int64_t end) { rows(args, begin, end); });
}

}  // namespace kadvise
