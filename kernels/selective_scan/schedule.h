// How selective_scan spreads over a GPU: lanes that share a channel's states, and warps that share its times.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kadvise {

struct ScanSchedule {
  std::int32_t perLane;  // states of a lane: 4 or 16
  std::int32_t lanes;    // of a channel: a power of two; lanes * perLane covers the states
  std::int32_t splits;   // warps that share the times of a channel
  std::int32_t warps;    // of a block: the splits, or warps with channels of their own
  std::int64_t span;     // times of one split, a multiple of kScanGroup
};

constexpr std::int32_t kScanGroup = 8;   // times that a lane has in flight
constexpr std::int32_t kScanTile = 512;  // floats of B, and of C, that a warp holds in shared memory
constexpr std::int32_t kScanWarps = 4;   // of a block whose warps have channels of their own
constexpr std::int32_t kMostSplits = 16;
constexpr std::int64_t kLeastSpan = 64;   // times below which another split is not worth starting
constexpr std::int64_t kWarpsWanted = 8;  // of a multiprocessor: two a scheduler hide the exponentials

constexpr std::int32_t lanesFor(std::int32_t states, std::int32_t perLane) {
  std::int32_t lanes = 1;
  while (lanes * perLane < states) lanes *= 2;
  return lanes;
}

// Fewer states a lane cost more shuffles, and a second split computes nearly everything twice: both are for
// few channels only.
constexpr ScanSchedule chooseScanSchedule(std::int64_t batches, std::int64_t channels, std::int64_t length,
                                          std::int32_t states, std::int64_t sms) {
  const auto warpsOf = [&](std::int32_t lanes) {
    const std::int64_t perWarp = 32 / lanes;
    return batches * ((channels + perWarp - 1) / perWarp);
  };
  const std::int64_t wanted = kWarpsWanted * sms;
  const bool many = warpsOf(lanesFor(states, 16)) >= wanted;
  ScanSchedule s{many ? 16 : 4, lanesFor(states, many ? 16 : 4), 1, kScanWarps, 0};
  while (s.splits < kMostSplits && warpsOf(s.lanes) * s.splits < wanted &&
         length >= 2 * s.splits * kLeastSpan) {
    s.splits *= 2;
  }
  if (s.splits > 1) s.warps = s.splits;
  const std::int64_t span = (length + s.splits - 1) / s.splits;
  s.span = (span + kScanGroup - 1) / kScanGroup * kScanGroup;
  return s;
}

}  // namespace kadvise
