// How the data of a group norm is divided among blocks: plain arithmetic, so that tests can walk it without a
// GPU.
//
// A row is what is summed together: a group of an image, or, with the channels last, a slab of some whole
// groups of an image. A part of a row is a block's: what it holds on the chip, so that x is read once, or,
// in two launches, what it walks over.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/group_norm/launch.h"

#include <algorithm>
#include <numeric>

namespace kadvise {

constexpr int kGroupNormBlock = 256;
constexpr int kGroupNormHeld = 8;      // chunks that a thread holds in registers
constexpr int kGroupNormWarpRows = 4;  // rows of a block where each has a warp
constexpr int kGroupNormCluster = 8;   // most blocks that run side by side and may wait for each other
// Shared memory of a block that holds its part there: three of them fill a multiprocessor, so that one loads
// while others add up or store.
constexpr std::int64_t kGroupNormStaged = 64 << 10;
constexpr std::int64_t kGroupNormWanted = 128;  // blocks that occupy a large GPU; rows are split for these
constexpr std::int64_t kGroupNormStagedChannels = 1024;  // of a group, whose weights a block holds, too
// The same with the channels last, where sums of each channel stand beside it.
constexpr std::int64_t kGroupNormHeldPixels = 104 << 10;
// Of two launches: threads of a block, and how many blocks fill a large GPU.
constexpr int kGroupNormMomentsBlock = 512, kGroupNormResultsBlock = 512;
constexpr std::int64_t kGroupNormMomentsBlocks = 264, kGroupNormResultsBlocks = 132;
constexpr std::int64_t kGroupNormStreamedRows = 528;
constexpr int kGroupNormBatch = 4;  // chunks of a thread that are on their way at once

constexpr std::int64_t partsOf(std::int64_t all, std::int64_t most) { return (all + most - 1) / most; }

// Channels first: a row lies together.
struct GroupNormRows {
  std::int64_t rows, length;
  std::int32_t threads;  // of a block
  std::int32_t held;     // chunks of a thread, in shared memory
  bool byWarp;           // each row has a warp
  bool wholeChannels;    // no chunk has elements of two channels
  Divider parts, groups, pixels;
};

// Chunks of a row wherever it begins, unless all begin with a chunk.
constexpr std::int64_t chunksOfGroupNormRow(std::int64_t length, int lanes) {
  return partsOf(length % lanes == 0 ? length : length + lanes - 1, lanes);
}

inline GroupNormRows groupNormRows(const GroupNormArgs& a, int lanes) {
  GroupNormRows p{};
  p.rows = a.images * a.groups;
  p.length = a.channels / a.groups * a.pixels;
  const std::int64_t chunks = chunksOfGroupNormRow(p.length, lanes),
                     bytes = chunks * lanes * bytesOf(a.dtype);
  p.byWarp = chunks <= 32 * kGroupNormHeld;
  p.wholeChannels = a.pixels % lanes == 0;
  std::int64_t parts = 1;
  while (!p.byWarp && parts * kGroupNormStaged < bytes) parts *= 2;
  while (!p.byWarp && parts < kGroupNormCluster && parts * p.rows < kGroupNormWanted &&
         2 * parts * kGroupNormBlock <= chunks)
    parts *= 2;
  p.parts = Divider(parts);
  const std::int64_t share = partsOf(chunks, parts);
  p.held = static_cast<std::int32_t>(std::min<std::int64_t>(partsOf(share, kGroupNormBlock), INT32_MAX));
  p.threads = p.byWarp ? 32 * kGroupNormWarpRows
                       : static_cast<std::int32_t>(partsOf(partsOf(share, p.held), 32) * 32);
  p.groups = Divider(a.groups);
  p.pixels = Divider(a.pixels);
  return p;
}

// What a block holds of such a part, and the weight and bias of a group's channels.
inline std::int64_t stagedBytes(const GroupNormArgs& a, const GroupNormRows& p, int lanes) {
  return std::int64_t{p.held} * p.threads * lanes * bytesOf(a.dtype) +
         2 * a.channels / a.groups * static_cast<std::int64_t>(sizeof(float));
}

// The same for two launches, which split no warp's row.
inline GroupNormRows groupNormStreamedRows(const GroupNormArgs& a, int lanes) {
  GroupNormRows p = groupNormRows(a, lanes);
  const std::int64_t batches =
      partsOf(chunksOfGroupNormRow(p.length, lanes) + 1, kGroupNormBlock * kGroupNormHeld);
  const std::int64_t wanted = kGroupNormStreamedRows / std::max<std::int64_t>(p.rows, 1);
  p.parts = Divider(std::clamp<std::int64_t>(wanted, 1, batches));
  p.threads = kGroupNormBlock;
  return p;
}

// Channels last: a part is some pixels of a slab. Thread t has chunk t % columns of pixels t / columns + k *
// pixelLanes.
struct GroupNormPixels {
  std::int64_t rows;  // images * slabs
  std::int32_t threads, columns, pixelLanes;
  std::int32_t groups, groupChannels;  // of a slab, of a group
  std::int32_t held;                   // chunks of a thread, in shared memory; 0 where it walks
  std::int64_t pixelsOfPart;
  Divider parts, slabs, channelsOfGroup;

