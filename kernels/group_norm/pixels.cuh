// Group norm of channels-last memory: a block holds some pixels of a slab of whole groups.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/group_norm/parts.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// Shared memory of a block, in floats.
template <int V>
struct PixelsShared {
  float* sums;     // of each thread's channels: [pixelLanes][columns * V]
  float* slices;   // of some pixel lanes together: [slices][columns * V]
  float* mean;     // of each group
  float* inverse;  // of each group: its squares, then 1 / deviation

  KADVISE_HOST_DEVICE static std::int64_t floats(const GroupNormPixels& p) {
    return static_cast<std::int64_t>(p.columns) * V * (p.pixelLanes + slicesOf(p)) + 2 * p.groups;
  }
  // As many as give every thread a channel of one.
  KADVISE_HOST_DEVICE static int slicesOf(const GroupNormPixels& p) {
    const int most = p.threads / (p.columns * V);
    return most < 1 ? 1 : most;
  }
  __device__ __forceinline__ PixelsShared(const GroupNormPixels& p, float* memory)
      : sums(memory),
        slices(sums + p.columns * V * p.pixelLanes),
        mean(slices + p.columns * V * slicesOf(p)),
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

template <class T, int V>
struct HeldPixels {
  const GroupNormPixels& p;
  Chunk<T, V> chunk[kGroupNormHeld];
  std::int64_t firstPixel, offset;  // of this thread; its elements begin at offset
  int column, pixels;               // of this thread, of the block
  std::int64_t step;                // elements from one of its pixels to the next
  bool idle;

  __device__ __forceinline__ HeldPixels(const GroupNormArgs& a, const GroupNormPixels& plan,
                                        std::int64_t image, std::int64_t slab, std::int64_t part)
      : p(plan) {
    const int thread = static_cast<int>(threadIdx.x), lane = thread / p.columns;
    column = thread - lane * p.columns;
    idle = lane >= p.pixelLanes;
    const std::int64_t begin = part * p.pixelsOfPart, left = a.pixels - begin;
    pixels = static_cast<int>(left < p.pixelsOfPart ? (left > 0 ? left : 0) : p.pixelsOfPart);
    firstPixel = lane;
    step = p.pixelLanes * a.channels;
    offset = (image * a.pixels + begin + lane) * a.channels + (slab * p.columns + column) * V;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      chunk[u] = {};
      if (has(u)) chunk[u] = loadOnce<T, V>(static_cast<const T*>(a.x) + offset + u * step);
    }
  }

  __device__ __forceinline__ bool has(int u) const { return !idle && firstPixel + u * p.pixelLanes < pixels; }
  __device__ __forceinline__ int groupOf(int j) const {
    return static_cast<int>(p.channelsOfGroup.quotient(column * V + j));
  }

  // Per channel, of f(value, j).
  template <class F>
  __device__ __forceinline__ void sums(float (&total)[V], F f) const {
#pragma unroll
    for (int j = 0; j < V; ++j) total[j] = 0;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (!has(u)) continue;
      float v[V];
      unpack(repack<T, V>(chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) total[j] += f(v[j], j);
    }
  }

  // The sums of all threads by group, into `groups`. The order of additions is fixed.
  template <class Finish>
  __device__ __forceinline__ void toGroups(const float (&total)[V], const PixelsShared<V>& shared,
                                           Finish finish) const {
    const int thread = static_cast<int>(threadIdx.x), channels = p.columns * V;
    if (!idle) {
#pragma unroll
      for (int j = 0; j < V; ++j) shared.sums[thread / p.columns * channels + column * V + j] = total[j];
    }
    __syncthreads();
    const int slices = PixelsShared<V>::slicesOf(p);
    for (int i = thread; i < slices * channels; i += static_cast<int>(blockDim.x)) {
      const int slice = i / channels, c = i - slice * channels;
      float sum = 0;
      for (int lane = slice; lane < p.pixelLanes; lane += slices) sum += shared.sums[lane * channels + c];
      shared.slices[i] = sum;
    }
    __syncthreads();
    const bool byWarp = slices * p.groupChannels > 16;
    forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
      float sum = 0;
      for (int slice = 0; slice < slices; ++slice) {
        const float* ofGroup = shared.slices + slice * channels + g * p.groupChannels;
        for (int c = lane; c < p.groupChannels; c += lanes) sum += ofGroup[c];
      }
      if (byWarp) sum = sumOfLanes<32>(sum);
      if (lane == 0) finish(g, sum);
    });
    __syncthreads();
  }
};

