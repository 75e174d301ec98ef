// What a warp of a grouped convolution multiplies.
#pragma once

#include "kernels/grouped_conv/staging.cuh"

namespace kadvise {

// Elements as a product takes them.
template <class T>
__device__ __forceinline__ std::uint32_t asFactor(std::uint32_t word) {
  if constexpr (std::is_same_v<T, float>) return roundedToTf32(word);
  return word;
}
template <class T, int N>
__device__ __forceinline__ void makeFactors(std::uint32_t (&words)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) words[i] = asFactor<T>(words[i]);
}

__device__ __forceinline__ std::int32_t tapColumn(const GroupedConvArgs& a, const GroupedPlan& p,
                                                  std::int32_t column) {
  if (column < kGroupedTapColumns) return p.tapColumn[column];
  const std::int32_t across = column * a.dilationColumns;
  const auto step = static_cast<std::int32_t>(p.byStride.quotient(static_cast<std::uint32_t>(across)));
  return ((across - step * a.strideColumns) * p.phase + step) * p.pixelPitch;
}

// Bytes from the first staged pixel to what a lane loads for a product of two chunks, and of one.
template <int kPixels>
struct GroupedPixels {
  std::int32_t one[kPixels];       // of sixteen pixels: row lane % 16, chunk lane / 16
  std::int32_t pair[kPixels / 2];  // of twice sixteen: row lane % 16 of number lane / 16
};

// Some pixels, and some tiles of a unit.
template <class T, int kTaps, int kPixels, int kTiles>
struct GroupedProduct {
  static_assert(kPixels % 2 == 0);

  const GroupedConvArgs& a;
  const GroupedPlan& p;
  const char* weights;  // of the first tile and the lane
  const char* image;    // of the unit
  const GroupedPixels<kPixels>& pixels;
  float (&sums)[kPixels][kTiles][4];

  __device__ __forceinline__ std::uint32_t weight(std::int32_t tile, std::int32_t tap,
                                                  std::int32_t chunk) const {
    return asFactor<T>(*reinterpret_cast<const std::uint32_t*>(weights + tile * kGroupedTile * p.weightPitch +
                                                               (tap * p.chunks + chunk) * kGroupedChunk));
  }

  __device__ __forceinline__ void addTwoChunks(std::int32_t tap, std::int32_t offset, std::int32_t chunk) {
    std::uint32_t b[kTiles][2];
#pragma unroll
    for (int j = 0; j < kTiles; ++j) b[j][0] = weight(j, tap, chunk), b[j][1] = weight(j, tap, chunk + 1);
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      std::uint32_t x[4];
      loadMatrices(image, pixels.one[i] + offset + chunk * kGroupedChunk, x);
      makeFactors<T>(x);
#pragma unroll
      for (int j = 0; j < kTiles; ++j) multiplyAddTwo<T>(x, b[j], sums[i][j]);
    }
  }

  __device__ __forceinline__ void addChunk(std::int32_t tap, std::int32_t offset, std::int32_t chunk) {
    std::uint32_t b[kTiles];
#pragma unroll
    for (int j = 0; j < kTiles; ++j) b[j] = weight(j, tap, chunk);
#pragma unroll
    for (int i = 0; i < kPixels; i += 2) {
      std::uint32_t x[4];
      loadMatrices(image, pixels.pair[i / 2] + offset + chunk * kGroupedChunk, x);
      makeFactors<T>(x);
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        multiplyAdd<T>(x[0], x[1], b[j], sums[i][j]);
        multiplyAdd<T>(x[2], x[3], b[j], sums[i + 1][j]);
      }
    }
  }

  template <class Add>
  __device__ __forceinline__ void forTaps(Add add) {
    if constexpr (kTaps == 9) {
#pragma unroll
      for (int tap = 0; tap < kTaps; ++tap) add(tap, tap / 3 * p.tapRow + p.tapColumn[tap % 3]);
    } else if constexpr (kTaps == 1) {
      add(0, 0);
    } else {
      for (std::int32_t row = 0, tap = 0; row < a.kernelRows; ++row)
        for (std::int32_t column = 0; column < a.kernelColumns; ++column, ++tap)
          add(tap, row * p.tapRow + tapColumn(a, p, column));
    }
  }

  __device__ __forceinline__ void run() {
    std::int32_t chunk = 0;
    for (; chunk + 1 < p.chunks; chunk += 2)
      forTaps([&](std::int32_t tap, std::int32_t offset) { addTwoChunks(tap, offset, chunk); });
    if (chunk < p.chunks)
      forTaps([&](std::int32_t tap, std::int32_t offset) { addChunk(tap, offset, chunk); });
  }
};

}  // namespace kadvise
