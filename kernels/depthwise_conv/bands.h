// A depthwise convolution of 16 bits as products of matrices: a row of x times a banded (Toeplitz) matrix
// that holds a row of the kernel is that row's part of eight neighbouring results. The sum over the rows of
// the kernel is the convolution, for 16 rows of the result at a time.
//
//   result[row, 8 j + n] = sum over ky of sum over c of x[row * stride - pad + ky, first + c] band_ky[c, n]
//   band_ky[c, n] = weight[ky, c - offset - n * stride], or 0 outside of the kernel
//
// A signal whose columns lie together is cut into rows: 16 of them, one behind the other, are a tile.
//
// Plain arithmetic, so that tests can walk it without a GPU.
#pragma once

#include "kernels/common/access.h"
#include "kernels/depthwise_conv/tiles.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace kadvise {

constexpr int kBandRows = 16;    // of the result, that one product has
constexpr int kBandColumns = 8;  // of the result, that one product has; and elements of 16 bytes

constexpr int kBandReach = 9;           // rows and columns of an image's largest kernel
constexpr int kBandReachOfSignal = 34;  // and of a signal's

// A band's height in parts of eight columns of x: as many as its columns reach. Where columns lie together
// they are staged as memory has them, so that the first that is needed may be any of its part.
KADVISE_HOST_DEVICE constexpr int bandParts(int stride, bool channelsLast) {
  return stride + (channelsLast ? 1 : 2);
}
// Parts that `tiles` products side by side read.
KADVISE_HOST_DEVICE constexpr int stagedParts(int tiles, int stride, bool channelsLast) {
  return (tiles - 1) * stride + bandParts(stride, channelsLast);
}

// ---- shared memory, in bytes. `parts`: staged of a row.

// Channels of a block: each is a plane, and a warp's.
constexpr int kBandEights = 2;
template <bool kChannelsLast>
constexpr int kBandPlanes = kChannelsLast ? 8 * kBandEights : 8;

// From a staged row to the next: an odd multiple of 16, so that eight rows meet all banks.
KADVISE_HOST_DEVICE constexpr int bandRow(int parts) { return (parts | 1) * 16; }

// Where channels lie together, a row has all planes, so that distances between them are known; and the second
// eight lie half of the banks further, since both are written at once.
KADVISE_HOST_DEVICE constexpr int bandEight(int parts) { return 8 * parts * 16 + 64; }
KADVISE_HOST_DEVICE constexpr int bandRowOfAll(int parts) { return kBandEights * bandEight(parts) - 48; }
// The same pixels as they lie in memory: 16 bytes for eight channels of each.
KADVISE_HOST_DEVICE constexpr int pixelRow(int parts) { return parts * kBandColumns * kBandEights * 16; }

// Planes (two of each channel where columns lie together: one is computed while the next is copied), the
// kernels, and pixels where channels do.
struct BandMemory {
  std::int32_t rows, stagedRows;  // of a tile: of the result, at most kBandRows; of x
  std::int32_t wordsOfRow;        // of a kernel; see bandWord()
  std::int32_t wordsAt, pixelsAt, bytes;
};
// Signals: parts that a band of 7 + `taps` columns reaches, and bytes of a tile's columns with what they
// reach.
constexpr int signalParts(int taps) { return taps <= 10 ? 3 : 6; }
KADVISE_HOST_DEVICE constexpr int runBytes(int tiles, int band) {
  return (kBandRows * tiles + band - 1) * 16;
}

