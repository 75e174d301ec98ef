// Group norm of channels-first memory whose rows wait in shared memory, each in one block or in a cluster's.
#pragma once

#include "kernels/group_norm/rows.cuh"
#include "kernels/group_norm/staged.cuh"

namespace kadvise {

constexpr int kGroupNormStagedHeld =
    4;  // chunks that a thread has in registers at a time: as many threads run

// Where a block keeps what it brings: chunk u of a thread in stage s.
struct RowStages {
  uint4* own;  // the thread's first chunk
  int threads, perStage;

  __device__ __forceinline__ RowStages(const GroupNormRows& p, uint4* memory)
      : own(memory + threadIdx.x), threads(p.threads), perStage(p.chunksOfThread * p.threads) {}
  __device__ __forceinline__ uint4* at(int stage, int u) const {
    return own + stage * perStage + u * threads;
  }
};

// Calls work(held) for all of a part that waits in a stage.
template <class T, int V, bool kEdges, class Work>
__device__ __forceinline__ void forStaged(const RowStages& stages, int stage,
                                          RowPart<T, V, kEdges, std::int64_t> part, Work work) {
  for (int u0 = 0; part.begin < part.end; u0 += kGroupNormStagedHeld) {
    work(HeldPart<T, V, kEdges, 0, kGroupNormStagedHeld>(
        part, [&](int u, std::int64_t) { return Chunk<T, V>{*stages.at(stage, u0 + u)}; }));
    part.begin += static_cast<std::int64_t>(kGroupNormStagedHeld) * stages.threads;
  }
}

// Blocks, or clusters of them, go from row to row. Shared memory: two times what the blocks of a row tell
// each other, in turn, then the stages.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormStagedBlock, 1)
    groupNormStagedRows(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p) {
  __shared__ Moments slots[2][32];
  auto* const told = reinterpret_cast<Moments*>(dynamicShared());
  const RowStages stages(p, reinterpret_cast<uint4*>(told + 2 * kGroupNormCluster));
  const RowTask task(p, blockIdx.x);
  const std::int64_t step = p.parts.quotient(gridDim.x);
  const auto rowAt = [&](std::int64_t row) { return static_cast<const T*>(a.x) + row * p.length; };
  const auto partAt = [&](std::int64_t row) {
    return partOfRow<T, V, kEdges>(rowAt(row), p.length, task.parts, task.part);
  };
  const auto bringRow = [&](std::int64_t row, int stage) {
    if (row < p.rows) {
      const T* const x = rowAt(row);
      const auto part = partAt(row);
      int u = 0;
      for (std::int64_t c = part.begin + threadIdx.x; c < part.end; c += stages.threads, ++u) {
        const std::int64_t first = c * V - part.shift;
        if (!kEdges || isWhole<V>(first, part.length)) {
          bring(stages.at(stage, u), x + first);
        } else {
          *stages.at(stage, u) = part.load(x, first).bits;
        }
      }
    }
    endLoad();
  };

  if (task.parts > 1) arriveAtCluster();  // has begun: others may write into its memory
  for (int s = 0; s < p.stages - 1; ++s) bringRow(task.row + s * step, s);
  int stage = 0, turn = 0;
  for (std::int64_t row = task.row; row < p.rows; row += step, turn ^= 1) {
    // Into the stage of the row before, which this thread is done with.
    const int before = stage == 0 ? p.stages - 1 : stage - 1;
    bringRow(row + (p.stages - 1) * step, before);
    waitForLoads(p.stages - 1);
    Moments moments{};
    forStaged<T, V, kEdges>(stages, stage, partAt(row),
                            [&](const auto& held) { moments = together(moments, held.moments()); });
    moments = momentsOfBlock(moments, slots[turn]);
    if (task.parts > 1) {  // at most a warp has parts: each warp adds them up for itself
      Moments* const now = told + turn * kGroupNormCluster;
      if (row == task.row) waitForCluster();
      if (static_cast<int>(threadIdx.x) < task.parts)
        tellBlock(now + task.part, static_cast<int>(threadIdx.x), moments);
      arriveAtCluster();
      waitForCluster();
      const int lane = static_cast<int>(threadIdx.x % 32);
      moments = ofFirstLane(momentsOfLanes<kGroupNormCluster>(lane < task.parts ? now[lane] : Moments{}));
    }
    forStaged<T, V, kEdges>(stages, stage, partAt(row), [&](const auto& held) {
      storeNormalized<T, V, kEdges>(a, p, held, FirstChannels<T, kGroupNormStagedHeld>(a, p, held, row, V),
                                    row, moments);
    });
    stage = stage + 1 == p.stages ? 0 : stage + 1;
  }
}

}  // namespace kadvise
