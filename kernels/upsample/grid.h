// The threads of upsampling by any ratio. Each makes a few neighbouring columns of a row of the result, of
// some planes or of some neighbouring channels: places and weights are found once for all of them.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/upsample/taps.h"

namespace kadvise {

// A thread has columns that are neighbours in memory, of as many planes: [images, channels, rows, columns].
// kQuarters: the ratio of columns is at most so many quarters, and at most 3 (planes.h); 0: it is any.
template <int kColumns_, int kPlanes_, int kQuarters_>
struct PlaneForm {
  static constexpr int kColumns = kColumns_, kPlanes = kPlanes_, kQuarters = kQuarters_;
};

// A thread has channels that are neighbours in memory, of as many columns: [images, rows, columns, channels].
template <int kChannels_, int kColumns_>
struct PixelForm {
  static constexpr int kChannels = kChannels_, kColumns = kColumns_;
};

// Threads, numbered along the memory of the result.
struct UpsampleGrid {
  Divider lanes, strips, rows;  // lanes: of neighbouring channels, or 1
  std::int64_t threads;
  bool inPieces;  // rows of the result are whole pieces of a thread's columns
};

template <int kColumns, int kPlanes, int kQuarters>
UpsampleGrid upsampleGrid(const UpsampleArgs& a, PlaneForm<kColumns, kPlanes, kQuarters>, bool aligned) {
  const std::int64_t strips = ceilDiv(a.columns.resultSize, kColumns);
  const std::int64_t groups = ceilDiv(a.images * a.channels, kPlanes);
  UpsampleGrid g{};
  g.strips = Divider(strips);
  g.rows = Divider(a.rows.resultSize);
  g.threads = groups * a.rows.resultSize * strips;
  g.inPieces = aligned && a.columns.resultSize % kColumns == 0;
  return g;
}

template <int kChannels, int kColumns>
UpsampleGrid upsampleGrid(const UpsampleArgs& a, PixelForm<kChannels, kColumns>, bool) {
  const std::int64_t strips = ceilDiv(a.columns.resultSize, kColumns), lanes = a.channels / kChannels;
  UpsampleGrid g{};
  g.lanes = Divider(lanes);
  g.strips = Divider(strips);
  g.rows = Divider(a.rows.resultSize);
  g.threads = a.images * a.rows.resultSize * strips * lanes;
  return g;
}

// The remainder; `n` becomes the quotient.
KADVISE_HOST_DEVICE std::int32_t takeRest(std::int64_t& n, const Divider& by) {
  const std::int64_t quotient = by.quotient(n), rest = n - quotient * by.divisor;
  n = quotient;
  return static_cast<std::int32_t>(rest);
}

// The taps of a thread's columns. A column behind the last is that one again, and not stored.
template <UpsampleMode kMode, int kColumns>
KADVISE_HOST_DEVICE void findColumns(const UpsampleDim& d, std::int32_t first,
                                     Taps<kMode> (&columns)[kColumns]) {
#pragma unroll
  for (int j = 0; j < kColumns; ++j)
    findTaps(d, d.resultSize - first > j ? first + j : d.resultSize - 1, columns[j]);
}

}  // namespace kadvise
