// Blocks of a pooling whose windows are counted when the kernel runs: what each has of the result, and of
// shared memory.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/pool/slide.h"
#include "kernels/pool/squares.h"

#include <algorithm>

namespace kadvise {

constexpr int kTileBlock = 256;          // threads
constexpr int kTileElements = 6 * 1024;  // numbers of shared memory, most
constexpr int kTileLines = 128;          // most
constexpr int kTileBlocks = 1024;        // fewest, where there is enough for them

// What lies beside each other in a piece. Loose: rows do not begin with a whole piece of memory.
enum class TileOf { Channels, Columns, LooseColumns };

// kLanes: elements of a piece. kSlides: windows begin at every row or column, and a thread has some of them
// beside each other, as many as its registers hold.
template <int kLanes_, TileOf kOf, bool kSlides_>
struct TileForm {
  static constexpr int kLanes = kLanes_;
  static constexpr bool kByChannels = kOf == TileOf::Channels, kInParts = kOf == TileOf::LooseColumns,
                        kSlides = kSlides_;
  static constexpr int kRows = !kSlides ? 1 : kLanes == 8 ? 2 : 4;
  static constexpr int kColumns = !kSlides ? 1 : kLanes == 8 && kByChannels ? 2 : 4;
  static constexpr int kBlocksOfSm = kSlides || kInParts ? 4 : 6;
};

// A block has some neighbouring columns of some lines, and, where channels lie together, some of these. A
// line is one row of one layer of one plane, numbered along the memory of the result; a plane is a channel,
// or an image where channels lie together.
struct TileGrid {
  Divider chunks, strips;                 // blocks along the channels and the columns
  Divider rows, depth;                    // of the result
  Divider pieces;                         // of x in a line of the block: accesses
  Divider places;                         // of the result in a line of the block: threads
  std::int32_t columns, lines, channels;  // of the result in a block
  std::int32_t length;                    // numbers of shared memory of a line
  std::int32_t shift, skew;               // log2 of pieces of a column; see TileLines
  bool slidesRows, slidesColumns;         // threads have kRows, kColumns windows beside each other
  bool inPairs;                           // loose columns: pairs of elements may be read at once
  std::int32_t allLines;
  std::int64_t plane;  // elements of x
  std::int32_t layer;  // of these
  std::int64_t blocks;
  PoolAverage average;

  std::int64_t sharedElements() const { return std::int64_t{length} * lines; }
};

// From the first to the last element of windows, some of them in a row.
inline std::int64_t poolReach(const PoolDim& d, std::int64_t windows) {
  return (windows - 1) * d.stride + std::int64_t{d.kernel - 1} * d.dilation + 1;
}

// Elements of x along a dimension, and as far beyond as windows reach.
inline double poolExtent(const PoolDim& d) {
  return static_cast<double>(d.size) + 2.0 * (d.pad + static_cast<double>(d.kernel) * d.dilation);
}

// Pieces of a column that a block has: a power of two, up to eight, of which few go beyond the last channel.
inline int tileChannelPieces(std::int64_t pieces) {
  int most = 1;
  while (most < pieces && most < 8) most *= 2;
  while (most > 1 && ceilDiv(pieces, most) * most * 4 > pieces * 5) most /= 2;
  return most;
}

// The blocks which read least of x more than once; blocks = 0 where the windows are too large for one.
template <class Form>
TileGrid tileGrid(const PoolArgs& a) {
  constexpr int kSectors = 8;  // elements: a tile ends where those of 32 bytes do
  const std::int64_t volume = a.depth.size * a.rows.size * a.columns.size,
                     planes = Form::kByChannels ? a.images : a.images * a.channels,
                     lines = planes * a.depth.resultSize * a.rows.resultSize;
  TileGrid g{};
  g.plane = volume * (Form::kByChannels ? a.channels : 1);
  const double reached = poolExtent(a.depth) * poolExtent(a.rows) * poolExtent(a.columns) *
                         static_cast<double>(g.plane / volume);
  if (reached > INT32_MAX || lines > INT32_MAX - kTileLines) return g;
  g.layer = static_cast<std::int32_t>(g.plane / a.depth.size);
  const int pieces = Form::kByChannels ? tileChannelPieces(a.channels / Form::kLanes) : 1;
  g.channels = Form::kByChannels ? pieces * Form::kLanes : 1;
  while (1 << g.shift < pieces) ++g.shift;
  g.slidesColumns = Form::kSlides && slides(a.columns);
  g.inPairs = areAt16Bytes(a) && a.columns.size % 2 == 0;
  g.skew = !Form::kByChannels && (g.slidesColumns || a.columns.stride % 2 == 0) ? 5 : 31;
  g.allLines = static_cast<std::int32_t>(lines);
  const std::int64_t chunks = Form::kByChannels ? ceilDiv(a.channels, g.channels) : 1;
  double least = 0;
  for (std::int64_t most = 4; most <= 256; most *= 2) {
    const std::int64_t strips = ceilDiv(a.columns.resultSize, most);
    const std::int64_t columns = ceilDiv(ceilDiv(a.columns.resultSize, strips), kSectors) * kSectors;
    const std::int64_t reach = poolReach(a.columns, columns) + (Form::kByChannels ? 0 : Form::kLanes - 1);
    const std::int64_t read = Form::kByChannels ? reach * pieces : ceilDiv(reach, Form::kLanes);
    const std::int64_t elements = read * Form::kLanes;
    const std::int64_t length = ceilDiv(elements + (elements >> g.skew) + 1, 4) * 4;
    const std::int64_t enough =
        std::max(lines * strips * chunks / kTileBlocks, std::min<std::int64_t>(lines, 4));
    if (length > kTileElements) continue;
    const std::int64_t together = std::min({kTileElements / length, std::int64_t{kTileLines}, enough});
    const double again = static_cast<double>(poolReach(a.rows, together)) / static_cast<double>(together);
    const double cost = again * static_cast<double>(strips * read);
    if (g.lines != 0 && cost >= least) continue;
    least = cost;
    g.columns = static_cast<std::int32_t>(columns);
    g.lines = static_cast<std::int32_t>(together);
    g.length = static_cast<std::int32_t>(length);
    g.pieces = Divider(read);
    g.places = Divider((g.slidesColumns ? columns / Form::kColumns : columns) * pieces);
  }
  if (g.lines == 0) return g;
  g.slidesRows = Form::kSlides && slides(a.rows) && g.lines >= Form::kRows;
  if (g.slidesRows) g.lines -= g.lines % Form::kRows;
  const std::int64_t strips = ceilDiv(a.columns.resultSize, g.columns);
  g.chunks = Divider(chunks);
  g.strips = Divider(strips);
  g.rows = Divider(a.rows.resultSize);
  g.depth = Divider(a.depth.resultSize);
  g.average = averageOf(a);
  const std::int64_t blocks = chunks * strips * ceilDiv(lines, g.lines);
  g.blocks = blocks <= INT32_MAX ? blocks : 0;
  return g;
}

}  // namespace kadvise
