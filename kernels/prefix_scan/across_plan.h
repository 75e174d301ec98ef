// How a scan across rows is divided among blocks: plain arithmetic.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/prefix_scan/launch.h"

#include <algorithm>

namespace kadvise {

constexpr int kAcrossWarps = 8;
constexpr int kAcrossSteps = 4;  // of a lane in a tile: what registers hold twice over
// Lanes that lie side by side: a line of memory, so that a few columns are many blocks.
template <int V>
constexpr int kAcrossColumnLanes = V == 1 ? 32 : 8;
template <int V>
constexpr int kAcrossTile = 32 * kAcrossWarps / kAcrossColumnLanes<V> * kAcrossSteps;  // steps
constexpr int kAcrossBlocks = 2;  // that a multiprocessor has at once: they go from task to task
constexpr std::int64_t kAcrossMostParts = 64;

struct AcrossPlan {
  std::int64_t items;  // chunks of columns, of all rows
  std::int64_t stepsOfPart;
  std::int64_t blocks;  // tasks: a part of a line of columns
  Divider perRow, parts;
  float* totals;  // of each part, item and element of its chunk; null for one part
};

// Parts of the steps cost a second reading: only where the blocks would leave most multiprocessors idle.
template <int V>
AcrossPlan acrossPlan(const PrefixScanArgs& a, std::int64_t sms) {
  const std::int64_t perRow = (a.length + V - 1) / V;
  AcrossPlan p{};
  p.items = perRow * a.grid.count;
  const std::int64_t blocks = (p.items + kAcrossColumnLanes<V> - 1) / kAcrossColumnLanes<V>;
  const std::int64_t tiles = (a.steps + kAcrossTile<V> - 1) / kAcrossTile<V>;
  std::int64_t parts = 1;
  if (2 * blocks <= sms && tiles >= 4)
    parts = std::min({(4 * sms + blocks - 1) / blocks, tiles / 2, kAcrossMostParts});
  const std::int64_t tilesOfPart = (tiles + parts - 1) / parts;
  p.stepsOfPart = tilesOfPart * kAcrossTile<V>;
  parts = (tiles + tilesOfPart - 1) / tilesOfPart;
  p.perRow = Divider(perRow);
  p.parts = Divider(parts);
  p.blocks = blocks * parts;
  return p;
}

template <int V>
std::int64_t acrossScratchBytes(const AcrossPlan& p) {
  if (p.parts.divisor == 1) return 0;
  return p.parts.divisor * p.items * V * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace kadvise