inline bool isSignalOfColumns(const DepthwiseArgs& a) {
  return !a.channelsLast && a.rows == 1 && a.kernelRows == 1 && a.resultRows == 1 && a.padRows == 0;
}
inline BandMemory bandMemory(const DepthwiseArgs& a, int tiles) {
  const int parts = stagedParts(tiles, a.strideColumns, a.channelsLast);
  const int planes = a.channelsLast ? kBandPlanes<true> : kBandPlanes<false>;
  BandMemory m{};
  m.rows = evenPart(a.resultRows, kBandRows);
  m.stagedRows = (m.rows - 1) * a.strideRows + a.kernelRows;
  m.wordsOfRow = a.kernelColumns + 2;
  if (isSignalOfColumns(a)) m.rows = kBandRows;
  m.wordsAt = isSignalOfColumns(a)
                  ? 2 * planes * runBytes(tiles, signalParts(a.kernelColumns))
                  : m.stagedRows * (a.channelsLast ? bandRowOfAll(parts) : 2 * planes * bandRow(parts));
  m.pixelsAt = m.wordsAt + static_cast<std::int32_t>(ceilDiv(planes * a.kernelRows * m.wordsOfRow, 64)) * 256;
  m.bytes = m.pixelsAt + (a.channelsLast ? m.stagedRows * pixelRow(parts) : 0);
  return m;
}

// That every GPU has for a block, from compute capability 8.0 on.
constexpr int kBandShared = 99 * 1024;

// ---- tiles

// A tile is what a block has of an image at a time: rows and columns of the result of some channels.
struct BandPlan {
  BandMemory memory;
  std::int32_t offset;                 // columns before the first that the first result needs
  std::int32_t copyBytes, storeBytes;  // of columns together: that rows in memory are aligned to, 16 at most
  Divider columnTiles, rowTiles, groups;  // of an image; of channels
  std::int32_t tiles, blocks, step;       // a block has every step-th tile of its channels
};

// The pairs of neighbouring weights of a row of the kernel, as words of shared memory: that of column k - 1
// and k is at k, with zeros before and behind the row, and the last is of two zeros.
KADVISE_HOST_DEVICE std::int32_t bandWord(const BandPlan& p, int column) {
  return column >= -1 && column < p.memory.wordsOfRow - 2 ? column + 1 : p.memory.wordsOfRow - 1;
}

struct BandTile {
  std::int32_t image, row, column;  // of the result
};
KADVISE_HOST_DEVICE BandTile bandTile(const BandPlan& p, int columnsOfTile, std::int32_t tile) {
  const auto rows =
                 static_cast<std::int32_t>(p.columnTiles.quotientOfSmall(static_cast<std::uint32_t>(tile))),
             image = static_cast<std::int32_t>(p.rowTiles.quotientOfSmall(static_cast<std::uint32_t>(rows)));
  return {image, (rows - image * static_cast<std::int32_t>(p.rowTiles.divisor)) * p.memory.rows,
          (tile - rows * static_cast<std::int32_t>(p.columnTiles.divisor)) * columnsOfTile};
}

// Whether there are products for this kernel, stride and layout, of a dense x. Channels that lie together
// come eight at a time.
inline bool areBands(const DepthwiseArgs& a) {
  const int stride = a.strideColumns;
  if (a.dtype == Dtype::Float || isDilated(a)) return false;
  if (isSignalOfColumns(a)) return stride == 1 && a.kernelColumns <= kBandReachOfSignal;
  return a.strideRows == stride && stride <= (a.channelsLast ? 1 : 2) && a.kernelRows <= kBandReach &&
         a.kernelColumns <= kBandReach && a.rows > 1 && a.columns > 1 &&
         (!a.channelsLast || (a.channels % 8 == 0 && at16Bytes(a.x) && at16Bytes(a.result)));
}

// Of x, in the image.
struct BandCorner {
  std::int32_t image, row, column;
};

