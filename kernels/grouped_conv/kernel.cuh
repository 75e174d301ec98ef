// Grouped convolution on tensor cores: plan.h says how it is cut.
//
// A zero between groups times an infinity is NaN, which no convolution has there: results that are not finite
// are computed again, tap by tap.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/grouped_conv/product.cuh"

namespace kadvise {

template <class T>
__device__ __noinline__ float groupedResult(const GroupedConvArgs& a, std::int64_t image, std::int64_t row,
                                            std::int64_t column, std::int64_t result) {
  const std::int64_t inputs = a.channels / a.groups, first = result / (a.results / a.groups) * inputs;
  const T* weight = static_cast<const T*>(a.weight) + result * tapsOf(a) * inputs;
  float sum = 0.0f;
  for (std::int32_t r = 0; r < a.kernelRows; ++r) {
    for (std::int32_t c = 0; c < a.kernelColumns; ++c, weight += inputs) {
      const std::int64_t y = row * a.strideRows - a.padRows + r * a.dilationRows;
      const std::int64_t x = column * a.strideColumns - a.padColumns + c * a.dilationColumns;
      if (y < 0 || y >= a.rows || x < 0 || x >= a.columns) continue;
      const T* const pixel =
          static_cast<const T*>(a.x) + image * a.steps.image + y * a.steps.row + x * a.steps.column + first;
      for (std::int64_t i = 0; i < inputs; ++i) sum = fmaf(toFloat(pixel[i]), toFloat(weight[i]), sum);
    }
  }
  return sum;
}

// Two neighbouring results, or of an odd number the last one alone.
template <class T>
__device__ __forceinline__ void stagePair(char* to, float first, float second, bool areEven, bool isLast) {
  if constexpr (sizeof(T) == 2) {
    if (areEven) {
      *reinterpret_cast<std::uint32_t*>(to) = joinWord<T>(first, second);
      return;
    }
  }
  T* const results = reinterpret_cast<T*>(to);
  results[0] = fromFloat<T>(first);
  if (!isLast) results[1] = fromFloat<T>(second);
}

// A lane's part of some tiles: of pixels eight apart, two results of each tile.
struct GroupedResults {
  std::int32_t pixel, inUnit, firstResult;  // in the rectangle, the unit and the block
};

// The lane's results again, without products that the convolution has not.
template <class T>
__device__ __noinline__ void stageByTaps(const GroupedConvArgs& a, const GroupedPlan& p,
                                         const GroupedPlace& at, const GroupedResults& r, std::int32_t pixels,
                                         std::int32_t tiles, char* staged) {
  for (std::int32_t n = r.pixel; n < r.pixel + pixels * 8; n += 8) {
    const std::int64_t row = at.row + n / p.columns, column = at.column + n % p.columns;
    if (n >= p.rows * p.columns || row >= a.resultRows || column >= a.resultColumns) continue;
    for (std::int32_t j = 0; j < tiles * 2; ++j) {
      const std::int32_t inTile = j / 2 * kGroupedTile + j % 2, result = r.firstResult + inTile;
      if (r.inUnit + inTile >= p.unitResults || result >= resultsHere(a, p, at)) continue;
      const std::int64_t of = at.firstResult(p) + result;
      const float added = a.bias == nullptr ? 0.0f : toFloat(static_cast<const T*>(a.bias)[of]);
      float v[1] = {groupedResult<T>(a, at.image, row, column, of) + added};
      activate<T>(a.activation, v);
      reinterpret_cast<T*>(staged + n * p.resultPitch)[result] = fromFloat<T>(v[0]);
    }
  }
}

// A warp's results of a rectangle: some pixels, and of those some tiles after others.
template <class T, int kTaps, int kPixels, int kTiles>
__device__ __forceinline__ void multiplyPixels(const GroupedConvArgs& a, const GroupedPlan& p,
                                               const GroupedPlace& at, const char* weights, const float* bias,
                                               const char* image, char* staged) {
  const std::int32_t lane = static_cast<std::int32_t>(threadIdx.x) % 32;
  const std::int32_t warp = static_cast<std::int32_t>(threadIdx.x) / 32;
  const auto firstItem =
      static_cast<std::int32_t>(p.byPixelGroups.quotient(static_cast<std::uint32_t>(warp)));
  const std::int32_t firstPixel = (warp - firstItem * p.pixelGroups) * kPixels * kGroupedPixels;
  const auto place = [&](std::int32_t i) {
    const std::int32_t n = i < p.rows * p.columns ? i : 0;  // the others are multiplied in vain
    const auto row = static_cast<std::int32_t>(p.byColumns.quotient(static_cast<std::uint32_t>(n)));
    return (row * (a.strideRows * p.phase * a.strideColumns - p.columns) + n) * p.pixelPitch;
  };
  GroupedPixels<kPixels> pixels;
#pragma unroll
  for (int i = 0; i < kPixels; ++i)
    pixels.one[i] = place(firstPixel + i * kGroupedPixels + lane % 16) + lane / 16 * kGroupedChunk;
#pragma unroll
  for (int i = 0; i < kPixels / 2; ++i)
    pixels.pair[i] = place(firstPixel + (2 * i + lane / 16) * kGroupedPixels + lane % 16);

  const std::int32_t steps = p.blockTiles / kTiles, items = p.units * steps;
  const auto itemStep =
      static_cast<std::int32_t>(p.byPixelGroups.quotient(static_cast<std::uint32_t>(p.warps)));
  const bool areEven = p.unitResults % 2 == 0;
  for (std::int32_t item = firstItem; item < items; item += itemStep) {
    const auto unit = static_cast<std::int32_t>(p.bySteps.quotient(static_cast<std::uint32_t>(item)));
    const std::int32_t tile = (item - unit * steps) * kTiles,
                       row = (unit * p.blockTiles + tile) * kGroupedTile;
    float sums[kPixels][kTiles][4] = {};
    GroupedProduct<T, kTaps, kPixels, kTiles>{a,
                                              p,
                                              weights + (row + lane / 4) * p.weightPitch + lane % 4 * 4,
                                              image + unit * p.chunks * kGroupedChunk,
                                              pixels,
                                              sums}
        .run();
    const GroupedResults results{firstPixel + lane / 4, tile * kGroupedTile + lane % 4 * 2,
                                 unit * p.unitResults + tile * kGroupedTile + lane % 4 * 2};
    const float* const added = bias + row + lane % 4 * 2;
    bool areFinite = true;
#pragma unroll
    for (int n = 0; n < kPixels * kTiles * 4; ++n) {
      float& sum = sums[n / (kTiles * 4)][n / 4 % kTiles][n % 4];
      areFinite = areFinite && fabsf(sum) < INFINITY;
      sum += added[n / 4 % kTiles * kGroupedTile + n % 2];
    }
    withActivation<T>(a.activation, [&](auto act) {
#pragma unroll
      for (int n = 0; n < kPixels * kTiles * 4; ++n) {
        float& sum = sums[n / (kTiles * 4)][n / 4 % kTiles][n % 4];
        sum = act(sum);
      }
    });
    char* const to =
        staged + results.pixel * p.resultPitch + results.firstResult * static_cast<std::int32_t>(sizeof(T));
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      const std::int32_t left = p.unitResults - results.inUnit - j * kGroupedTile;
      if (left <= 0) continue;
#pragma unroll
      for (int i = 0; i < kPixels * 2; ++i)
        stagePair<T>(to + i * 8 * p.resultPitch + j * kGroupedTile * static_cast<std::int32_t>(sizeof(T)),
                     sums[i / 2][j][i % 2 * 2], sums[i / 2][j][i % 2 * 2 + 1], areEven, left == 1);
    }
    if (!areFinite) stageByTaps<T>(a, p, at, results, kPixels * 2, kTiles, staged);
  }
}

