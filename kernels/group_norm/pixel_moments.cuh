// Group norm of channels-last memory: which pixels a block has, and what its threads find in them.
#pragma once

#include "kernels/common/shared.cuh"
#include "kernels/group_norm/parts.cuh"
#include "kernels/group_norm/plan.h"
#include "kernels/group_norm/stream.cuh"

namespace kadvise {

// A block's sums in shared memory. Channels stand in the order of `entry`, in which neighbouring threads
// meet neighbouring words.
template <int V>
struct PixelsShared {
  float2* lanes;       // mean and squares of each thread's channels: [V][pixelLanes][columns]
  float2* slices;      // of some pixel lanes together: [slices][V][columns]
  float* laneCounts;   // pixels of each lane
  float* sliceCounts;  // of each slice
  float* mean;         // of each group
  float* inverse;      // of each group: 1 / deviation

  // Of a slab's channel c in a slice.
  __device__ __forceinline__ static int entry(const GroupNormPixels& p, int c) {
    return c % V * p.columns + c / V;
  }
  __device__ __forceinline__ PixelsShared(const GroupNormPixels& p, float* memory)
      : lanes(reinterpret_cast<float2*>(memory)),
        slices(lanes + p.columns * V * p.pixelLanes),
        laneCounts(reinterpret_cast<float*>(slices + p.columns * V * slicesOfLanes(p, V))),
        sliceCounts(laneCounts + p.pixelLanes),
        mean(sliceCounts + slicesOfLanes(p, V)),
        inverse(mean + p.groups) {}
};

// Calls work(group, lane, lanes): a thread for each group of few channels, else a warp.
template <class Work>
__device__ __forceinline__ void forGroups(int groups, bool byWarp, Work work) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if (!byWarp) {
    for (int g = thread; g < groups; g += threads) work(g, 0, 1);
    return;
  }
  for (int g = thread / 32; g < groups; g += threads / 32) work(g, thread % 32, 32);
}

// Which part of which slab of which image a block has.
struct PixelTask {
  std::int64_t row, image, slab, begin, end;  // pixels begin to end

  __device__ __forceinline__ PixelTask(const GroupNormArgs& a, const GroupNormPixels& p, std::int64_t task)
      : row(p.parts.quotient(task)),
        image(p.slabs.quotient(row)),
        slab(row - image * p.slabs.divisor),
        begin((task - row * p.parts.divisor) * p.pixelsOfPart),
        end(begin + p.pixelsOfPart < a.pixels ? begin + p.pixelsOfPart : a.pixels) {}
};

// Where a thread works.
struct PixelThread {
  int column, lane;
  bool idle;

  __device__ __forceinline__ explicit PixelThread(const GroupNormPixels& p) {
    lane = static_cast<int>(threadIdx.x) / p.columns;
    column = static_cast<int>(threadIdx.x) - lane * p.columns;
    idle = lane >= p.pixelLanes;
  }
};

// A thread's chunks of a part, one of each of its pixels.
template <class T, int V>
struct PixelPart {
  std::int64_t offset, step;  // of the first, and from one to the next, in elements
  int count;

  __device__ __forceinline__ PixelPart(const GroupNormArgs& a, const GroupNormPixels& p,
                                       const PixelTask& task, const PixelThread& thread)
      : offset((task.image * a.pixels + task.begin + thread.lane) * a.channels +
               (task.slab * p.columns + thread.column) * V),
        step(p.pixelLanes * a.channels) {
    const std::int64_t left = task.end - task.begin - thread.lane;
    count = thread.idle || left <= 0 ? 0 : static_cast<int>((left + p.pixelLanes - 1) / p.pixelLanes);
  }
  __device__ __forceinline__ const T* at(const void* memory, int u) const {
    return static_cast<const T*>(memory) + offset + u * step;
  }
  __device__ __forceinline__ T* at(void* memory, int u) const {
    return static_cast<T*>(memory) + offset + u * step;
  }
};

// Sums of each of a thread's channels over the pixels that it has seen, from its first pixel.
template <int V>
struct ChannelSums {
  ShiftedSums sums[V];
  float shift[V] = {};
  int pixels = 0;

  template <class T>
  __device__ __forceinline__ void begin(const Chunk<T, V>& chunk) {
    unpack(chunk, shift);
  }
  template <class T>
  __device__ __forceinline__ void add(const Chunk<T, V>& chunk) {
    float v[V];
    unpack(chunk, v);
#pragma unroll
    for (int j = 0; j < V; ++j) sums[j].add(v[j] - shift[j]);
    ++pixels;
  }
};

