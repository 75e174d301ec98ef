// How the data of a group norm is divided among blocks: plain arithmetic, so that tests can walk it without a
// GPU.
//
// A row is what is summed together: a group of an image, or, with the channels last, a slab of some whole
// groups of an image. A part of a row is a block's: what it holds in registers, so that x is read once, or,
// in two launches, what it walks over.
#pragma once

#include "kernels/common/divider.h"
#include "kernels/group_norm/launch.h"

#include <algorithm>
#include <numeric>

namespace kadvise {

constexpr int kGroupNormBlock = 256;
constexpr int kGroupNormHeld = 8;      // chunks that a thread holds
constexpr int kGroupNormWarpRows = 4;  // rows of a block where each has a warp
constexpr int kGroupNormCluster = 8;   // most blocks that run side by side and may wait for each other
// Blocks that fill a large GPU: rows are split further than their length asks for where there are fewer.
constexpr std::int64_t kGroupNormWanted = 512;
// Of two launches, so that none waits for another one to end.
constexpr std::int64_t kGroupNormStreaming = 384;
constexpr std::int64_t kGroupNormStreamingRows = 264;  // the same of rows, measured

constexpr std::int64_t partsOf(std::int64_t all, std::int64_t most) { return (all + most - 1) / most; }

// Channels first: a row lies together.
struct GroupNormRows {
  std::int64_t rows, length;
  std::int32_t threads;  // of a block
  bool byWarp;           // each row has a warp
  bool wholeChannels;    // no chunk has elements of two channels
  Divider parts, groups, pixels;
};

inline GroupNormRows groupNormRows(const GroupNormArgs& a, int lanes) {
  GroupNormRows p{};
  p.rows = a.images * a.groups;
  p.length = a.channels / a.groups * a.pixels;
  // Wherever a row begins, unless all begin with a chunk.
  const std::int64_t chunks = partsOf(p.length % lanes == 0 ? p.length : p.length + lanes - 1, lanes);
  p.byWarp = chunks <= 32 * kGroupNormHeld;
  p.wholeChannels = a.pixels % lanes == 0;
  const std::int64_t least = partsOf(chunks, kGroupNormBlock * kGroupNormHeld);
  const std::int64_t wanted =
      std::min({std::int64_t{kGroupNormCluster}, kGroupNormWanted / std::max<std::int64_t>(p.rows, 1),
                chunks / (64 * kGroupNormHeld)});
  p.parts = Divider(p.byWarp ? 1 : std::max(least, wanted));
  const std::int64_t share = partsOf(partsOf(chunks, p.parts.divisor), kGroupNormHeld);
  p.threads = p.byWarp ? 32 * kGroupNormWarpRows : static_cast<std::int32_t>(partsOf(share, 32) * 32);
  p.groups = Divider(a.groups);
  p.pixels = Divider(a.pixels);
  return p;
}

// The same for two launches, which split no warp's row.
inline GroupNormRows groupNormStreamedRows(const GroupNormArgs& a, int lanes) {
  GroupNormRows p = groupNormRows(a, lanes);
  const std::int64_t batches = partsOf(partsOf(p.length, lanes) + 1, kGroupNormBlock * kGroupNormHeld);
  const std::int64_t wanted = kGroupNormStreamingRows / std::max<std::int64_t>(p.rows, 1);
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
  std::int64_t pixelsOfPart;
  Divider parts, slabs, channelsOfGroup;
};

// Columns that a slab should have: half a line of memory for a few channels a group, else a line, which is
// less for the blocks of a row to tell each other; in two launches as many as still leave a block many
// pixels.
constexpr int wantedColumns(std::int64_t groupChannels, bool streams) {
  if (streams) return kGroupNormBlock / 4;
  return groupChannels < 8 ? 4 : 8;
}

// False where a group has too many channels for a block.
inline bool makeGroupNormPixels(const GroupNormArgs& a, int lanes, bool streams, GroupNormPixels& p) {
  const std::int64_t groupChannels = a.channels / a.groups;
  const std::int64_t unit = std::lcm(groupChannels, static_cast<std::int64_t>(lanes)) / lanes;
  if (unit > kGroupNormBlock) return false;
  const std::int64_t units = a.channels / lanes / unit;
  std::int64_t joined = 1;
  while (joined < units && (units % joined != 0 || joined * unit < wantedColumns(groupChannels, streams)))
    ++joined;
  if (joined * unit > kGroupNormBlock / 2) joined = 1;

  const std::int64_t columns = joined * unit;
  p = {};
  p.columns = static_cast<std::int32_t>(columns);
  p.pixelLanes = static_cast<std::int32_t>(
      std::min(kGroupNormBlock / columns, std::max<std::int64_t>(1, partsOf(a.pixels, kGroupNormHeld))));
  p.threads = static_cast<std::int32_t>(partsOf(columns * p.pixelLanes, 32) * 32);
  p.groupChannels = static_cast<std::int32_t>(groupChannels);
  p.groups = static_cast<std::int32_t>(columns * lanes / groupChannels);
  p.slabs = Divider(units / joined);
  p.channelsOfGroup = Divider(groupChannels);
  p.rows = a.images * p.slabs.divisor;
  std::int64_t parts = partsOf(a.pixels, static_cast<std::int64_t>(p.pixelLanes) * kGroupNormHeld);
  if (streams)
    parts = std::clamp<std::int64_t>(kGroupNormStreaming / std::max<std::int64_t>(p.rows, 1), 1, parts);
  p.parts = Divider(parts);
  p.pixelsOfPart = partsOf(a.pixels, parts);
  return true;
}

}  // namespace kadvise
