// Planes of x into shared memory, and planes of the result out of it, where columns lie together: a warp
// moves those of its channel. A thread keeps its column and goes down the rows.
#pragma once

#include "kernels/common/matrix.cuh"
#include "kernels/common/shared.cuh"
#include "kernels/depthwise_conv/bands.h"

namespace kadvise {

// How the lanes of a warp share rows of some pieces.
template <int kPieces>
struct RowLanes {
  static constexpr int kAcross = kPieces < 32 ? kPieces : 32, kRows = 32 / kAcross;
  static __device__ __forceinline__ int piece() { return static_cast<int>(threadIdx.x % 32) % kAcross; }
  static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x % 32) / kAcross; }
  static __device__ __forceinline__ bool isIdle() { return row() >= kRows; }
};

template <int kBytes, int kParts>
__device__ __forceinline__ void stageRows(const DepthwiseArgs& a, const BandPlan& p, const BandCorner& at,
                                          std::int64_t channel, char* plane) {
  constexpr int kPieces = kParts * 16 / kBytes;
  using Lanes = RowLanes<kPieces>;
  if (Lanes::isIdle()) return;
  const auto* const x =
      static_cast<const char*>(a.x) + 2 * (at.image * a.channels + channel) * a.rows * a.columns;
  const auto rows = static_cast<std::int32_t>(a.rows), columns = static_cast<std::int32_t>(a.columns);
#pragma unroll
  for (int first = 0; first < kPieces; first += Lanes::kAcross) {
    const int piece = first + Lanes::piece();
    const std::int32_t column = at.column + piece * (kBytes / 2);
    const bool within = column >= 0 && column < columns;
    char* to = plane + Lanes::row() * bandRow(kParts) + piece * kBytes;
    std::int32_t y = at.row + Lanes::row();
    const char* from = x + 2 * (y * a.columns + column);
    if (first + Lanes::kAcross > kPieces && piece >= kPieces) continue;
#pragma unroll 4
    for (int row = Lanes::row(); row < p.memory.stagedRows; row += Lanes::kRows) {
      const bool isThere = within && y >= 0 && y < rows;
      copyBytesAsync<kBytes>(to, isThere ? from : x, isThere);
      to += Lanes::kRows * bandRow(kParts);
      from += 2 * Lanes::kRows * a.columns;
      y += Lanes::kRows;
    }
  }
}

template <int kParts>
__device__ __forceinline__ void stagePlane(const DepthwiseArgs& a, const BandPlan& p, const BandCorner& at,
                                           std::int64_t channel, char* plane) {
  withBytes(p.copyBytes, [&]<int kBytes>() { stageRows<kBytes, kParts>(a, p, at, channel, plane); });
}

template <int kBytes, int kTiles, int kRow>
__device__ __forceinline__ void storeRows(const DepthwiseArgs& a, const BandPlan& p, const BandTile& at,
                                          std::int64_t channel, const char* plane) {
  using Word = WordOf<kBytes>;
  constexpr int kPieces = kTiles * 16 / kBytes;
  using Lanes = RowLanes<kPieces>;
  if (Lanes::isIdle()) return;
  auto* const result =
      static_cast<char*>(a.result) + 2 * (at.image * a.channels + channel) * a.resultRows * a.resultColumns;
  const auto left = static_cast<std::int32_t>(a.resultRows) - at.row;
  const int rows = left < p.memory.rows ? left : p.memory.rows;
#pragma unroll
  for (int first = 0; first < kPieces; first += Lanes::kAcross) {
    const int piece = first + Lanes::piece();
    const std::int32_t column = at.column + piece * (kBytes / 2);
    if (column >= a.resultColumns || (first + Lanes::kAcross > kPieces && piece >= kPieces)) continue;
    const char* from = plane + Lanes::row() * kRow + piece * kBytes;
    char* to = result + 2 * ((at.row + Lanes::row()) * a.resultColumns + column);
#pragma unroll 4
    for (int row = Lanes::row(); row < rows; row += Lanes::kRows) {
      *reinterpret_cast<Word*>(to) = *reinterpret_cast<const Word*>(from);
      from += Lanes::kRows * kRow;
      to += 2 * Lanes::kRows * a.resultColumns;
    }
  }
}

template <int kTiles, int kRow>
__device__ __forceinline__ void storePlane(const DepthwiseArgs& a, const BandPlan& p, const BandTile& at,
                                           std::int64_t channel, const char* plane) {
  withBytes(p.storeBytes, [&]<int kBytes>() { storeRows<kBytes, kTiles, kRow>(a, p, at, channel, plane); });
}

}  // namespace kadvise
