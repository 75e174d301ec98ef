// Group norm of channels-last memory: which pixels a block has, and what its threads find in them.
#pragma once

#include "kernels/common/shared.cuh"
#include "kernels/group_norm/launches.cuh"
#include "kernels/group_norm/plan.h"
#include "kernels/group_norm/stream.cuh"

namespace kadvise {

// A block's sums in shared memory.
template <int V>
struct PixelsShared {
  Moments* board;     // of a cluster's parts and their groups
  float2* channels;   // mean and squares: [units][columns * V]
  float* unitCounts;  // pixels that each unit has seen
  float* mean;        // of each group
  float* inverse;     // of each group: 1 / deviation

  __device__ __forceinline__ PixelsShared(const GroupNormPixels& p, void* memory)
      : board(static_cast<Moments*>(memory)),
        channels(reinterpret_cast<float2*>(
            board + (p.held > 0 && p.parts.divisor > 1 ? static_cast<int>(p.parts.divisor) * p.groups : 0))),
        unitCounts(reinterpret_cast<float*>(channels + p.units * p.columns * V)),
        mean(unitCounts + p.units),
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
  std::int64_t row, image;
  int part, slab;

  __device__ __forceinline__ PixelTask(const GroupNormPixels& p,
                                       unsigned task)  // as many as there are blocks
      : row(p.parts.quotientOfSmall(task)), image(p.slabs.quotientOfSmall(static_cast<unsigned>(row))) {
    part = static_cast<int>(task - static_cast<unsigned>(row) * static_cast<unsigned>(p.parts.divisor));
    slab = static_cast<int>(row - image * p.slabs.divisor);
  }
};

// Where a thread works.
struct PixelThread {
  int unit, column, pixel;  // pixel: of those of its unit
  bool idle;

  __device__ __forceinline__ explicit PixelThread(const GroupNormPixels& p) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    unit = p.warpsOfUnit == 1 ? warp : warp / p.warpsOfUnit;
    const int place = static_cast<int>(threadIdx.x) - unit * p.warpsOfUnit * 32;
    pixel = place / p.columns;
    column = place - pixel * p.columns;
    idle = pixel >= p.pixelsOfUnit;
  }
  __device__ __forceinline__ int lane(const GroupNormPixels& p) const {
    return unit * p.pixelsOfUnit + pixel;
  }
  // Whose first pixel the threads of a column measure from: a lane of the warp.
  __device__ __forceinline__ int firstLane(const GroupNormPixels& p) const {
    return p.warpsOfUnit == 1 ? column : static_cast<int>(threadIdx.x) % 32;
  }
};

// A thread's chunks of a part, one of each of its pixels: neighbouring parts have neighbouring tiles of a
// pixel a lane, so that all blocks of a row walk through memory side by side. In order, or the last one
// first.
template <class T, int V, bool kBackwards = false>
struct PixelPart {
  std::int64_t offset, step;  // of the first, and from one to the next, in elements
  int count;

  __device__ __forceinline__ PixelPart(const GroupNormArgs& a, const GroupNormPixels& p,
                                       const PixelTask& task, const PixelThread& thread) {
    const int lanes = p.pixelLanes(), first = task.part * lanes + thread.lane(p),
              stride = static_cast<int>(p.parts.divisor) * lanes;
    offset = (task.image * a.pixels + first) * a.channels + (task.slab * p.columns + thread.column) * V;
    step = stride * a.channels;
    const std::int64_t left = a.pixels - first;
    if (thread.idle || left <= 0) count = 0;
    else if (left <= INT32_MAX) count = (static_cast<int>(left) - 1) / stride + 1;
    else count = static_cast<int>((left - 1) / stride + 1);
    if (kBackwards && count > 0) {
      offset += (count - 1) * step;
      step = -step;
    }
  }
  __device__ __forceinline__ const T* at(const void* memory, int u) const {
    return static_cast<const T*>(memory) + offset + u * step;
  }
  __device__ __forceinline__ T* at(void* memory, int u) const {
    return static_cast<T*>(memory) + offset + u * step;
  }
};

// The shift of a thread's channels, whenever it is wanted: most norms have none, and no registers for one.
template <class T, int V>
struct PixelShift {
  const T* first;  // of the thread's channels; null for none

