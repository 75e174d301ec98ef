// Depthwise convolution of 16 bits on the tensor cores: bands.h says how. A warp has planes of its own.
//
// A zero of a band times an infinity is NaN, which no convolution has there: results that are not finite are
// computed again, tap by tap.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/depthwise_conv/band_forms.cuh"

namespace kadvise {

// What the lanes of a warp know about a plane.
struct BandPlane {
  char* staged;
  const std::uint32_t* words;  // of its weights
  float bias;
};

template <class T>
__device__ __forceinline__ float biasOf(const DepthwiseArgs& a, std::int64_t channel) {
  return a.bias == nullptr || channel >= a.channels ? 0.0f : toFloat(static_cast<const T*>(a.bias)[channel]);
}

template <int kPlanes>
__device__ __forceinline__ void loadBands(const DepthwiseArgs& a, const BandPlan& p,
                                          std::int64_t firstChannel, std::uint32_t* words) {
  const auto* const weight =
      static_cast<const std::uint16_t*>(a.weight) + firstChannel * a.kernelRows * a.kernelColumns;
  const std::int64_t channels = a.channels - firstChannel;
  const int rows = kPlanes * a.kernelRows;
  for (int k = static_cast<int>(threadIdx.x % 16) - 1; k <= p.memory.wordsOfRow - 2; k += 16) {
#pragma unroll 4
    for (int row = static_cast<int>(threadIdx.x / 16); row < rows; row += kPlanes * 2) {
      const bool isThere = row < channels * a.kernelRows;
      const std::uint16_t* const from = weight + row * a.kernelColumns;
      std::uint32_t word = 0;
      if (isThere && k >= 0 && k < a.kernelColumns) word = from[k];
      if (isThere && k + 1 < a.kernelColumns) word |= static_cast<std::uint32_t>(from[k + 1]) << 16;
      words[row * p.memory.wordsOfRow + k + 1] = word;
    }
  }
}

// A result: where its first tap lies in the image, and is staged.
struct BandResult {
  std::int64_t row, column;
  const char* staged;
};

// One result, tap by tap. kRow: bytes from a staged row to the next.
template <class T, int kRow>
__device__ __noinline__ float exactSum(const DepthwiseArgs& a, const BandPlan& p, const BandPlane& plane,
                                       const BandResult& of) {
  float sum = plane.bias;
  for (int ky = 0; ky < a.kernelRows; ++ky) {
    if (of.row + ky < 0 || of.row + ky >= a.rows) continue;
    for (int kx = 0; kx < a.kernelColumns; ++kx) {
      if (of.column + kx < 0 || of.column + kx >= a.columns) continue;
      const std::uint32_t weight = plane.words[ky * p.memory.wordsOfRow + kx + 1];
      sum += toFloat(*reinterpret_cast<const T*>(of.staged + ky * kRow + 2 * kx)) * splitWord<T>(weight).x;
    }
  }
  return sum;
}

// The plane of the result takes the place of that of x. `first`: of the plane's first result.
template <class T, class Form>
__device__ __forceinline__ void convolvePlane(const DepthwiseArgs& a, const BandPlan& p,
                                              const BandPlane& plane, const BandResult& first) {
  constexpr int kStride = Form::kStride, kTiles = Form::kTiles, kBand = Form::kBand, kRow = Form::kRow;
  constexpr int kParts = (kTiles - 1) * kStride + kBand;
  const int lane = static_cast<int>(threadIdx.x % 32), group = lane / 4, pair = lane % 4 * 2;
  int word[kBand];
#pragma unroll
  for (int d = 0; d < kBand; ++d) word[d] = bandWord(p, kBandColumns * d + pair - p.offset - kStride * group);

  float sum[kTiles][4];
#pragma unroll
  for (int j = 0; j < kTiles; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[j][e] = plane.bias;

  // Rows that the tile does not have are computed from its last.
  const int row = lane % 16 < p.memory.rows ? lane % 16 : p.memory.rows - 1;
  const char* from = plane.staged + row * kStride * kRow + lane / 16 * 16;
  const std::uint32_t* words = plane.words;
#pragma unroll 1
  for (int ky = 0; ky < a.kernelRows; ++ky, from += kRow, words += p.memory.wordsOfRow) {
    std::uint32_t band[kBand];
#pragma unroll
    for (int d = 0; d < kBand; ++d) band[d] = words[word[d]];
#pragma unroll
    for (int two = 0; two < kParts; two += 2) {
      std::uint32_t matrix[4];  // behind an odd number of parts the last is read again
      loadMatrices(two + 1 < kParts || lane < 16 ? from + two * 16 : from + two * 16 - 16, matrix);
#pragma unroll
      for (int part = two; part < two + 2 && part < kParts; ++part)
#pragma unroll
        for (int j = 0; j < kTiles; ++j) {
          const int d = part - j * kStride;
          if (d < 0 || d >= kBand) continue;
          const int of = (part - two) * 2;
          multiplyAdd<T>(matrix[of], matrix[of + 1], band[d], sum[j]);
        }
    }
  }

  float zero = 0.0f;
#pragma unroll
  for (int j = 0; j < kTiles; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) zero += sum[j][e] * 0.0f;
  if (__any_sync(0xffffffffu, zero != 0.0f)) {
#pragma unroll
    for (int j = 0; j < kTiles; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int down = group + e / 2 * 8, across = j * kBandColumns + pair + e % 2;
        if (down >= p.memory.rows) continue;
        sum[j][e] = exactSum<T, kRow>(
            a, p, plane,
            {first.row + down * Form::kRowStep, first.column + down * Form::kColumnStep + across * kStride,
             first.staged + down * kStride * kRow + 2 * across * kStride});
      }
  }

  float v[kTiles * 4];
#pragma unroll
  for (int i = 0; i < kTiles * 4; ++i) v[i] = sum[i / 4][i % 4];
  activate<T>(a.activation, v);
  __syncwarp();  // the others have read the plane, too
#pragma unroll
  for (int upper = 0; upper < 2; ++upper) {
    if (group + upper * 8 >= p.memory.rows) continue;
    char* const to = plane.staged + (group + upper * 8) * kRow + pair * 2;
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      *reinterpret_cast<std::uint32_t*>(to + j * 16) =
          joinWord<T>(v[j * 4 + upper * 2], v[j * 4 + upper * 2 + 1]);
    }
  }
}

// What a block does: some channels, one tile of theirs after another.
struct BandWork {
  std::int32_t group, firstTile;
};
__device__ __forceinline__ BandWork bandWork(const BandPlan& p) {
  const auto part = static_cast<std::int32_t>(p.groups.quotientOfSmall(blockIdx.x));
  return {static_cast<std::int32_t>(blockIdx.x) - part * static_cast<std::int32_t>(p.groups.divisor), part};
}

// What a tile needs first of x, in the image; it may lie outside of it.
__device__ __forceinline__ BandCorner cornerOf(const DepthwiseArgs& a, const BandPlan& p,
                                               const BandTile& at) {
  return {at.image, at.row * a.strideRows - a.padRows, at.column * a.strideColumns - a.padColumns - p.offset};
}
__device__ __forceinline__ BandResult firstResult(const BandPlan& p, const BandCorner& at,
                                                  const char* plane) {
  return {at.row, at.column + p.offset, plane + 2 * p.offset};
}

// Columns lie together: a warp has a channel, and copies its next tile while it computes one.
template <class T, class Form>
__global__ void __launch_bounds__(kBandPlanes<false> * 32, kBandBlocks<false>)
    depthwiseBandsOfColumns(const __grid_constant__ DepthwiseArgs a, const __grid_constant__ BandPlan p) {
  char* const memory = reinterpret_cast<char*>(dynamicShared());
  auto* const words = reinterpret_cast<std::uint32_t*>(memory + p.memory.wordsAt);
  const BandWork work = bandWork(p);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const std::int64_t firstChannel = std::int64_t{work.group} * kBandPlanes<false>,
                     channel = firstChannel + warp;
  char* plane = memory + 2 * warp * Form::planeBytes(p);
  char* next = plane + Form::planeBytes(p);
  const auto stage = [&](std::int32_t tile, char* to) {
    if (tile < p.tiles && channel < a.channels)
      Form::stage(a, p, cornerOf(a, p, bandTile(p, Form::kColumnsOfTile, tile)), channel, to);
    groupCopies();
  };
  stage(work.firstTile, plane);
  loadBands<kBandPlanes<false>>(a, p, firstChannel, words);
  __syncthreads();
  if (channel >= a.channels) return;

  const std::uint32_t* const ofPlane = words + warp * a.kernelRows * p.memory.wordsOfRow;
  const float bias = biasOf<T>(a, channel);
  for (std::int32_t tile = work.firstTile; tile < p.tiles; tile += p.step) {
    stage(tile + p.step, next);
    awaitGroups<1>();
    __syncwarp();
    const BandTile at = bandTile(p, Form::kColumnsOfTile, tile);
    convolvePlane<T, Form>(a, p, {plane, ofPlane, bias}, firstResult(p, cornerOf(a, p, at), plane));
    __syncwarp();
    Form::store(a, p, at, channel, plane);
    __syncwarp();
    char* const done = plane;
    plane = next;
    next = done;
  }
}

// Channels lie together: a block copies its next tile while it computes one.
template <class T, class Form>
__global__ void __launch_bounds__(kBandPlanes<true> * 32, kBandBlocks<true>)
    depthwiseBandsOfChannels(const __grid_constant__ DepthwiseArgs a, const __grid_constant__ BandPlan p) {
  constexpr int kParts = Form::kParts;
  char* const planes = reinterpret_cast<char*>(dynamicShared());
  auto* const words = reinterpret_cast<std::uint32_t*>(planes + p.memory.wordsAt);
  char* const pixels = planes + p.memory.pixelsAt;
  const BandWork work = bandWork(p);
  const std::int64_t firstChannel = std::int64_t{work.group} * kBandPlanes<true>;
  const int warp = static_cast<int>(threadIdx.x / 32);
  char* const plane = planes + warp / 8 * bandEight(kParts) + warp % 8 * kParts * 16;
  const std::uint32_t* const ofPlane = words + warp * a.kernelRows * p.memory.wordsOfRow;
  const float bias = biasOf<T>(a, firstChannel + warp);
  const auto copy = [&](std::int32_t tile) {
    if (tile >= p.tiles) return;
    copyPixels<kParts>(a, p, cornerOf(a, p, bandTile(p, Form::kColumnsOfTile, tile)), firstChannel, pixels);
  };
  copy(work.firstTile);
  loadBands<kBandPlanes<true>>(a, p, firstChannel, words);
  for (std::int32_t tile = work.firstTile; tile < p.tiles; tile += p.step) {
    awaitCopies();
    __syncthreads();  // and the planes of the tile before are stored
    planesOfPixels<kParts>(p, pixels, planes);
    __syncthreads();
    copy(tile + p.step);
    __syncwarp();  // matrices are the whole warp's
    const BandTile at = bandTile(p, Form::kColumnsOfTile, tile);
    convolvePlane<T, Form>(a, p, {plane, ofPlane, bias}, firstResult(p, cornerOf(a, p, at), plane));
    __syncthreads();
    storePixels<kParts, Form::kTiles>(a, p, at, firstChannel, planes);
  }
}

}  // namespace kadvise
