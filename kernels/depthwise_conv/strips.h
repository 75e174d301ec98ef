// A depthwise convolution of any kernel, stride and dilation, all of which are known only when it runs: a
// thread has a strip of four results, along the kernel's longer side, and reads what they need of x.
//
// No CUDA here: Memory moves elements, so that tests run this on the CPU.
#pragma once

#include "kernels/depthwise_conv/tiles.h"

namespace kadvise {

constexpr int kStripResults = 4;
constexpr std::int64_t kStripTaps = 1024;        // of the largest kernel
constexpr std::int64_t kStripShared = 32 << 10;  // bytes of a block's kernels
constexpr std::int64_t kStripBlocksOfSm = 12;    // that are started; each goes on to further tiles

// One of the two directions of an image.
struct DepthwiseSide {
  std::int32_t length, results, kernel, stride, pad, dilation;
  std::int64_t step;  // of x
};
KADVISE_HOST_DEVICE DepthwiseSide sideOfRows(const DepthwiseArgs& a) {
  return {static_cast<std::int32_t>(a.rows),
          static_cast<std::int32_t>(a.resultRows),
          a.kernelRows,
          a.strideRows,
          a.padRows,
          a.dilationRows,
          a.steps.row};
}
KADVISE_HOST_DEVICE DepthwiseSide sideOfColumns(const DepthwiseArgs& a) {
  return {static_cast<std::int32_t>(a.columns),
          static_cast<std::int32_t>(a.resultColumns),
          a.kernelColumns,
          a.strideColumns,
          a.padColumns,
          a.dilationColumns,
          a.steps.column};
}

KADVISE_HOST_DEVICE DepthwiseSide sideAlong(const DepthwiseArgs& a, bool downRows) {
  return downRows ? sideOfRows(a) : sideOfColumns(a);
}

// A place is a strip of one line; a block has `places` of them for each of its `lanes`, and every step-th
// tile of as many.
struct DepthwiseStrips {
  bool downRows;               // strips go down a column, else along a row
  std::int32_t threads;        // of a block, in whole warps
  std::int32_t lanes, places;  // of a block
  std::int32_t channelsOfLane;
  std::int32_t tapStride;  // elements of shared memory from a tap to the next
  Divider laneTiles, placeTiles, inner, apart, taps;
  std::int64_t allPlaces, tiles, step;
  std::int64_t blocks;
};

// Results of a strip are as far from each other as its taps: then each element of x that they share is read
// once. Where the stride is not one they share few.
KADVISE_HOST_DEVICE std::int32_t resultsApart(const DepthwiseSide& along) {
  return along.stride == 1 ? along.dilation : 1;
}

inline bool hasStrips(const DepthwiseArgs& a) {
  return std::int64_t{a.kernelRows} * a.kernelColumns <= kStripTaps;
}

inline DepthwiseStrips depthwiseStrips(const DepthwiseArgs& a, int channelsOfLane, int bytesOfElement,
                                       std::int64_t sms) {
  DepthwiseStrips p{};
  p.downRows = a.kernelRows >= a.kernelColumns && a.resultRows > 1;
  p.channelsOfLane = channelsOfLane;
  const std::int64_t taps = std::int64_t{a.kernelRows} * a.kernelColumns;
  const DepthwiseSide along = sideAlong(a, p.downRows);
  const std::int64_t apart = resultsApart(along);
  const std::int64_t strips = ceilDiv(along.results, kStripResults * apart) * apart;
  p.allPlaces = strips * (p.downRows ? a.resultColumns : a.resultRows);
  p.inner = Divider(p.downRows ? a.resultColumns : strips);
  p.apart = Divider(apart);
  p.taps = Divider(taps);

  const std::int64_t allLanes = ceilDiv(a.channels, channelsOfLane);
  const std::int64_t most =
      std::max<std::int64_t>(kStripShared / (taps * channelsOfLane * bytesOfElement) - 1, 1);
  if (a.channelsLast) {
    p.lanes = evenPart(allLanes, std::min<std::int64_t>(most, 32));
    p.places = static_cast<std::int32_t>(std::min<std::int64_t>(p.allPlaces, kDepthwiseBlock / p.lanes));
  } else {
    p.places = evenPart(p.allPlaces, kDepthwiseBlock);
    p.lanes = static_cast<std::int32_t>(
        std::min({allLanes, most, static_cast<std::int64_t>(kDepthwiseBlock / p.places)}));
  }
  p.threads = static_cast<std::int32_t>(ceilDiv(p.lanes * p.places, 32) * 32);
  p.tapStride = (p.lanes + 1) * channelsOfLane;  // one more, so that the banks of neighbouring taps differ
  p.laneTiles = Divider(ceilDiv(allLanes, p.lanes));
  p.placeTiles = Divider(ceilDiv(p.allPlaces, p.places));
  p.tiles = a.images * p.placeTiles.divisor;
  p.step = std::min(p.tiles, ceilDiv(sms * kStripBlocksOfSm, p.laneTiles.divisor));
  p.blocks = p.step * p.laneTiles.divisor;
  return p;
}

// Where a thread works in a tile; idle ones have no results.
struct StripPlace {
  std::int64_t image;
  std::int32_t line, first;  // across the strip, along it: of the result
  bool isIdle;
};
KADVISE_HOST_DEVICE StripPlace stripPlace(const DepthwiseArgs& a, const DepthwiseStrips& p, std::int64_t tile,
                                          int place) {
  StripPlace at{};
  at.image = p.placeTiles.quotient(tile);
  const std::int64_t of = (tile - at.image * p.placeTiles.divisor) * p.places + place;
  const std::int64_t outer = p.inner.quotient(of), inner = of - outer * p.inner.divisor;
  const auto strip = static_cast<std::int32_t>(p.downRows ? outer : inner);
  const auto group = static_cast<std::int32_t>(p.apart.quotient(strip)),
             apart = static_cast<std::int32_t>(p.apart.divisor);
  at.line = static_cast<std::int32_t>(p.downRows ? inner : outer);
  at.first = group * kStripResults * apart + strip - group * apart;
  at.isIdle = place >= p.places || of >= p.allPlaces || at.first >= sideAlong(a, p.downRows).results;
  return at;
}

template <class Memory, int kChannels, bool kSlides>
struct StripOfResults {
  using T = typename Memory::Element;
  static constexpr int kResults = kStripResults;

