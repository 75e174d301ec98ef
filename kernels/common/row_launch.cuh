// Which kernel of a norm serves a call, and its launch.
#pragma once

#include "kernels/common/access.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/row_schedule.h"

#include <span>

namespace kadvise {

// What a launch needs to know, found once.
struct RowPlan {
  Access access;
  std::int64_t rows;
  std::int64_t vectors;  // that cover a row, wherever it begins
  std::int64_t vectorBytes;
  DeviceLimits limits;
  RowSchedule schedule;
};

// Args: grid, length, dtype, and schedule, which may name one. Kernels whose rows are not aligned alike go by
// elements.
template <class Args>
cudaError_t makeRowPlan(const Args& a, Access access, RowPlan& plan) {
  if (const auto error = readLimits(plan.limits)) return error;
  plan.access = access;
  plan.rows = a.grid.count;
  plan.vectorBytes = access == Access::Elements ? bytesOf(a.dtype) : 16;
  const std::int64_t lanes = plan.vectorBytes / bytesOf(a.dtype);
  const std::int64_t shift = access == Access::Edges ? lanes - 1 : 0;
  plan.vectors = ceilDiv(a.length + shift, lanes);
  plan.schedule = a.schedule != nullptr ? *a.schedule
                                        : chooseRowSchedule({plan.rows, plan.vectors, plan.vectorBytes,
                                                             plan.limits.sms, plan.limits.sharedBytes});
  return cudaSuccess;
}

// The kernels of one operator for one dtype and one access.
template <class Args>
struct RowKernels {
  struct Registers {
    int rowThreads, vectors;  // as in RowSchedule
    void (*kernel)(Args);
  };
  std::span<const Registers> registers;  // none for Access::Elements
  void (*shared)(Args);
  std::span<void (*const)(Args, int splits)> split;  // in the order of their launches
};

// Blocks for `groups` groups of rows: one each, or as many as the schedule keeps resident. Blocks loop over
// the rest.
inline std::int64_t blocksFor(std::int64_t groups, const RowPlan& plan) {
  constexpr std::int64_t kMostBlocks = INT32_MAX;
  const std::int64_t resident = static_cast<std::int64_t>(plan.schedule.blocksPerSm) * plan.limits.sms;
  return std::min(groups, resident > 0 ? resident : kMostBlocks);
}

template <class Args>
cudaError_t launchRegisters(const Args& a, const RowPlan& plan, const RowKernels<Args>& kernels,
                            cudaStream_t stream) {
  const RowSchedule& s = plan.schedule;
  const int threadsOfRow = s.rowThreads > 0 ? s.rowThreads : s.block;
  const bool fits = static_cast<std::int64_t>(threadsOfRow) * s.vectors >= plan.vectors &&
                    s.block % 32 == 0 && s.block > 0 && s.block <= mostThreads(s.rowThreads, s.vectors);
  if (!fits) return cudaErrorInvalidConfiguration;
  const std::int64_t groups = ceilDiv(plan.rows, s.block / threadsOfRow);
  for (const auto& entry : kernels.registers) {
    if (entry.rowThreads != s.rowThreads || entry.vectors != s.vectors) continue;
    return launchKernel(entry.kernel, blocksFor(groups, plan), s.block, 0, stream, a);
  }
  return cudaErrorInvalidConfiguration;
}

template <class Args>
cudaError_t launchShared(const Args& a, const RowPlan& plan, const RowKernels<Args>& kernels,
                         cudaStream_t stream) {
  const std::int64_t bytes = plan.vectors * plan.vectorBytes;
  const int block = plan.schedule.block;
  if (block <= 0 || block % 32 != 0 || block > kLongestBlock) return cudaErrorInvalidConfiguration;
  return launchKernel(kernels.shared, blocksFor(plan.rows, plan), block, bytes, stream, a);
}

// Args: scratch too.
template <class Args>
cudaError_t launchSplit(const Args& a, const RowPlan& plan, const RowKernels<Args>& kernels,
                        cudaStream_t stream) {
  const int splits = plan.schedule.splits, block = plan.schedule.block;
  const std::int64_t blocks = plan.rows * splits;
  if (splits <= 0 || blocks > INT32_MAX || a.scratch == nullptr || block != kLongestBlock) {
    return cudaErrorInvalidConfiguration;
  }
  for (const auto kernel : kernels.split) {
    if (const auto error = launchKernel(kernel, blocks, block, 0, stream, a, splits)) return error;
  }
  return cudaSuccess;
}

template <class Args>
cudaError_t launchRows(const Args& a, const RowPlan& plan, const RowKernels<Args>& kernels,
                       cudaStream_t stream) {
  switch (plan.schedule.kind) {
    case RowKind::Registers:
      return launchRegisters(a, plan, kernels, stream);
    case RowKind::Shared:
      return launchShared(a, plan, kernels, stream);
    case RowKind::Split:
      return launchSplit(a, plan, kernels, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace kadvise