// Products side by side that a warp has, of those that there are kernels for: as many as read and compute the
// least in vain. 0: there are none. Of a signal an odd number, so that its rows meet all banks; not seven of
// stride 2, which would not leave room for kernels of five rows.
inline int bandTiles(const DepthwiseArgs& a) {
  if (!areBands(a)) return 0;
  const bool isSignal = isSignalOfColumns(a);
  const std::int64_t all = ceilDiv(a.resultColumns, kBandColumns);
  int best = 0;
  const auto cost = [&](int tiles) {
    const std::int64_t ofTile = isSignal ? kBandRows * tiles : tiles;
    return ceilDiv(all, ofTile) * (ofTile + (isSignal ? 8 : 1));
  };
  for (const int tiles : {isSignal ? 1 : 2, isSignal ? 3 : 4, 7}) {
    if (tiles == 7 && a.strideColumns == 2) continue;
    if (bandMemory(a, tiles).bytes <= kBandShared && (best == 0 || cost(tiles) <= cost(best))) best = tiles;
  }
  return best;
}

// Columns of 16 bits, from the first of memory on, that are moved together: all rows are aligned to them.
inline std::int32_t alignedBytes(std::int64_t columns, const void* memory) {
  const auto address = std::uint64_t{reinterpret_cast<std::uintptr_t>(memory)};
  return static_cast<std::int32_t>(
      std::gcd(std::gcd(std::uint64_t{16}, static_cast<std::uint64_t>(2 * columns)), address));
}

// Whether products take less time than a thread's own multiplications, as of signals they do: not where most
// of a product's rows or columns lie outside of the image, where columns come one at a time, or where a small
// kernel meets channels that lie together. Measured: tests/bench/results/depthwise_conv.h100.txt.
inline bool bandsPay(const DepthwiseArgs& a) {
  if (isSignalOfColumns(a)) return true;
  if (a.resultRows <= kBandColumns || a.resultColumns <= kBandColumns) return false;
  if (a.channelsLast) return a.kernelRows * a.kernelColumns >= 25;
  return alignedBytes(a.columns, a.x) >= 4 && alignedBytes(a.resultColumns, a.result) >= 4;
}

// Blocks that a multiprocessor has registers for.
template <bool kChannelsLast>
constexpr int kBandBlocks = kChannelsLast ? 2 : 3;

// Nothing where there are too many tiles or blocks to count. `sharedOfSm`: bytes that its blocks share.
template <bool kChannelsLast>
std::optional<BandPlan> bandPlan(const DepthwiseArgs& a, int tilesAtOnce, std::int64_t sms, int sharedOfSm) {
  BandPlan p{};
  p.memory = bandMemory(a, tilesAtOnce);
  p.offset = kChannelsLast ? 0 : (kBandColumns - a.padColumns % kBandColumns) % kBandColumns;
  p.copyBytes = alignedBytes(a.columns, a.x);
  p.storeBytes = alignedBytes(a.resultColumns, a.result);

  const int rowsOfColumns = isSignalOfColumns(a) ? kBandRows : 1;
  const std::int64_t columnTiles = ceilDiv(a.resultColumns, rowsOfColumns * tilesAtOnce * kBandColumns),
                     rowTiles = ceilDiv(a.resultRows, p.memory.rows),
                     groups = ceilDiv(a.channels, kBandPlanes<kChannelsLast>),
                     tiles = a.images * rowTiles * columnTiles;
  // Blocks go on to other tiles of their channels, so that all run at once and weights are read once.
  const std::int64_t ofSm = std::clamp(sharedOfSm / (p.memory.bytes + 1024), 1, kBandBlocks<kChannelsLast>);
  const std::int64_t step = ceilDiv(tiles, ceilDiv(tiles * groups, ofSm * sms)), blocks = groups * step;
  if (tiles + step > INT32_MAX || blocks > INT32_MAX) return std::nullopt;
  p.columnTiles = Divider(columnTiles);
  p.rowTiles = Divider(rowTiles);
  p.groups = Divider(groups);
  p.tiles = static_cast<std::int32_t>(tiles);
  p.blocks = static_cast<std::int32_t>(blocks);
  p.step = static_cast<std::int32_t>(step);
  return p;
}

}  // namespace kadvise