// Mean and squares of each group of this part, into shared.mean and shared.inverse.
template <class T, int V>
__device__ __forceinline__ void momentsOfPixels(const HeldPixels<T, V>& held, const PixelsShared<V>& shared) {
  const float count = static_cast<float>(held.pixels) * static_cast<float>(held.p.groupChannels);
  float total[V];
  held.sums(total, [](float v, int) { return v; });
  held.toGroups(total, shared, [&](int g, float sum) { shared.mean[g] = count > 0 ? sum / count : 0.0f; });
  float mean[V];
#pragma unroll
  for (int j = 0; j < V; ++j) mean[j] = held.idle ? 0.0f : shared.mean[held.groupOf(j)];
  held.sums(total, [&](float v, int j) { return (v - mean[j]) * (v - mean[j]); });
  held.toGroups(total, shared, [&](int g, float sum) { shared.inverse[g] = sum; });
}

// Of all parts of the row, in place of this part's.
template <int V>
__device__ __forceinline__ void mergeMoments(const GroupNormPixels& p, const Moments* moments, int parts,
                                             const PixelsShared<V>& shared) {
  const bool byWarp = p.groups <= 32;
  forGroups(p.groups, byWarp, [&](int g, int lane, int lanes) {
    const Moments all = byWarp ? merged<32>(moments + g, p.groups, parts, lane, lanes, nullptr)
                               : merged<1>(moments + g, p.groups, parts, 0, 1, nullptr);
    if (lane != 0) return;
    shared.mean[g] = all.mean;
    shared.inverse[g] = all.squares;
  });
  __syncthreads();
}

// Squares become 1 / deviation, once for all threads.
template <int V>
__device__ __forceinline__ void invertDeviations(const GroupNormArgs& a, const GroupNormPixels& p,
                                                 const PixelsShared<V>& shared) {
  const float count = static_cast<float>(a.pixels) * static_cast<float>(p.groupChannels);
  for (int g = static_cast<int>(threadIdx.x); g < p.groups; g += static_cast<int>(blockDim.x)) {
    shared.inverse[g] = inverseDeviation({0, shared.inverse[g], count, 0}, a.eps);
  }
  __syncthreads();
}

template <class T, int V>
__device__ __forceinline__ void storeNormalized(const GroupNormArgs& a, const HeldPixels<T, V>& held,
                                                std::int64_t slab, const PixelsShared<V>& shared) {
  if (held.idle) return;
  const std::int64_t channel = (slab * held.p.columns + held.column) * V;
  float mean[V], scale[V], bias[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const int g = held.groupOf(j);
    mean[j] = shared.mean[g];
    scale[j] = shared.inverse[g];
    if (a.weight != nullptr) scale[j] *= toFloat(static_cast<const T*>(a.weight)[channel + j]);
    bias[j] = a.bias != nullptr ? toFloat(static_cast<const T*>(a.bias)[channel + j]) : 0.0f;
  }
#pragma unroll
  for (int u = 0; u < kGroupNormHeld; ++u) {
    if (!held.has(u)) continue;
    float v[V];
    unpack(repack<T, V>(held.chunk[u]), v);
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = (v[j] - mean[j]) * scale[j] + bias[j];
    activate<T>(a.activation, v);
    storeWhole(static_cast<T*>(a.result) + held.offset + u * held.step, pack<T, V>(v));
  }
}

// Blocks take the parts of all rows in order.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormBlock, 2)
    groupNormPixels(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p,
                    GroupNormScratch scratch, GroupNormStep step) {
  const PixelsShared<V> shared(p, dynamicShared());
  const std::int64_t parts = p.parts.divisor, all = p.rows * parts;
  for (std::int64_t at = blockIdx.x; at < all; at += gridDim.x) {
    const std::int64_t task = taskAt(step, at, all);
    const std::int64_t row = p.parts.quotient(task), image = p.slabs.quotient(row);
    const std::int64_t slab = row - image * p.slabs.divisor;
    const HeldPixels<T, V> held(a, p, image, slab, task - row * parts);
    if (step != GroupNormStep::Result) momentsOfPixels(held, shared);
    if (step == GroupNormStep::Sums || step == GroupNormStep::Cluster) {
      const float count = static_cast<float>(held.pixels) * static_cast<float>(p.groupChannels);
      for (int g = static_cast<int>(threadIdx.x); g < p.groups; g += static_cast<int>(blockDim.x)) {
        scratch.moments[task * p.groups + g] = {shared.mean[g], shared.inverse[g], count, 0};
      }
    }
    if (step == GroupNormStep::Cluster) meetCluster();
    if (step == GroupNormStep::Cluster || step == GroupNormStep::Result) {
      mergeMoments(p, scratch.moments + row * scratch.parts * p.groups, scratch.parts, shared);
    }
    if (step != GroupNormStep::Sums) {
      invertDeviations(a, p, shared);
      storeNormalized(a, held, slab, shared);
    }
    __syncthreads();  // before the next task writes to shared memory
  }
}

}  // namespace kadvise
