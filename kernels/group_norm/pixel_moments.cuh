// Group norm of channels-last memory: which pixels a block has, and what its threads find in them.
#pragma once

#include "kernels/common/vector.cuh"
#include "kernels/group_norm/parts.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// Shared memory of a block, in floats.
template <int V>
struct PixelsShared {
  float2* lanes;       // mean and squares of each thread's channels: [pixelLanes][columns * V]
  float2* slices;      // of some pixel lanes together: [slices][columns * V]
  float* laneCounts;   // pixels of each lane
  float* sliceCounts;  // of each slice
  float* mean;         // of each group
  float* inverse;      // of each group: its squares, then 1 / deviation

  KADVISE_HOST_DEVICE static std::int64_t floats(const GroupNormPixels& p) {
    const std::int64_t entries = p.pixelLanes + slicesOf(p);
    return 2 * static_cast<std::int64_t>(p.columns) * V * entries + entries + 2 * p.groups;
  }
  // As many as give every thread a channel of one.
  KADVISE_HOST_DEVICE static int slicesOf(const GroupNormPixels& p) {
    const int most = p.threads / (p.columns * V);
    return most < 1 ? 1 : most;
  }
  __device__ __forceinline__ PixelsShared(const GroupNormPixels& p, float* memory)
      : lanes(reinterpret_cast<float2*>(memory)),
        slices(lanes + p.columns * V * p.pixelLanes),
        laneCounts(reinterpret_cast<float*>(slices + p.columns * V * slicesOf(p))),
        sliceCounts(laneCounts + p.pixelLanes),
        mean(sliceCounts + slicesOf(p)),
        inverse(mean + p.groups) {}
};

#ifdef __CUDACC__
__device__ __forceinline__ float* dynamicShared() {
  extern __shared__ float memory[];
  return memory;
}
#else
float* dynamicShared();  // of a test that emulates CUDA on the CPU
#endif

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

// A chunk of each of some pixels, from `begin` on, in the registers of a thread.
template <class T, int V>
struct HeldPixels {
  Chunk<T, V> chunk[kGroupNormHeld];
  std::int64_t offset;   // of the thread's first element
  std::int64_t step;     // elements from one of its pixels to the next
  int left, pixelLanes;  // pixels from the thread's first one on

  __device__ __forceinline__ HeldPixels(const GroupNormArgs& a, const GroupNormPixels& p,
                                        const PixelTask& task, const PixelThread& thread, std::int64_t begin)
      : offset((task.image * a.pixels + begin + thread.lane) * a.channels +
               (task.slab * p.columns + thread.column) * V),
        step(p.pixelLanes * a.channels),
        pixelLanes(p.pixelLanes) {
    const std::int64_t all = task.end - begin - thread.lane;
    left = thread.idle ? 0 : static_cast<int>(all < INT32_MAX ? all : INT32_MAX);
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      chunk[u] = {};
      if (has(u)) chunk[u] = loadOnce<T, V>(static_cast<const T*>(a.x) + offset + u * step);
    }
  }

  __device__ __forceinline__ bool has(int u) const { return u * pixelLanes < left; }
};

// Mean and squares of each of a thread's channels, over the pixels that it has seen.
template <int V>
struct ChannelMoments {
  float mean[V] = {}, squares[V] = {}, count = 0;

  template <class T>
  __device__ __forceinline__ void add(const HeldPixels<T, V>& held) {
    float sum[V] = {}, distances[V] = {}, pixels = 0;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (held.has(u)) pixels += 1;
      float v[V];
      unpack(repack<T, V>(held.chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) sum[j] += v[j];
    }
    if (pixels == 0) return;
    const float inverse = 1.0f / pixels;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (!held.has(u)) continue;
      float v[V];
      unpack(repack<T, V>(held.chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const float distance = v[j] - sum[j] * inverse;
        distances[j] += distance * distance;
      }
    }
    const float all = count + pixels, share = pixels / all;
#pragma unroll
    for (int j = 0; j < V; ++j) {  // as together() does
      const float distance = sum[j] * inverse - mean[j];
      mean[j] += distance * share;
      squares[j] += distances[j] + distance * distance * count * share;
    }
    count = all;
  }
};

// All threads' moments by group; calls finish(group, moments) once for each. The order is fixed.
template <int V, class Finish>
__device__ __forceinline__ void toGroups(const GroupNormPixels& p, const PixelThread& at,
                                         const ChannelMoments<V>& own, const PixelsShared<V>& shared,
                                         Finish finish) {
  const int channels = p.columns * V;
  if (!at.idle) {
#pragma unroll
    for (int j = 0; j < V; ++j)
      shared.lanes[at.lane * channels + at.column * V + j] = {own.mean[j], own.squares[j]};
    if (at.column == 0) shared.laneCounts[at.lane] = own.count;
  }
  __syncthreads();
  const int slices = PixelsShared<V>::slicesOf(p);
  for (int i = static_cast<int>(threadIdx.x); i < slices * channels; i += static_cast<int>(blockDim.x)) {
    const int slice = i / channels, c = i - slice * channels;
    Moments all{};
    for (int lane = slice; lane < p.pixelLanes; lane += slices) {
      const float2 one = shared.lanes[lane * channels + c];
      all = together(all, {one.x, one.y, shared.laneCounts[lane], 0});
    }
    shared.slices[i] = {all.mean, all.squares};
    if (c == 0) shared.sliceCounts[slice] = all.count;
  }
  __syncthreads();
  const bool byWarp = slices * p.groupChannels > 16;
  forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
    Moments all{};
    for (int slice = 0; slice < slices; ++slice) {
      for (int c = lane; c < p.groupChannels; c += lanes) {
        const float2 one = shared.slices[slice * channels + g * p.groupChannels + c];
        all = together(all, {one.x, one.y, shared.sliceCounts[slice], 0});
      }
    }
    if (byWarp) all = momentsOfLanes<32>(all);
    if (lane == 0) finish(g, all);
  });
  __syncthreads();
}

// What the parts of a row have together, into shared.mean and shared.inverse.
template <int V>
__device__ __forceinline__ void mergeMoments(const GroupNormArgs& a, const GroupNormPixels& p,
                                             const Moments* moments, int parts,
                                             const PixelsShared<V>& shared) {
  const bool byWarp = parts > 4;
  forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
    Moments all = merged(moments + g, p.groups, parts, lane, lanes);
    if (byWarp) all = momentsOfLanes<32>(all);
    if (lane != 0) return;
    shared.mean[g] = all.mean;
    shared.inverse[g] = inverseDeviation(all, a.eps);
  });
  __syncthreads();
}

}  // namespace kadvise