  __device__ __forceinline__ PixelShift(const GroupNormArgs& a, const GroupNormPixels& p,
                                        const PixelTask& task, const PixelThread& thread)
      : first(static_cast<const T*>(a.shift)) {
    if (first == nullptr) return;
    if (!a.shiftsAlike) first += task.image * a.channels;
    first += (task.slab * p.columns + thread.column) * V;
  }
  __device__ __forceinline__ float operator()(int j) const {
    return first != nullptr ? toFloat(__ldg(first + j)) : 0.0f;
  }
};

// Sums of each of a thread's channels over the pixels that it has seen. The threads of a warp that have the
// same channels measure from the same pixel.
template <int V>
struct ChannelSums {
  SumsAbout sums[V];
  int pixels = 0;

  // Every thread of the warp calls it, with its first chunk if it has one.
  template <class T>
  __device__ __forceinline__ void begin(const Chunk<T, V>& chunk, int firstLane) {
    float v[V];
    unpack(chunk, v);
#pragma unroll
    for (int j = 0; j < V; ++j) sums[j].about = __shfl_sync(0xffffffffu, v[j], firstLane);
  }
  template <class T>
  __device__ __forceinline__ void add(const Chunk<T, V>& chunk) {
    float v[V];
    unpack(chunk, v);
#pragma unroll
    for (int j = 0; j < V; ++j) sums[j].add(v[j]);
    ++pixels;
  }
  // Over the pixels of a unit, in the threads of its first. The order is fixed: halves, the middle one
  // waiting.
  __device__ __forceinline__ void addUnit(const GroupNormPixels& p, const PixelThread& at) {
    for (int left = p.pixelsOfUnit; left > 1;) {
      const int half = (left + 1) / 2, distance = half * p.columns;
      const bool isAdded = at.pixel + half < left;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const float sum = __shfl_down_sync(0xffffffffu, sums[j].sum, distance),
                    squares = __shfl_down_sync(0xffffffffu, sums[j].squares, distance);
        sums[j].sum += isAdded ? sum : 0.0f;
        sums[j].squares += isAdded ? squares : 0.0f;
      }
      const int more = __shfl_down_sync(0xffffffffu, pixels, distance);
      pixels += isAdded ? more : 0;
      left = half;
    }
  }
};

// All threads' sums by group, of what is shifted, after a barrier; calls finish(group, moments, lane, lanes)
// in the `lanes` threads that share a group. The order is fixed.
template <class T, int V, class Finish>
__device__ __forceinline__ void toGroups(const GroupNormPixels& p, const PixelThread& at, ChannelSums<V>& own,
                                         const PixelShift<T, V>& shift, const PixelsShared<V>& shared,
                                         Finish finish) {
  const int channels = p.columns * V;
  own.addUnit(p, at);
  if (at.pixel == 0) {
    const auto count = static_cast<float>(own.pixels);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      own.sums[j].count = count;
      const Moments m = own.sums[j].moments();
      shared.channels[at.unit * channels + at.column * V + j] = {m.mean + shift(j), m.squares};
    }
    if (at.column == 0) shared.unitCounts[at.unit] = count;
  }
  __syncthreads();
  const int entries = p.units * p.groupChannels;
  const bool byWarp = entries > 8;
  forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
    const float2* const first = shared.channels + g * p.groupChannels;
    SumsAbout all{first->x};
    for (int i = lane; i < entries; i += lanes) {
      const int unit = static_cast<int>(p.channelsOfGroup.quotientOfSmall(static_cast<unsigned>(i)));
      const float2 one = first[unit * channels + i - unit * p.groupChannels];
      all.add(Moments{one.x, one.y, shared.unitCounts[unit], 0});
    }
    if (byWarp) all = sumsOfLanes<32>(all);
    finish(g, all.moments(), lane, lanes);
  });
}

// Where a part leaves a group's moments: those of a row's parts lie together.
__device__ __forceinline__ Moments* placeOf(const GroupNormScratch& scratch, const GroupNormPixels& p,
                                            const PixelTask& task, int group) {
  return scratch.moments + (task.row * p.groups + group) * p.parts.divisor + task.part;
}

// What the parts of a row have together, into shared.mean and shared.inverse; a barrier behind it.
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