  std::int64_t heldBytes() const {
    return std::int64_t{16} * held * threads;
  }  // of chunks or single elements
};

// Shared memory for a block's sums, in floats: mean and squares of each channel of each pixel lane, and of
// slices of lanes, as many as give every thread a channel of one; how many pixels each has seen; two numbers
// of each group.
KADVISE_HOST_DEVICE int slicesOfLanes(const GroupNormPixels& p, int lanes) {
  const int most = p.threads / (p.columns * lanes);
  return most < 1 ? 1 : most;
}
KADVISE_HOST_DEVICE std::int64_t floatsOfSums(const GroupNormPixels& p, int lanes) {
  const std::int64_t entries = p.pixelLanes + slicesOfLanes(p, lanes);
  return 2 * static_cast<std::int64_t>(p.columns) * lanes * entries + entries + 2 * p.groups;
}
inline std::int64_t sharedBytesOf(const GroupNormPixels& p, int lanes) {
  return p.heldBytes() + floatsOfSums(p, lanes) * static_cast<std::int64_t>(sizeof(float));
}

// Slabs of some whole groups of at least `wanted` chunks, and of one group at least; none where a group has
// too many channels for a block.
inline bool makeSlabs(const GroupNormArgs& a, int lanes, std::int64_t wanted, int block, GroupNormPixels& p) {
  const std::int64_t groupChannels = a.channels / a.groups;
  const std::int64_t unit = std::lcm(groupChannels, static_cast<std::int64_t>(lanes)) / lanes;
  if (unit > kGroupNormBlock) return false;
  const std::int64_t units = a.channels / lanes / unit;
  std::int64_t joined = 1;
  while (joined < units && (units % joined != 0 || joined * unit < wanted)) ++joined;
  if (joined * unit > kGroupNormBlock / 2) joined = 1;

  const std::int64_t columns = joined * unit;
  p = {};
  p.columns = static_cast<std::int32_t>(columns);
  p.pixelLanes = static_cast<std::int32_t>(std::min(block / columns, a.pixels));
  p.threads = static_cast<std::int32_t>(partsOf(columns * p.pixelLanes, 32) * 32);
  p.groupChannels = static_cast<std::int32_t>(groupChannels);
  p.groups = static_cast<std::int32_t>(columns * lanes / groupChannels);
  p.slabs = Divider(units / joined);
  p.channelsOfGroup = Divider(groupChannels);
  p.rows = a.images * p.slabs.divisor;
  return true;
}

inline void divide(const GroupNormArgs& a, std::int64_t parts, GroupNormPixels& p) {
  p.parts = Divider(parts);
  p.pixelsOfPart = partsOf(a.pixels, parts);
}

// Blocks that hold their parts. Slabs as wide as a line of memory, or half of it where that makes too few or
// too long rows. False where they are too long even so.
inline bool makeHeldPixels(const GroupNormArgs& a, int lanes, GroupNormPixels& p) {
  for (const std::int64_t wanted : {8, 4}) {
    if (!makeSlabs(a, lanes, wanted, kGroupNormBlock, p)) return false;
    const std::int64_t most = kGroupNormHeldPixels / 16 / p.threads * p.pixelLanes;  // pixels of a block
    std::int64_t parts = 1;
    while (parts * most < a.pixels) parts *= 2;
    while (parts < kGroupNormCluster && parts * p.rows < kGroupNormWanted &&
           2 * parts * p.pixelLanes <= a.pixels)
      parts *= 2;
    if (parts > kGroupNormCluster) continue;
    if (wanted == 8 && parts == kGroupNormCluster && parts * p.rows < kGroupNormWanted) continue;
    divide(a, parts, p);
    p.held = static_cast<std::int32_t>(partsOf(p.pixelsOfPart, p.pixelLanes));
    return true;
  }
  return false;
}

// Blocks that walk over their parts: `blocks` of them in all, if so many have something to do. Slabs as wide
// as still leave a block many pixels.
inline bool makeStreamedPixels(const GroupNormArgs& a, int lanes, int block, std::int64_t blocks,
                               GroupNormPixels& p) {
  if (!makeSlabs(a, lanes, kGroupNormBlock / 4, block, p)) return false;
  const std::int64_t most = partsOf(a.pixels, static_cast<std::int64_t>(p.pixelLanes) * kGroupNormBatch);
  divide(a, std::clamp<std::int64_t>(blocks / std::max<std::int64_t>(p.rows, 1), 1, most), p);
  return true;
}

}  // namespace kadvise