  const DepthwiseArgs& a;
  const DepthwiseStrips& p;
  Memory memory;
  DepthwiseSide along, across;

  KADVISE_HOST_DEVICE StripOfResults(const DepthwiseArgs& args, const DepthwiseStrips& strips, Memory m)
      : a(args),
        p(strips),
        memory(m),
        along(sideAlong(args, strips.downRows)),
        across(sideAlong(args, !strips.downRows)) {}

  // weight(tap, w): those of the thread's channels. Every sum begins with the bias.
  template <class Weight, class Finish>
  KADVISE_HOST_DEVICE void run(const StripPlace& at, std::int64_t channel, const float (&bias)[kChannels],
                               Weight weight, Finish finish) const {
    float sums[kResults][kChannels];
#pragma unroll
    for (int o = 0; o < kResults; ++o)
#pragma unroll
      for (int v = 0; v < kChannels; ++v) sums[o][v] = bias[v];
    const T* const x = static_cast<const T*>(a.x) + at.image * a.steps.image + channel * a.steps.channel;
    const int tapAcross = p.downRows ? 1 : a.kernelColumns, tapAlong = p.downRows ? a.kernelColumns : 1;
    int line = at.line * across.stride - across.pad;
    for (int k = 0; k < across.kernel; ++k, line += across.dilation) {
      if (line < 0 || line >= across.length) continue;
      const auto taps = [&](int tap, float(&w)[kChannels]) { weight(k * tapAcross + tap * tapAlong, w); };
      if constexpr (kSlides) slide(x + line * across.step, at.first, taps, sums);
      else step(x + line * across.step, at.first, taps, sums);
    }
    store(at, channel, sums, finish);
  }

 private:
  KADVISE_HOST_DEVICE void load(const T* row, int at, float (&v)[kChannels]) const {
    memory.widen(memory.template loadIf<kChannels>(row + at * along.step, at >= 0 && at < along.length), v);
  }

  KADVISE_HOST_DEVICE void add(const float (&in)[kChannels], const float (&w)[kChannels],
                               float (&sum)[kChannels]) const {
#pragma unroll
    for (int v = 0; v < kChannels; ++v) sum[v] += in[v] * w[v];
  }

  // Of stride one: tap k of result o meets what tap k + 1 of the result before it meets.
  template <class Weight>
  KADVISE_HOST_DEVICE void slide(const T* row, int first, Weight weight,
                                 float (&sums)[kResults][kChannels]) const {
    int at = first - along.pad;
    float in[kResults][kChannels];
#pragma unroll
    for (int o = 0; o < kResults - 1; ++o, at += along.dilation) load(row, at, in[o]);
    for (int tap = 0; tap < along.kernel; tap += kResults) {
#pragma unroll
      for (int j = 0; j < kResults; ++j) {
        if (tap + j >= along.kernel) break;
        load(row, at, in[(j + kResults - 1) % kResults]);
        at += along.dilation;
        float w[kChannels];
        weight(tap + j, w);
#pragma unroll
        for (int o = 0; o < kResults; ++o) add(in[(j + o) % kResults], w, sums[o]);
      }
    }
  }

  template <class Weight>
  KADVISE_HOST_DEVICE void step(const T* row, int first, Weight weight,
                                float (&sums)[kResults][kChannels]) const {
    int at = first * along.stride - along.pad;
    for (int tap = 0; tap < along.kernel; ++tap, at += along.dilation) {
      float w[kChannels];
      weight(tap, w);
#pragma unroll
      for (int o = 0; o < kResults; ++o) {
        float in[kChannels];
        load(row, at + o * along.stride, in);
        add(in, w, sums[o]);
      }
    }
  }

  template <class Finish>
  KADVISE_HOST_DEVICE void store(const StripPlace& at, std::int64_t channel,
                                 const float (&sums)[kResults][kChannels], Finish finish) const {
    float v[kResults * kChannels];
#pragma unroll
    for (int o = 0; o < kResults; ++o)
#pragma unroll
      for (int c = 0; c < kChannels; ++c) v[o * kChannels + c] = sums[o][c];
    finish(v);
    const DepthwiseSteps to = denseSteps(a, a.resultRows, a.resultColumns);
    const std::int64_t step = (p.downRows ? to.row : to.column) * p.apart.divisor;
    T* const result = static_cast<T*>(a.result) + at.image * to.image + channel * to.channel +
                      at.line * (p.downRows ? to.column : to.row) +
                      at.first * (p.downRows ? to.row : to.column);
    const int apart = static_cast<int>(p.apart.divisor),
              left = (along.results - at.first + apart - 1) / apart;
    if constexpr (kChannels == 1) {
      if (memory.template rowIsWhole<kResults>(result, left, step)) return memory.store(result, v);
    }
#pragma unroll
    for (int o = 0; o < kResults; ++o) {
      if (o >= left) continue;
      float one[kChannels];
#pragma unroll
      for (int c = 0; c < kChannels; ++c) one[c] = v[o * kChannels + c];
      memory.store(result + o * step, one);
    }
  }
};

}  // namespace kadvise
