// Group norm of channels-last memory: a block has some pixels of a slab of whole groups.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/group_norm/cluster.cuh"
#include "kernels/group_norm/copy_groups.cuh"
#include "kernels/group_norm/pixel_moments.cuh"

namespace kadvise {

// Weight or bias of a thread's channels, read before it waits for anything else.
template <class T, int V>
struct PixelWeights {
  Chunk<T, V> weight, bias;

  __device__ __forceinline__ PixelWeights(const GroupNormArgs& a, const GroupNormPixels& p,
                                          const PixelTask& task, const PixelThread& thread)
      : weight(read(a.weight, 1.0f, p, task, thread)), bias(read(a.bias, 0.0f, p, task, thread)) {}

  // `otherwise` where there are none.
  __device__ __forceinline__ static Chunk<T, V> read(const void* from, float otherwise,
                                                     const GroupNormPixels& p, const PixelTask& task,
                                                     const PixelThread& thread) {
    const T* const first = static_cast<const T*>(from) + (task.slab * p.columns + thread.column) * V;
    const bool isThere = from != nullptr && !thread.idle;
    if (isThere && misalignment<T, V>(first) == 0) return loadReused<T, V>(first);
    float v[V];
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] = isThere ? toFloat(__ldg(first + j)) : otherwise;
    return pack<T, V>(v);
  }
};

// What a thread makes of its channels: (v - mean) * scale + offset. Of 16 bits the mean is in the offset,
// which saves registers: what that rounds is far below what the last bit of x
// makes of the result.
template <class T, int V>
struct PixelScales {
  static constexpr int kMeans = sizeof(T) < 4 ? 0 : V;
  float mean[kMeans > 0 ? kMeans : 1], scale[V], offset[V];

  PixelScales() = default;
  __device__ __forceinline__ PixelScales(const GroupNormPixels& p, const PixelThread& thread,
                                         const PixelWeights<T, V>& weights, const PixelShift<T, V>& shift,
                                         const PixelsShared<V>& shared) {
    if (thread.idle) return;
    unpack(weights.weight, scale);
    unpack(weights.bias, offset);
    int group = static_cast<int>(p.channelsOfGroup.quotientOfSmall(thread.column * V));
    int left = (group + 1) * p.groupChannels - thread.column * V;  // channels of the group
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (left == 0) {
        ++group;
        left = p.groupChannels;
      }
      --left;
      scale[j] *= shared.inverse[group];
      const float below = shared.mean[group] - shift(j);
      if constexpr (kMeans > 0) mean[j] = below;
      else offset[j] -= below * scale[j];
    }
  }
  __device__ __forceinline__ float operator()(int j, float v) const {
    if constexpr (kMeans > 0) v -= mean[j];
    return fmaf(v, scale[j], offset[j]);
  }
};

template <class T, int V, class Activate>
__device__ __forceinline__ void storeNormalized(T* result, const Chunk<T, V>& chunk,
                                                const PixelScales<T, V>& of, Activate act) {
  float v[V];
  unpack(chunk, v);
#pragma unroll
  for (int j = 0; j < V; ++j) v[j] = act(of(j, v[j]));
  storeWhole(result, pack<T, V>(v));
}

// A block holds its part in shared memory: a thread its own chunks, so that no barrier lies between.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormBlock, 3)
    groupNormHeldPixels(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p) {
  const bool isCluster = p.parts.divisor > 1;
  if (isCluster) beginCluster();
  auto* const held = reinterpret_cast<Chunk<T, V>*>(dynamicShared());
  auto* const chunks = held + threadIdx.x;
  const PixelsShared<V> shared(p, held + p.held * p.threads);
  const PixelTask task(p, blockIdx.x);
  const PixelThread thread(p);
  const PixelPart<T, V> part(a, p, task, thread);
  const int threads = static_cast<int>(blockDim.x);
  const CopyGroups copies{part.count};
  copies.start([&](int u) { copyAsync(chunks + u * threads, part.at(a.x, u)); });
  const PixelWeights<T, V> weights(a, p, task, thread);
  ChannelSums<V> own;
  copies.await([&] { own.begin(part.count > 0 ? *chunks : Chunk<T, V>{}, thread.firstLane(p)); },
               [&](int u) { own.add(chunks[u * threads]); });

  const ClusterBoard board{shared.board, static_cast<int>(p.parts.divisor), p.groups};
  const auto keep = [&](int g, const Moments& m) {
    shared.mean[g] = m.mean;
    shared.inverse[g] = inverseDeviation(m, a.eps);
  };
  if (isCluster) awaitClusterBegun();
  const PixelShift<T, V> shift(a, p, task, thread);
  toGroups(p, thread, own, shift, shared, [&](int g, const Moments& m, int lane, int lanes) {
    if (isCluster) board.tellAll(task.part, g, m, lane, lanes);
    else if (lane == 0) keep(g, m);
  });
  if (isCluster) {
    meetCluster();
    forGroups(p.groups, false, [&](int g, int, int) { keep(g, board.together(g)); });
  }
  __syncthreads();
  const PixelScales<T, V> scales(p, thread, weights, shift, shared);
  withActivation<T>(a.activation, a.slope, [&](auto act) {
#pragma unroll 4
    for (int u = 0; u < part.count; ++u)
      storeNormalized(part.at(a.result, u), chunks[u * threads], scales, act);
  });
}

// The first of two launches.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormStreamedBlock, 1)
    groupNormPixelMoments(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p,
                          GroupNormScratch scratch) {
  letNextLaunchBegin();
  const PixelsShared<V> shared(p, dynamicShared());
  const PixelTask task(p, blockIdx.x);
  const PixelThread thread(p);
  const PixelPart<T, V> part(a, p, task, thread);
  ChannelSums<V> own;
  const auto load = [&](int u) { return loadOnce<T, V>(part.at(a.x, u)); };
  stream<V == 1 ? 1 : kGroupNormBatch>(
      part.count, load, [&] { own.begin(part.count > 0 ? load(0) : Chunk<T, V>{}, thread.firstLane(p)); },
      [&](const Chunk<T, V>& chunk, int) { own.add(chunk); });
  toGroups(p, thread, own, PixelShift<T, V>(a, p, task, thread), shared,
           [&](int g, const Moments& m, int lane, int) {
             if (lane == 0) *placeOf(scratch, p, task, g) = m;
           });
}

// The second: scratch has the moments of some parts of each row, not necessarily of these.
template <class T, int V>
__global__ void __launch_bounds__(kGroupNormStreamedBlock, 1)
    groupNormPixelResults(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormPixels p,
                          GroupNormScratch scratch) {
  const PixelsShared<V> shared(p, dynamicShared());
  const PixelTask task(p, gridDim.x - 1 - blockIdx.x);
  const PixelThread thread(p);
  const PixelWeights<T, V> weights(a, p, task, thread);
  const PixelPart<T, V, true> part(a, p, task, thread);
  withActivation<T>(a.activation, a.slope, [&](auto act) {
    PixelScales<T, V> scales;
    stream<V == 1 ? 1 : kGroupNormBatch>(
        part.count, [&](int u) { return loadOnce<T, V>(part.at(a.x, u)); },
        [&] {
          awaitLaunchBefore();
          mergeMoments(a, p, scratch.moments + task.row * scratch.parts * p.groups, scratch.parts, shared);
          scales = PixelScales<T, V>(p, thread, weights, PixelShift<T, V>(a, p, task, thread), shared);
        },
        [&](const Chunk<T, V>& chunk, int u) { storeNormalized(part.at(a.result, u), chunk, scales, act); });
  });
}

}  // namespace kadvise
