#include "profiler/occupancy.h"

#include <algorithm>

namespace kadvise {
namespace {

constexpr int kRegistersPerAllocation = 256;  // of a warp, since compute capability 3.0

int roundedUp(int n, int to) { return (n + to - 1) / to * to; }

}  // namespace

double occupancyAtBest(const LaunchShape& shape, const SmLimits& sm) {
  int threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (threads <= 0 || sm.threads <= 0 || sm.warpSize <= 0) return 0;
  int warps = (threads + sm.warpSize - 1) / sm.warpSize;
  int blocks = std::min(sm.blocks, sm.threads / (warps * sm.warpSize));
  if (shape.registers > 0)
    blocks = std::min(
        blocks, sm.registers / (warps * roundedUp(shape.registers * sm.warpSize, kRegistersPerAllocation)));
  int shared = shape.sharedBytes + sm.sharedBytesReservedPerBlock;
  if (shared > 0 && sm.sharedBytes > 0) blocks = std::min(blocks, sm.sharedBytes / shared);
  return static_cast<double>(blocks * warps * sm.warpSize) / sm.threads;
}

}  // namespace kadvise
