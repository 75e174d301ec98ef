// How the data of a group norm is divided among blocks: plain arithmetic, so that tests can walk it without a
// GPU.
//
// A row is what is summed together: a group of an image, or, with the channels last, a slab of some whole
// groups of an image. A part of a row is a block's: what it holds on the chip, so that x is read once, or,
// in two launches, what it walks over.
#pragma once

#include "kernels/common/ceil_div.h"
#include "kernels/common/divider.h"
#include "kernels/group_norm/launch.h"

#include <algorithm>
#include <numeric>

namespace kadvise {

constexpr int kGroupNormBlock = 256;
constexpr int kGroupNormHeld = 8;      // chunks that a thread holds in registers
constexpr int kGroupNormWarpRows = 4;  // rows of a block where each has a warp
// Most blocks that run side by side and may wait for each other; and where the device allows it, of rows that
// so many cannot hold.
constexpr int kGroupNormCluster = 8;
constexpr int kGroupNormWideCluster = 16;
// Shared memory of a block that holds its part there: three of them fill a multiprocessor, so that one loads
// while others add up or store. Of a block that has one to itself anyhow: fewer and larger ones are faster;
// every device has as much.
constexpr std::int64_t kGroupNormStaged = 64 << 10;
constexpr std::int64_t kGroupNormStagedAlone = 88 << 10;
constexpr std::int64_t kGroupNormWanted = 128;  // blocks that occupy a large GPU; rows are split for these
constexpr std::int64_t kGroupNormFewRows = 32;  // are split as far as can be
constexpr std::int64_t kGroupNormStagedChannels = 1024;  // of a group, whose weights a block holds, too
// The same with the channels last, where sums of each channel stand beside it: two of the largest fill one.
constexpr std::int64_t kGroupNormHeldPixels = 104 << 10;
// Of two launches: blocks that fill a large GPU. Of channels-last memory one a multiprocessor, since every
// block joins sums of all its channels: more blocks were slower.
constexpr std::int64_t kGroupNormStreamedRows = 528;
constexpr int kGroupNormStreamedBlock = 512;
constexpr std::int64_t kGroupNormStreamedBlocks = 132;
constexpr int kGroupNormBatch = 4;  // chunks of a thread that are on their way at once

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
  return ceilDiv(length % lanes == 0 ? length : length + lanes - 1, lanes);
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
  const auto room = [&] {
    return parts * p.rows <= kGroupNormWanted ? kGroupNormStagedAlone : kGroupNormStaged;
  };
  while (!p.byWarp && parts * room() < bytes) parts *= 2;
  while (!p.byWarp && parts < kGroupNormCluster &&
         (p.rows <= kGroupNormFewRows || parts * p.rows < kGroupNormWanted) &&
         2 * parts * kGroupNormBlock <= chunks)
    parts *= 2;
  p.parts = Divider(parts);
  const std::int64_t share = ceilDiv(chunks, parts);
  p.held = static_cast<std::int32_t>(std::min<std::int64_t>(ceilDiv(share, kGroupNormBlock), INT32_MAX));
  p.threads = p.byWarp ? 32 * kGroupNormWarpRows
                       : static_cast<std::int32_t>(ceilDiv(ceilDiv(share, p.held), 32) * 32);
  p.groups = Divider(a.groups);
  p.pixels = Divider(a.pixels);
  return p;
}

// What the blocks of a cluster tell each other: of each part, sixteen bytes of each set.
constexpr std::int64_t boardBytes(std::int64_t parts, std::int64_t sets) {
  return parts > 1 ? 16 * parts * sets : 0;
}

// What a block holds of such a part, what the others told it, and the weight and bias of a group's channels.
inline std::int64_t stagedBytes(const GroupNormArgs& a, const GroupNormRows& p, int lanes) {
  return std::int64_t{p.held} * p.threads * lanes * bytesOf(a.dtype) + boardBytes(p.parts.divisor, 1) +
         2 * a.channels / a.groups * static_cast<std::int64_t>(sizeof(float));
}

// The same for two launches, which split no warp's row.
inline GroupNormRows groupNormStreamedRows(const GroupNormArgs& a, int lanes) {
  GroupNormRows p = groupNormRows(a, lanes);
  const std::int64_t batches =
      ceilDiv(chunksOfGroupNormRow(p.length, lanes), kGroupNormBlock * kGroupNormHeld);
  const std::int64_t wanted = kGroupNormStreamedRows / std::max<std::int64_t>(p.rows, 1);
  p.parts = Divider(std::clamp<std::int64_t>(wanted, 1, batches));
  p.threads = kGroupNormBlock;
  return p;
}

// Channels last: a part is some pixels of a slab. The threads of a unit, which is a warp or some of them,
// have a few neighbouring pixels, a thread a chunk of each; so a warp's threads can add up what they know of
// a chunk's channels without a barrier. Some may be idle.
struct GroupNormPixels {
  std::int64_t rows;                              // images * slabs
  std::int32_t threads, columns;                  // columns: chunks of a pixel
  std::int32_t units, warpsOfUnit, pixelsOfUnit;  // of a block, of a unit, side by side
  std::int32_t groups, groupChannels;             // of a slab, of a group
  std::int32_t held;                              // chunks of a thread, in shared memory; 0 where it walks
  Divider parts, slabs, channelsOfGroup;

