// The kernels of bands there are: what of x and of the result a warp has at a time, where it is staged, and
// how it comes there.
#pragma once

#include "kernels/depthwise_conv/pixels.cuh"
#include "kernels/depthwise_conv/planes.cuh"
#include "kernels/depthwise_conv/runs.cuh"

namespace kadvise {

// Columns lie together: images.
template <int kStride_, int kTiles_>
struct ImageBands {
  static constexpr int kStride = kStride_, kTiles = kTiles_;
  static constexpr int kBand = bandParts(kStride, false), kParts = stagedParts(kTiles, kStride, false);
  static constexpr int kRow = bandRow(kParts);                  // bytes from a staged row to the next
  static constexpr int kRowStep = kStride, kColumnStep = 0;     // of x, from a row of the result to the next
  static constexpr int kColumnsOfTile = kTiles * kBandColumns;  // of the result

  static __device__ __forceinline__ int planeBytes(const BandPlan& p) { return p.memory.stagedRows * kRow; }
  static __device__ __forceinline__ void stage(const DepthwiseArgs& a, const BandPlan& p,
                                               const BandCorner& at, std::int64_t channel, char* plane) {
    stagePlane<kParts>(a, p, at, channel, plane);
  }
  static __device__ __forceinline__ void store(const DepthwiseArgs& a, const BandPlan& p, const BandTile& at,
                                               std::int64_t channel, const char* plane) {
    storePlane<kTiles, kRow>(a, p, at, channel, plane);
  }
};

// And signals.
template <int kTiles_, int kBand_>
struct SignalBands {
  static constexpr int kStride = 1, kTiles = kTiles_, kBand = kBand_;
  static constexpr int kRow = kTiles * 16;
  static constexpr int kRowStep = 0, kColumnStep = kTiles * kBandColumns;
  static constexpr int kColumnsOfTile = kBandRows * kColumnStep;

  static __device__ __forceinline__ int planeBytes(const BandPlan&) { return runBytes(kTiles, kBand); }
  static __device__ __forceinline__ void stage(const DepthwiseArgs& a, const BandPlan& p,
                                               const BandCorner& at, std::int64_t channel, char* plane) {
    stageRun<runBytes(kTiles, kBand)>(a, p, at, channel, plane);
  }
  static __device__ __forceinline__ void store(const DepthwiseArgs& a, const BandPlan& p, const BandTile& at,
                                               std::int64_t channel, const char* plane) {
    storeRun<kBandRows * kRow>(a, p, at, channel, plane);
  }
};

// Channels lie together: images, of stride 1.
template <int kTiles_>
struct PixelBands {
  static constexpr int kStride = 1, kTiles = kTiles_;
  static constexpr int kBand = bandParts(1, true), kParts = stagedParts(kTiles, 1, true);
  static constexpr int kRow = bandRowOfAll(kParts);
  static constexpr int kRowStep = 1, kColumnStep = 0;
  static constexpr int kColumnsOfTile = kTiles * kBandColumns;
};

// Calls `with` for the form that bandTiles() chose, and returns what it returns. With: a function object of
// two template parameters, the form and whether channels lie together.
template <class With>
auto withBands(const DepthwiseArgs& a, int tiles, With with) {
  const auto signal = [&]<int kBand>() {
    if (tiles == 7) return with.template operator()<SignalBands<7, kBand>, false>();
    return tiles == 3 ? with.template operator()<SignalBands<3, kBand>, false>()
                      : with.template operator()<SignalBands<1, kBand>, false>();
  };
  if (isSignalOfColumns(a)) {
    return signalParts(a.kernelColumns) == 3 ? signal.template operator()<3>()
                                             : signal.template operator()<6>();
  }
  if (a.channelsLast) {
    if (tiles == 7) return with.template operator()<PixelBands<7>, true>();
    return tiles == 4 ? with.template operator()<PixelBands<4>, true>()
                      : with.template operator()<PixelBands<2>, true>();
  }
  if (a.strideColumns == 2) {
    return tiles == 4 ? with.template operator()<ImageBands<2, 4>, false>()
                      : with.template operator()<ImageBands<2, 2>, false>();
  }
  if (tiles == 7) return with.template operator()<ImageBands<1, 7>, false>();
  return tiles == 4 ? with.template operator()<ImageBands<1, 4>, false>()
                    : with.template operator()<ImageBands<1, 2>, false>();
}

}  // namespace kadvise
