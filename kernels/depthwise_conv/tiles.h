// Which threads have which outputs: plain arithmetic, so that tests can walk it without a GPU.
//
// A thread has a few neighbouring channels, a strip of neighbouring columns, and a run of rows down which it
// goes. A block has `lanes` x `strips` of them.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/common/divider.h"
#include "kernels/depthwise_conv/launch.h"

#include <algorithm>

namespace kadvise {

constexpr int kDepthwiseBlock = 128;   // the largest
constexpr int kDepthwiseStart = 2;     // rows' worth of work before a block's first row: its weights
constexpr int kDepthwiseChannels = 4;  // of a thread that are one access, where they lie together

// Of dense memory.
KADVISE_HOST_DEVICE DepthwiseSteps denseSteps(const DepthwiseArgs& a, std::int64_t rows,
                                              std::int64_t columns) {
  const std::int64_t image = a.channels * rows * columns;
  if (a.channelsLast) return {image, 1, columns * a.channels, a.channels};
  return {image, rows * columns, columns, 1};
}
KADVISE_HOST_DEVICE bool isDilated(const DepthwiseArgs& a) {
  return a.dilationRows > 1 || a.dilationColumns > 1;
}
inline bool isDense(const DepthwiseArgs& a) {
  const DepthwiseSteps of = denseSteps(a, a.rows, a.columns);
  const auto fits = [](std::int64_t size, std::int64_t step, std::int64_t dense) {
    return size <= 1 || step == dense;
  };
  return fits(a.images, a.steps.image, of.image) && fits(a.channels, a.steps.channel, of.channel) &&
         fits(a.rows, a.steps.row, of.row) && fits(a.columns, a.steps.column, of.column);
}

struct DepthwiseTiles {
  std::int32_t threads;        // of a block, in whole warps
  std::int32_t lanes, strips;  // of a block: side by side along the channels, along a row
  std::int32_t channelsOfLane, columnsOfStrip;
  std::int64_t rows;  // of the result, that a thread has
  Divider laneTiles, stripTiles, rowTiles;
  std::int64_t blocks;
};

// Where a thread works. Idle ones have no rows.
struct DepthwisePlace {
  std::int64_t image, column, row, endRow;
  std::int64_t blockChannel;    // the first channel of the block
  std::int32_t channelInBlock;  // the first of the thread
};

// Parts of about equal size, none above `most`.
constexpr std::int32_t evenPart(std::int64_t all, std::int64_t most) {
  return static_cast<std::int32_t>(ceilDiv(all, ceilDiv(all, most)));
}

// Rows of a thread, where `across` blocks have all rows: as many as take the least time. Each wave of blocks,
// `atOnce` of them, goes down its rows and through a start, which is a few rows' worth.
constexpr std::int64_t rowsOfThread(std::int64_t all, std::int64_t across, std::int64_t atOnce, int start) {
  std::int64_t best = all, least = INT64_MAX;
  for (std::int64_t parts = 1; parts <= std::min<std::int64_t>(all, 64); ++parts) {
    const std::int64_t rows = ceilDiv(all, parts);
    const std::int64_t time = ceilDiv(across * ceilDiv(all, rows), atOnce) * (rows + start);
    if (time >= least) continue;
    least = time;
    best = rows;
  }
  return best;
}

// `runIn`: rows above its own that a thread goes through without a result of its own. `blocksOfSm`: of the
// largest blocks, those that run on a multiprocessor at once.
inline DepthwiseTiles depthwiseTiles(const DepthwiseArgs& a, int channelsOfLane, int columnsOfStrip,
                                     int runIn, int blocksOfSm, std::int64_t sms) {
  const std::int64_t allLanes = ceilDiv(a.channels, channelsOfLane);
  const std::int64_t allStrips = ceilDiv(a.resultColumns, columnsOfStrip);
  DepthwiseTiles t{};
  t.channelsOfLane = channelsOfLane;
  t.columnsOfStrip = columnsOfStrip;
  if (a.channelsLast) {
    t.lanes = evenPart(allLanes, 32);
    t.strips = static_cast<std::int32_t>(std::min<std::int64_t>(allStrips, kDepthwiseBlock / t.lanes));
  } else {
    t.strips = evenPart(allStrips, kDepthwiseBlock);
    t.lanes = static_cast<std::int32_t>(std::min<std::int64_t>(allLanes, kDepthwiseBlock / t.strips));
  }
  t.threads = static_cast<std::int32_t>(ceilDiv(t.lanes * t.strips, 32) * 32);
  t.laneTiles = Divider(ceilDiv(allLanes, t.lanes));
  t.stripTiles = Divider(ceilDiv(allStrips, t.strips));
  const std::int64_t across = a.images * t.laneTiles.divisor * t.stripTiles.divisor;
  const std::int64_t atOnce = sms * (blocksOfSm * kDepthwiseBlock / t.threads);
  t.rows = rowsOfThread(a.resultRows, across, atOnce, runIn + kDepthwiseStart);
  t.rowTiles = Divider(ceilDiv(a.resultRows, t.rows));
  t.blocks = across * t.rowTiles.divisor;
  return t;
}

KADVISE_HOST_DEVICE DepthwisePlace depthwisePlace(const DepthwiseArgs& a, const DepthwiseTiles& t,
                                                  std::int64_t block, int thread) {
  const int lane = a.channelsLast ? thread % t.lanes : thread / t.strips;
  const int strip = a.channelsLast ? thread / t.lanes : thread % t.strips;
  const std::int64_t strips = t.laneTiles.quotient(block), rows = t.stripTiles.quotient(strips);
  const std::int64_t image = t.rowTiles.quotient(rows);
  DepthwisePlace p;
  p.image = image;
  p.blockChannel = (block - strips * t.laneTiles.divisor) * t.lanes * t.channelsOfLane;
  p.channelInBlock = lane * t.channelsOfLane;
  p.column = ((strips - rows * t.stripTiles.divisor) * t.strips + strip) * t.columnsOfStrip;
  p.row = (rows - image * t.rowTiles.divisor) * t.rows;
  p.endRow = p.row + t.rows < a.resultRows ? p.row + t.rows : a.resultRows;
  const bool idle = lane >= t.lanes || strip >= t.strips || p.column >= a.resultColumns ||
                    p.blockChannel + p.channelInBlock >= a.channels;
  if (idle) p.endRow = p.row;
  return p;
}

}  // namespace kadvise
