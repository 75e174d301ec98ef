// A run of a signal into shared memory, and a run of the result out of it: a warp moves those of its channel.
#pragma once

#include "kernels/common/matrix.cuh"
#include "kernels/common/shared.cuh"
#include "kernels/depthwise_conv/bands.h"

namespace kadvise {

template <int kAll, int kBytes>
__device__ __forceinline__ void stagePieces(const DepthwiseArgs& a, const BandCorner& at,
                                            std::int64_t channel, char* to) {
  const auto* const x = static_cast<const char*>(a.x) + 2 * (at.image * a.channels + channel) * a.columns;
  const auto columns = static_cast<std::int32_t>(a.columns);
#pragma unroll 4
  for (int byte = static_cast<int>(threadIdx.x % 32) * kBytes; byte < kAll; byte += 32 * kBytes) {
    const std::int32_t column = at.column + byte / 2;
    const bool isThere = column >= 0 && column < columns;
    copyBytesAsync<kBytes>(to + byte, isThere ? x + 2 * std::int64_t{column} : x, isThere);
  }
}

template <int kAll>
__device__ __forceinline__ void stageRun(const DepthwiseArgs& a, const BandPlan& p, const BandCorner& at,
                                         std::int64_t channel, char* to) {
  withBytes(p.copyBytes, [&]<int kBytes>() { stagePieces<kAll, kBytes>(a, at, channel, to); });
}

template <int kAll, int kBytes>
__device__ __forceinline__ void storePieces(const DepthwiseArgs& a, const BandTile& at, std::int64_t channel,
                                            const char* from) {
  using Word = WordOf<kBytes>;
  auto* const result =
      static_cast<char*>(a.result) + 2 * ((at.image * a.channels + channel) * a.resultColumns + at.column);
  const std::int64_t left = 2 * (a.resultColumns - at.column);
#pragma unroll 4
  for (int byte = static_cast<int>(threadIdx.x % 32) * kBytes; byte < kAll && byte < left;
       byte += 32 * kBytes)
    *reinterpret_cast<Word*>(result + byte) = *reinterpret_cast<const Word*>(from + byte);
}

template <int kAll>
__device__ __forceinline__ void storeRun(const DepthwiseArgs& a, const BandPlan& p, const BandTile& at,
                                         std::int64_t channel, const char* from) {
  withBytes(p.storeBytes, [&]<int kBytes>() { storePieces<kAll, kBytes>(a, at, channel, from); });
}

}  // namespace kadvise