  KADVISE_HOST_DEVICE int pixelLanes() const { return units * pixelsOfUnit; }
};

// Shared memory of a block: what it holds, what it is told, mean and squares of each channel of each unit and
// how many pixels that has seen, and two numbers of each group.
inline std::int64_t sharedBytesOf(const GroupNormPixels& p, int lanes) {
  const std::int64_t held = std::int64_t{16} * p.held * p.threads;  // of chunks or single elements
  const std::int64_t sums = p.units * (2 * static_cast<std::int64_t>(p.columns) * lanes + 1) + 2 * p.groups;
  return held + (p.held > 0 ? boardBytes(p.parts.divisor, p.groups) : 0) +
         sums * static_cast<std::int64_t>(sizeof(float));
}

// Threads of a warp that have something to do, of 1024.
constexpr std::int64_t busyThreads(std::int64_t columns) {
  return columns <= 32 ? 32 / columns * columns * 32 : columns * 1024 / (ceilDiv(columns, 32) * 32);
}

// How many units of chunks a slab has: few threads are idle, and there are `wanted` chunks, or as many as can
// be. Not more than half a block's threads.
inline std::int64_t unitsOfSlab(std::int64_t units, std::int64_t unit, std::int64_t wanted) {
  std::int64_t best = 1;
  const auto isFull = [&](std::int64_t n) { return busyThreads(n * unit) >= 896; };
  for (std::int64_t n = 2; n <= units && n * unit <= kGroupNormBlock / 2; ++n) {
    if (units % n != 0 || (isFull(best) && !isFull(n))) continue;
    const bool isBusier = isFull(n) ? !isFull(best) : busyThreads(n * unit) > busyThreads(best * unit);
    if (isBusier || (best * unit < wanted && isFull(n) == isFull(best))) best = n;
  }
  return best;
}

// Slabs of some whole groups; none where a group has too many channels for a block.
inline bool makeSlabs(const GroupNormArgs& a, int lanes, std::int64_t wanted, int block, GroupNormPixels& p) {
  const std::int64_t groupChannels = a.channels / a.groups;
  const std::int64_t unit = std::lcm(groupChannels, static_cast<std::int64_t>(lanes)) / lanes;
  if (unit > kGroupNormBlock) return false;
  const std::int64_t units = a.channels / lanes / unit, joined = unitsOfSlab(units, unit, wanted);

  const std::int64_t columns = joined * unit;
  p = {};
  p.columns = static_cast<std::int32_t>(columns);
  p.pixelsOfUnit = static_cast<std::int32_t>(std::max<std::int64_t>(32 / columns, 1));
  p.warpsOfUnit = static_cast<std::int32_t>(ceilDiv(columns, 32));
  p.units = static_cast<std::int32_t>(
      std::min<std::int64_t>(block / 32 / p.warpsOfUnit, ceilDiv(a.pixels, p.pixelsOfUnit)));
  p.threads = 32 * p.warpsOfUnit * p.units;
  p.groupChannels = static_cast<std::int32_t>(groupChannels);
  p.groups = static_cast<std::int32_t>(columns * lanes / groupChannels);
  p.slabs = Divider(units / joined);
  p.channelsOfGroup = Divider(groupChannels);
  p.rows = a.images * p.slabs.divisor;
  return true;
}

// Blocks that hold their parts. Slabs as wide as a line of memory, or half of it where that makes too few or
// too long rows; the widest clusters come last. False where rows are too long even so.
inline bool makeHeldPixels(const GroupNormArgs& a, int lanes, GroupNormPixels& p) {
  struct Try {
    std::int64_t columns;
    int cluster;
  };
  for (const Try one :
       {Try{8, kGroupNormCluster}, Try{4, kGroupNormCluster}, Try{4, kGroupNormWideCluster}}) {
    if (!makeSlabs(a, lanes, one.columns, kGroupNormBlock, p)) return false;
    const std::int64_t most = kGroupNormHeldPixels / 16 / p.threads * p.pixelLanes();  // pixels of a block
    std::int64_t parts = 1;
    while (parts * most < a.pixels) parts *= 2;
    while (parts < kGroupNormCluster && parts * p.rows < kGroupNormWanted &&
           2 * parts * p.pixelLanes() <= a.pixels)
      parts *= 2;
    if (parts > one.cluster) continue;
    if (one.columns == 8 && parts == kGroupNormCluster && parts * p.rows < kGroupNormWanted) continue;
    p.parts = Divider(parts);
    p.held = static_cast<std::int32_t>(ceilDiv(a.pixels, parts * p.pixelLanes()));
    return true;
  }
  return false;
}

// Blocks that walk over their parts, as many as are wanted in all, if so many have something to do. Slabs as
// wide as still leave a block many pixels.
inline bool makeStreamedPixels(const GroupNormArgs& a, int lanes, GroupNormPixels& p) {
  if (!makeSlabs(a, lanes, kGroupNormBlock / 4, kGroupNormStreamedBlock, p)) return false;
  const std::int64_t most = ceilDiv(a.pixels, static_cast<std::int64_t>(p.pixelLanes()) * kGroupNormBatch);
  const std::int64_t wanted = kGroupNormStreamedBlocks / std::max<std::int64_t>(p.rows, 1);
  p.parts = Divider(std::clamp<std::int64_t>(wanted, 1, most));
  return true;
}

}  // namespace kadvise