template <class T, int kTaps, int kPixels, int kTiles>
__global__ void __launch_bounds__(kGroupedWarps * 32, kGroupedBlocks)
    groupedConv(const __grid_constant__ GroupedConvArgs a, const __grid_constant__ GroupedPlan p) {
  char* const weights = reinterpret_cast<char*>(dynamicShared());
  float* const bias = reinterpret_cast<float*>(weights + p.weightsShared);
  char* const image = weights + p.weightsShared + p.biasShared;
  char* const results = image + p.imageShared;
  const std::uint32_t first = p.bySlices.quotient(blockIdx.x), slice = blockIdx.x - first * p.slices;
  const std::uint32_t step = p.bySlices.quotient(gridDim.x);
  // Weights of no result give sums that nobody stores, but none that are to be computed again.
  if (p.hasGaps != 0 ||
      resultsHere(a, p, groupedPlace(p, first, slice)) < p.units * p.blockTiles * kGroupedTile) {
    clearShared(weights, p.weightsShared);
    if (p.inputs % kLanes<T> != 0) clearShared(image, p.imageShared);
    __syncthreads();
  }
  for (std::uint32_t rectangle = first; rectangle < static_cast<std::uint32_t>(p.rectangles);
       rectangle += step) {
    const GroupedPlace at = groupedPlace(p, rectangle, slice);
    stageImage<T>(a, p, at, image);
    if (rectangle == first) {
      stageWeights<T>(a, p, at, weights);
      stageBias<T>(a, p, at, bias);
    }
    awaitCopies();
    __syncthreads();
    multiplyPixels<T, kTaps, kPixels, kTiles>(a, p, at, weights, bias, image, results);
    __syncthreads();
    storeResults<T>(a, p, at, results);
  }
}

// The kernel of a plan: calls work with the taps (0 for a number of its own), the pixels and the tiles of a
// warp as its template parameters.
template <int kTaps, int kPixels, class Work>
auto withGroupedTiles(const GroupedPlan& p, Work work) {
  switch (p.warpTiles) {
    case 1:
      return work.template operator()<kTaps, kPixels, 1>();
    case 2:
      return work.template operator()<kTaps, kPixels, 2>();
    case 3:
      return work.template operator()<kTaps, kPixels, 3>();
    default:
      return work.template operator()<kTaps, kPixels, 4>();
  }
}
template <int kTaps, class Work>
auto withGroupedPixels(const GroupedPlan& p, Work work) {
  return p.warpPixels == 2 ? withGroupedTiles<kTaps, 2>(p, work) : withGroupedTiles<kTaps, 4>(p, work);
}
template <class Work>
auto withGroupedForm(const GroupedConvArgs& a, const GroupedPlan& p, Work work) {
  if (a.kernelRows == 3 && a.kernelColumns == 3) return withGroupedPixels<9>(p, work);
  if (a.kernelRows == 1 && a.kernelColumns == 1) return withGroupedPixels<1>(p, work);
  return withGroupedPixels<0>(p, work);
}

}  // namespace kadvise
