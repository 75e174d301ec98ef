// Pixels of x into shared memory, planes out of them, and pixels of the result out of its planes, where
// channels lie together: a block moves all of its channels, eight at a time, and a warp of it has some of the
// rows.
#pragma once

#include "kernels/common/matrix.cuh"
#include "kernels/common/shared.cuh"
#include "kernels/depthwise_conv/bands.h"

namespace kadvise {

// Eight channels of a pixel, from the first of its row. Swapped so that the threads that read every other
// pixel meet all banks.
KADVISE_HOST_DEVICE int pixelOffset(int pixel, int eight) {
  const int of = pixel * kBandEights + eight;
  return (of ^ (of >> 3 & 1) * kBandEights) * 16;
}

// There behind awaitCopies().
template <int kParts>
__device__ __forceinline__ void copyPixels(const DepthwiseArgs& a, const BandPlan& p, const BandCorner& at,
                                           std::int64_t firstChannel, char* pixels) {
  constexpr int kAtOnce = 32 / kBandEights;
  const int lane = static_cast<int>(threadIdx.x % 32), eight = lane % kBandEights;
  const auto* const x = static_cast<const char*>(a.x) +
                        2 * (at.image * a.rows * a.columns * a.channels + firstChannel + eight * 8);
  const auto rows = static_cast<std::int32_t>(a.rows), columns = static_cast<std::int32_t>(a.columns);
  const bool hasChannels = firstChannel + eight * 8 < a.channels;
  for (int row = static_cast<int>(threadIdx.x / 32); row < p.memory.stagedRows; row += kBandPlanes<true>) {
    const std::int32_t y = at.row + row;
    const bool hasRow = hasChannels && y >= 0 && y < rows;
    std::int32_t column = at.column + lane / kBandEights;
    const char* from = x + 2 * (y * a.columns + column) * a.channels;
    char* to = pixels + row * pixelRow(kParts) + pixelOffset(lane / kBandEights, eight);
#pragma unroll
    for (int pixel = 0; pixel < kParts * kBandColumns; pixel += kAtOnce) {
      const bool isThere = hasRow && column >= 0 && column < columns;
      if (pixel + kAtOnce <= kParts * kBandColumns || pixel + lane / kBandEights < kParts * kBandColumns)
        copyBytesAsync<16>(to, isThere ? from : x, isThere);
      column += kAtOnce;
      from += 2 * kAtOnce * a.channels;
      to += kAtOnce * kBandEights * 16;
    }
  }
}

// The pixels, which are there, become planes: two neighbours at a time.
template <int kParts>
__device__ __forceinline__ void planesOfPixels(const BandPlan& p, const char* pixels, char* planes) {
  constexpr int kPairs = kParts * kBandColumns / 2, kAtOnce = 32 / kBandEights, kPlane = kParts * 16;
  const int lane = static_cast<int>(threadIdx.x % 32), eight = lane % kBandEights, first = lane / kBandEights;
  for (int row = static_cast<int>(threadIdx.x / 32); row < p.memory.stagedRows; row += kBandPlanes<true>) {
    const char* from = pixels + row * pixelRow(kParts);
    char* to = planes + row * bandRowOfAll(kParts) + eight * bandEight(kParts) + first * 4;
#pragma unroll
    for (int pair = 0; pair < kPairs; pair += kAtOnce) {
      if (pair + kAtOnce > kPairs && pair + first >= kPairs) break;
      const uint4 left = *reinterpret_cast<const uint4*>(from + pixelOffset(2 * first, eight)),
                  right = *reinterpret_cast<const uint4*>(from + pixelOffset(2 * first + 1, eight));
      const std::uint32_t l[4] = {left.x, left.y, left.z, left.w},
                          r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        *reinterpret_cast<std::uint32_t*>(to + 2 * w * kPlane) = lowerHalves(l[w], r[w]);
        *reinterpret_cast<std::uint32_t*>(to + (2 * w + 1) * kPlane) = upperHalves(l[w], r[w]);
      }
      from += 2 * kAtOnce * kBandEights * 16;
      to += kAtOnce * 4;
    }
  }
}

template <int kParts, int kTiles>
__device__ __forceinline__ void storePixels(const DepthwiseArgs& a, const BandPlan& p, const BandTile& at,
                                            std::int64_t firstChannel, const char* planes) {
  constexpr int kPairs = kTiles * kBandColumns / 2, kAtOnce = 32 / kBandEights, kPlane = kParts * 16;
  const int lane = static_cast<int>(threadIdx.x % 32), eight = lane % kBandEights, first = lane / kBandEights;
  if (firstChannel + eight * 8 >= a.channels) return;
  auto* const result =
      static_cast<char*>(a.result) +
      2 * (at.image * a.resultRows * a.resultColumns * a.channels + firstChannel + eight * 8);
  const auto left = static_cast<std::int32_t>(a.resultRows) - at.row,
             columns = static_cast<std::int32_t>(a.resultColumns);
  const int rows = left < p.memory.rows ? left : p.memory.rows;
  for (int row = static_cast<int>(threadIdx.x / 32); row < rows; row += kBandPlanes<true>) {
    const char* from = planes + row * bandRowOfAll(kParts) + eight * bandEight(kParts) + first * 4;
    std::int32_t column = at.column + 2 * first;
    char* to = result + 2 * ((at.row + row) * a.resultColumns + column) * a.channels;
#pragma unroll
    for (int pair = 0; pair < kPairs; pair += kAtOnce) {
      if (column >= columns || (pair + kAtOnce > kPairs && pair + first >= kPairs)) break;
      std::uint32_t l[4], r[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const auto even = *reinterpret_cast<const std::uint32_t*>(from + 2 * w * kPlane),
                   odd = *reinterpret_cast<const std::uint32_t*>(from + (2 * w + 1) * kPlane);
        l[w] = lowerHalves(even, odd);
        r[w] = upperHalves(even, odd);
      }
      *reinterpret_cast<uint4*>(to) = make_uint4(l[0], l[1], l[2], l[3]);
      if (column + 1 < columns)
        *reinterpret_cast<uint4*>(to + 2 * a.channels) = make_uint4(r[0], r[1], r[2], r[3]);
      from += kAtOnce * 4;
      column += 2 * kAtOnce;
      to += 4 * kAtOnce * a.channels;
    }
  }
}

}  // namespace kadvise
