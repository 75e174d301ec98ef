// The threads of upsampling by any ratio. Each makes some neighbours in a row of the result, and those below
// them in some more rows: places along a row are found once for all of these, and a row of x that several of
// them lie beside is brought to these places once.
#pragma once

#include "kernels/common/access.h"
#include "kernels/common/ceil_div.h"
#include "kernels/upsample/taps.h"

namespace kadvise {

// Threads, numbered along the memory of the result.
struct UpsampleGrid {
  Divider strips, parts;  // strips: of neighbours in a row; parts: of neighbouring rows
  Divider channels;       // that lie together: 1 where columns do
  std::int32_t rowsOfPart;
  std::int64_t threads;
  bool isSmall;  // all counts are of 31 bits
};

inline std::int64_t neighbouringChannels(const UpsampleArgs& a) { return a.channelsLast ? a.channels : 1; }

// Whether floats tell neighbours apart to 1/16: from one element of the result to the next it is less than
// one of x.
inline bool isWithinQuarters(const UpsampleDim& d, int quarters) {
  constexpr int kMost = 1 << 20;
  return d.ratio <= 0.25f * static_cast<float>(quarters) && d.size <= kMost && d.resultSize <= kMost;
}

// Elements of the result in one row of all parts: so many threads' work keeps a large GPU busy.
constexpr std::int64_t kEnoughOfRows = 3 << 17;

// More rows share more of what is read and found out once; fewer are more threads.
inline std::int32_t rowsOfPart(const UpsampleArgs& a, std::int64_t enough) {
  if (!isWithinQuarters(a.rows, 3)) return 1;
  const std::int64_t columns = a.images * a.channels * a.columns.resultSize;
  std::int32_t rows = a.mode == UpsampleMode::Nearest ? 4 : a.mode == UpsampleMode::Bilinear ? 8 : 16;
  while (rows > 1 && columns * ceilDiv(a.rows.resultSize, rows) < enough) rows /= 2;
  return rows;
}

// Form: columns.h.
template <class Form>
UpsampleGrid upsampleGrid(const UpsampleArgs& a, std::int64_t enough = kEnoughOfRows) {
  const std::int64_t channels = neighbouringChannels(a), images = a.images * (a.channels / channels);
  const std::int64_t strips = channels * a.columns.resultSize / Form::kCount;
  UpsampleGrid g{};
  g.rowsOfPart = rowsOfPart(a, enough);
  const std::int64_t parts = ceilDiv(a.rows.resultSize, g.rowsOfPart);
  g.strips = Divider(strips);
  g.parts = Divider(parts);
  g.channels = Divider(channels);
  g.threads = images * parts * strips;
  g.isSmall = g.threads <= INT32_MAX;
  return g;
}

// The remainder; `n` becomes the quotient.
KADVISE_HOST_DEVICE std::int32_t takeRest(std::int64_t& n, const Divider& by, bool isSmall) {
  const std::int64_t quotient =
      isSmall ? std::int64_t{by.quotientOfSmall(static_cast<std::uint32_t>(n))} : n / by.divisor;
  const std::int64_t rest = n - quotient * by.divisor;
  n = quotient;
  return static_cast<std::int32_t>(rest);
}

}  // namespace kadvise