// What entries have together: `mean` and `squares` by number, `count` by number. Two passes, without a
// division for each.
struct MomentsOfMany {
  float sum = 0, count = 0, mean = 0, squares = 0;

  __device__ __forceinline__ void addMean(float entryMean, float entryCount) {
    sum = fmaf(entryMean, entryCount, sum);
    count += entryCount;
  }
  __device__ __forceinline__ void finishMean() { mean = count > 0 ? __fdividef(sum, count) : 0.0f; }
  __device__ __forceinline__ void addSquares(float entryMean, float entrySquares, float entryCount) {
    const float distance = entryMean - mean;
    squares += fmaf(distance * distance, entryCount, entrySquares);
  }
  __device__ __forceinline__ Moments moments() const { return {mean, squares, count, 0}; }
};

// All threads' sums by group; calls finish(group, moments) once for each. The order is fixed.
template <int V, class Finish>
__device__ __forceinline__ void toGroups(const GroupNormPixels& p, const PixelThread& at,
                                         const ChannelSums<V>& own, const PixelsShared<V>& shared,
                                         Finish finish) {
  const int channels = p.columns * V, perEntry = p.pixelLanes * p.columns;
  if (!at.idle) {
    const auto count = static_cast<float>(own.pixels);
    const float inverse = inverseOrZero(count);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const Moments m = own.sums[j].moments(own.shift[j], count, inverse);
      shared.lanes[j * perEntry + at.lane * p.columns + at.column] = {m.mean, m.squares};
    }
    if (at.column == 0) shared.laneCounts[at.lane] = count;
  }
  __syncthreads();
  const int slices = slicesOfLanes(p, V);
  for (int i = static_cast<int>(threadIdx.x); i < slices * channels; i += static_cast<int>(blockDim.x)) {
    const int slice = i / channels, c = i - slice * channels, j = c / p.columns;
    const float2* const of = shared.lanes + j * perEntry + c - j * p.columns;
    MomentsOfMany all;
    for (int lane = slice; lane < p.pixelLanes; lane += slices)
      all.addMean(of[lane * p.columns].x, shared.laneCounts[lane]);
    all.finishMean();
    for (int lane = slice; lane < p.pixelLanes; lane += slices)
      all.addSquares(of[lane * p.columns].x, of[lane * p.columns].y, shared.laneCounts[lane]);
    shared.slices[i] = {all.mean, all.squares};
    if (c == 0) shared.sliceCounts[slice] = all.count;
  }
  __syncthreads();
  const bool byWarp = slices * p.groupChannels > 16;
  forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
    MomentsOfMany all;
    const auto forEntries = [&](auto work) {
      for (int slice = 0; slice < slices; ++slice) {
        for (int c = lane; c < p.groupChannels; c += lanes)
          work(shared.slices[slice * channels + PixelsShared<V>::entry(p, g * p.groupChannels + c)],
               shared.sliceCounts[slice]);
      }
    };
    forEntries([&](float2 one, float count) { all.addMean(one.x, count); });
    all.finishMean();
    forEntries([&](float2 one, float count) { all.addSquares(one.x, one.y, count); });
    const Moments m = byWarp ? momentsOfLanes<32>(all.moments()) : all.moments();
    if (lane == 0) finish(g, m);
  });
  __syncthreads();
}

// Where a part leaves a group's moments: those of a row's parts lie together.
__device__ __forceinline__ Moments* placeOf(const GroupNormScratch& scratch, const GroupNormPixels& p,
                                            std::int64_t task, int group) {
  const std::int64_t row = p.parts.quotient(task), part = task - row * p.parts.divisor;
  return scratch.moments + (row * p.groups + group) * p.parts.divisor + part;
}

// What the parts of a row have together, into shared.mean and shared.inverse.
template <int V>
__device__ __forceinline__ void mergeMoments(const GroupNormArgs& a, const GroupNormPixels& p,
                                             const Moments* moments, int parts,
                                             const PixelsShared<V>& shared) {
  const bool byWarp = parts > 4;
  forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
    Moments all = merged(moments + static_cast<std::int64_t>(g) * parts, parts, lane, lanes);
    if (byWarp) all = momentsOfLanes<32>(all);
    if (lane != 0) return;
    shared.mean[g] = all.mean;
    shared.inverse[g] = inverseDeviation(all, a.eps);
  });
  __syncthreads();
}

}  // namespace kadvise
