// How a grouped convolution is cut into products of small matrices, and those into blocks.
//
// A unit is what is multiplied together: one group, or some neighbouring ones of few results.
// Its inputs are the rows of a product, by chunks of 16 bytes, its results the columns, by tiles of eight;
// where a unit has several groups, weights between them are zeros. A block has some units (or some tiles of
// one), and a rectangle of results of an image, whose pixels are taken by sixteens; it holds its weights and
// the part of x that it needs in shared memory.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/common/divider.h"
#include "kernels/grouped_conv/launch.h"

#include <algorithm>
#include <numeric>

namespace kadvise {

constexpr int kGroupedTile = 8;        // results of a tile
constexpr int kGroupedPixels = 16;     // pixels of a product
constexpr int kGroupedChunk = 16;      // bytes
constexpr int kGroupedTapColumns = 3;  // of which a plan knows the place
constexpr int kGroupedWarps = 8;       // of a block, at most

struct GroupedPlan {
  std::int32_t groupInputs;
  // Of a unit: groups, their inputs and results, and what those take.
  std::int32_t groups, inputs, results, chunks;
  // Of a block: units, and of each the tiles, of which a warp multiplies `warpTiles` at a time; real results
  // of a unit, and of all.
  std::int32_t units, blockTiles, warpTiles, unitResults, blockResults;
  std::int32_t parts, slices;  // blocks that share a unit's tiles; blocks that share a pixel
  // The rectangle, which warps take by `warpPixels` times kGroupedPixels.
  std::int32_t rows, columns, warpPixels, pixelGroups;
  // What of x lies below it. Columns that are a stride apart lie side by side, so that eight of them are in
  // different banks; `phase` is the number of them.
  std::int32_t stagedRows, stagedColumns, phase;
  // Shared memory: bytes from one staged pixel to the next, from one result's weights to the next, and from
  // one pixel's results to the next; an odd number of chunks, so that eight neighbours are in different
  // banks.
  std::int32_t pixelPitch, weightPitch, resultPitch;
  std::int32_t weightsShared, biasShared, imageShared, resultsShared;
  // Bytes that are copied together, and how often: of a unit's pixel and of all units'; of a tap and of a
  // result; of the results of a pixel.
  std::int32_t imageBytes, weightBytes, resultBytes;
  std::int32_t unitCopies, pixelCopies, tapCopies, weightCopies, resultCopies;
  std::int32_t hasGaps;  // whether weights lie between zeros
  // From the first tap's pixel to that of the next row, and to those of the first columns: bytes.
  std::int32_t tapRow, tapColumn[kGroupedTapColumns];
  std::int32_t warps, down, across, rectangles, blocks;
  SmallDivider byUnitCopies, byPixelCopies, byTapCopies, byWeightCopies, byResultCopies, byColumns,
      byUnitResults, byGroupResults, byStride, bySlices, byParts, byAcross, byDown, byPixelGroups, bySteps;
};

inline std::int32_t elementsOfChunk(const GroupedConvArgs& a) { return kGroupedChunk / bytesOf(a.dtype); }

inline std::int32_t largestCopy(std::int64_t bytes) {
  return static_cast<std::int32_t>(std::gcd(bytes, std::int64_t{kGroupedChunk}));
}

inline std::int64_t oddChunks(std::int64_t bytes) {
  return (ceilDiv(bytes, kGroupedChunk) | 1) * kGroupedChunk;
}

// ---- units

// False where a unit does not fit a block.
inline bool planUnits(const GroupedConvArgs& a, std::int64_t mostWeights, std::int64_t warpTiles,
                      GroupedPlan& p) {
  const std::int64_t groupInputs = a.channels / a.groups, groupResults = a.results / a.groups;
  constexpr std::int64_t kWide = 64;  // inputs, of which a group alone is enough of a product
  const std::int64_t groups = kGroupedTile % groupResults != 0 || groupInputs > kWide / 2
                                  ? 1
                                  : std::min({kGroupedTile / groupResults, kWide / groupInputs, a.groups});
  const std::int64_t inputs = groups * groupInputs, results = groups * groupResults;
  const std::int64_t chunks = ceilDiv(inputs, elementsOfChunk(a)), tiles = ceilDiv(results, kGroupedTile);
  const std::int64_t bytesOfTile =
      std::int64_t{a.kernelRows} * a.kernelColumns * chunks * kGroupedChunk * kGroupedTile;
  if (warpTiles > tiles || bytesOfTile * warpTiles > mostWeights) return false;

  // As many tiles as fit half of that, all of a unit if possible.
  const std::int64_t fit = std::max<std::int64_t>(1, mostWeights / 2 / (bytesOfTile * warpTiles));
  const std::int64_t steps = ceilDiv(tiles, warpTiles), parts = ceilDiv(steps, fit);
  const std::int64_t blockTiles = ceilDiv(steps, parts) * warpTiles;

  // Units whose inputs are a cache line, evenly.
  constexpr std::int64_t kLine = 128;
  const std::int64_t all = ceilDiv(a.groups, groups);
  std::int64_t units = 1;
  if (parts == 1) {
    const std::int64_t wanted = ceilDiv(kLine, chunks * kGroupedChunk);
    units = std::clamp<std::int64_t>(mostWeights / 4 / (bytesOfTile * blockTiles), 1, std::min(wanted, all));
    units = ceilDiv(all, ceilDiv(all, units));
  }
  const auto small = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  p.groupInputs = small(groupInputs);
  p.groups = small(groups), p.inputs = small(inputs), p.results = small(results);
  p.chunks = small(chunks);
  p.units = small(units), p.blockTiles = small(blockTiles), p.warpTiles = small(warpTiles);
  p.parts = small(parts), p.slices = small(ceilDiv(all, units) * parts);
  p.unitResults = small(std::min(results, blockTiles * kGroupedTile));
  p.blockResults = small(units * p.unitResults);
  const std::int64_t rows = units * blockTiles * kGroupedTile;
  p.weightPitch = small(oddChunks(bytesOfTile / kGroupedTile));
  p.weightsShared = small(rows * p.weightPitch);
  p.biasShared = small(rows * std::int64_t{sizeof(float)});
  return true;
}

// ---- rectangles

struct GroupedRectangle {
  std::int64_t rows, columns;
  std::int32_t warpPixels, pixelGroups;
};

inline std::int64_t stagedAlong(std::int64_t results, std::int32_t stride, std::int32_t dilation,
                                std::int32_t kernel) {
  return (results - 1) * stride + std::int64_t{dilation} * (kernel - 1) + 1;
}

struct GroupedStaging {
  std::int64_t rows, columns, phase, pixelPitch, resultPitch, image, results;
};

inline GroupedStaging stagingOf(const GroupedConvArgs& a, const GroupedPlan& p, const GroupedRectangle& r) {
  GroupedStaging s{};
  s.rows = stagedAlong(r.rows, a.strideRows, a.dilationRows, a.kernelRows);
  s.columns = stagedAlong(r.columns, a.strideColumns, a.dilationColumns, a.kernelColumns);
  s.phase = ceilDiv(s.columns, a.strideColumns);
  s.pixelPitch = oddChunks(std::int64_t{p.units} * p.chunks * kGroupedChunk);
  s.image = s.rows * s.phase * a.strideColumns * s.pixelPitch;
  s.resultPitch = oddChunks(std::int64_t{p.blockResults} * bytesOf(a.dtype));
  s.results = std::int64_t{r.warpPixels} * r.pixelGroups * kGroupedPixels * s.resultPitch;
  return s;
}

inline std::int64_t sharedBytes(const GroupedPlan& p, const GroupedStaging& s) {
  return std::int64_t{p.weightsShared} + p.biasShared + s.image + s.results;
}
inline std::int64_t sharedBytes(const GroupedPlan& p) {
  return std::int64_t{p.weightsShared} + p.biasShared + p.imageShared + p.resultsShared;
}

inline std::int32_t warpsOf(const GroupedPlan& p, std::int32_t pixelGroups) {
  return pixelGroups * std::min(kGroupedWarps / pixelGroups, p.units * (p.blockTiles / p.warpTiles));
}

constexpr int kGroupedBlocks = 2;  // of kGroupedWarps, that a multiprocessor has registers for

inline std::int64_t blocksAtOnce(std::int64_t shared, std::int32_t warps,
                                 std::int64_t sharedOfMultiprocessor) {
  constexpr std::int64_t kReserved = 1024;
  return std::clamp<std::int64_t>(sharedOfMultiprocessor / (shared + kReserved), 1,
                                  kGroupedBlocks * kGroupedWarps / warps);
}

// ---- the whole

// The rest of a plan, of its units and rectangle. False for more blocks than are counted.
inline bool finishPlan(const GroupedConvArgs& a, const GroupedRectangle& rectangle, int sms,
                       std::int64_t mostShared, GroupedPlan& p) {
  const auto small = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  p.rows = small(rectangle.rows), p.columns = small(rectangle.columns);
  p.warpPixels = rectangle.warpPixels, p.pixelGroups = rectangle.pixelGroups;
  const GroupedStaging s = stagingOf(a, p, rectangle);
  p.stagedRows = small(s.rows), p.stagedColumns = small(s.columns);
  p.phase = small(s.phase), p.pixelPitch = small(s.pixelPitch), p.resultPitch = small(s.resultPitch);
  p.imageShared = small(s.image), p.resultsShared = small(s.results);

  const int size = bytesOf(a.dtype);
  const auto address = [](const void* at) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at));
  };
  // Whatever a block copies begins and ends at a multiple of them, in the last unit and part, too.
  p.imageBytes = largestCopy(address(a.x) | a.channels * size | p.inputs * size | a.steps.image * size |
                             a.steps.row * size | a.steps.column * size);
  p.weightBytes = largestCopy(address(a.weight) | std::int64_t{p.groupInputs} * size);
  p.resultBytes =
      largestCopy(address(a.result) | a.results * size | p.results * size | p.blockResults * size);
  p.hasGaps = p.groups > 1 || p.inputs % elementsOfChunk(a) != 0;
  p.warps = warpsOf(p, p.pixelGroups);

  p.tapRow = small(s.phase * a.strideColumns * a.dilationRows * s.pixelPitch);
  for (std::int32_t column = 0; column < kGroupedTapColumns; ++column) {
    const std::int32_t across = column * a.dilationColumns;
    p.tapColumn[column] =
        small((across % a.strideColumns * s.phase + across / a.strideColumns) * s.pixelPitch);
  }
  p.unitCopies = p.inputs * size / p.imageBytes;
  p.pixelCopies = p.units * p.unitCopies;
  p.tapCopies = p.groupInputs * size / p.weightBytes;
  p.weightCopies = a.kernelRows * a.kernelColumns * p.tapCopies;
  p.resultCopies = p.blockResults * size / p.resultBytes;
  p.byUnitCopies = SmallDivider(p.unitCopies), p.byPixelCopies = SmallDivider(p.pixelCopies);
  p.byTapCopies = SmallDivider(p.tapCopies), p.byWeightCopies = SmallDivider(p.weightCopies);
  p.byResultCopies = SmallDivider(p.resultCopies);
  p.byColumns = SmallDivider(p.columns), p.byStride = SmallDivider(a.strideColumns);
  p.byUnitResults = SmallDivider(p.unitResults), p.byGroupResults = SmallDivider(a.results / a.groups);
  p.bySlices = SmallDivider(p.slices), p.byParts = SmallDivider(p.parts);
  p.byPixelGroups = SmallDivider(p.pixelGroups), p.bySteps = SmallDivider(p.blockTiles / p.warpTiles);
  const std::int64_t down = ceilDiv(a.resultRows, p.rows), across = ceilDiv(a.resultColumns, p.columns);
  const std::int64_t rectangles = a.images * down * across;
  if (rectangles > INT32_MAX / p.slices) return false;
  p.down = small(down), p.across = small(across), p.rectangles = small(rectangles);
  p.byDown = SmallDivider(down), p.byAcross = SmallDivider(across);
  // Blocks go from rectangle to rectangle, and keep their weights.
  const std::int64_t places =
      std::max<std::int64_t>(1, sms * blocksAtOnce(sharedBytes(p), p.warps, mostShared) / p.slices);
  p.blocks = small(ceilDiv(rectangles, ceilDiv(rectangles, places)) * p.slices);
  return true;
}

}  // namespace kadvise
