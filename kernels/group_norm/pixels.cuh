// Group norm of channels-last memory: a block has some pixels of a slab of whole groups.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/group_norm/pixel_moments.cuh"

namespace kadvise {

// Weight and bias of a thread's channels, read before it waits for anything else.
template <class T, int V>
struct PixelWeights {
  T weight[V], bias[V];

  __device__ __forceinline__ PixelWeights(const GroupNormArgs& a, const GroupNormPixels& p,
                                          const PixelTask& task, const PixelThread& thread) {
    const std::int64_t channel = (task.slab * p.columns + thread.column) * V;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const bool hasWeight = a.weight != nullptr && !thread.idle, hasBias = a.bias != nullptr && !thread.idle;
      weight[j] = hasWeight ? __ldg(static_cast<const T*>(a.weight) + channel + j) : fromFloat<T>(1.0f);
      bias[j] = hasBias ? __ldg(static_cast<const T*>(a.bias) + channel + j) : fromFloat<T>(0.0f);
    }
  }
};

// What a thread makes of its channels.
template <int V>
struct PixelScales {
  float mean[V], scale[V], bias[V];

  template <class T>
  __device__ __forceinline__ PixelScales(const GroupNormPixels& p, const PixelThread& thread,
                                         const PixelWeights<T, V>& weights, const PixelsShared<V>& shared) {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const int g = thread.idle ? 0 : static_cast<int>(p.channelsOfGroup.quotient(thread.column * V + j));
      mean[j] = shared.mean[g];
      scale[j] = shared.inverse[g] * toFloat(weights.weight[j]);
      bias[j] = toFloat(weights.bias[j]);
    }
  }
};

template <class T, int V>
__device__ __forceinline__ void storeNormalized(const GroupNormArgs& a, const HeldPixels<T, V>& held,
                                                const PixelScales<V>& of) {
  withActivation<T>(a.activation, [&](auto act) {
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (!held.has(u)) continue;
      float v[V];
      unpack(repack<T, V>(held.chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) v[j] = act((v[j] - of.mean[j]) * of.scale[j] + of.bias[j]);
      storeWhole(static_cast<T*>(a.result) + held.offset + u * held.step, pack<T, V>(v));
    }
  });
}

// A block holds its part.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormBlock, 2)
    groupNormPixels(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p,
                    GroupNormScratch scratch, GroupNormStep step) {
  const PixelsShared<V> shared(p, dynamicShared());
  const PixelTask task(a, p, blockIdx.x);
  const PixelThread thread(p);
  const HeldPixels<T, V> held(a, p, task, thread, task.begin);
  const PixelWeights<T, V> weights(a, p, task, thread);
  ChannelMoments<V> own;
  own.add(held);
  toGroups(p, thread, own, shared, [&](int g, const Moments& m) {
    if (step == GroupNormStep::Cluster) {
      scratch.moments[static_cast<std::int64_t>(blockIdx.x) * p.groups + g] = m;
    } else {
      shared.mean[g] = m.mean;
      shared.inverse[g] = inverseDeviation(m, a.eps);
    }
  });
  if (step == GroupNormStep::Cluster) {
    meetCluster();
    mergeMoments(a, p, scratch.moments + task.row * scratch.parts * p.groups, scratch.parts, shared);
  }
  storeNormalized(a, held, PixelScales<V>(p, thread, weights, shared));
}

// The first of two launches.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormBlock, 2)
    groupNormPixelMoments(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p,
                          GroupNormScratch scratch) {
  const PixelsShared<V> shared(p, dynamicShared());
  const PixelTask task(a, p, blockIdx.x);
  const PixelThread thread(p);
  ChannelMoments<V> own;
  const int stride = p.pixelLanes * kGroupNormHeld;
  for (std::int64_t begin = task.begin; begin < task.end; begin += stride)
    own.add(HeldPixels<T, V>(a, p, task, thread, begin));
  toGroups(p, thread, own, shared, [&](int g, const Moments& m) {
    scratch.moments[static_cast<std::int64_t>(blockIdx.x) * p.groups + g] = m;
  });
}

// The second: scratch has the moments of some parts of each row, not necessarily of these.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormBlock, 3)
    groupNormPixelResults(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p,
                          GroupNormScratch scratch) {
  const PixelsShared<V> shared(p, dynamicShared());
  const PixelTask task(a, p, gridDim.x - 1 - blockIdx.x);
  const PixelThread thread(p);
  const PixelWeights<T, V> weights(a, p, task, thread);
  mergeMoments(a, p, scratch.moments + task.row * scratch.parts * p.groups, scratch.parts, shared);
  const PixelScales<V> scales(p, thread, weights, shared);
  const int stride = p.pixelLanes * kGroupNormHeld;
  for (std::int64_t begin = task.begin; begin < task.end; begin += stride)
    storeNormalized(a, HeldPixels<T, V>(a, p, task, thread, begin), scales);
}

}  // namespace kadvise
