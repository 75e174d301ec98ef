// Group norm of channels-first memory, where a group of an image lies together.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/row_part.cuh"
#include "kernels/group_norm/parts.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// The first chunks of a part of a row, in the registers of a block, or of a warp (kThreads 32). The
// arithmetic of a chunk is of 32 bits: a kernel of this kind waits for instructions sooner than for memory.
template <class T, int V, bool kEdges, int kThreads>
struct HeldPart {
  using Part = RowPart<T, V, kEdges, std::int64_t>;
  Chunk<T, V> chunk[kGroupNormHeld];
  std::int64_t column, length;  // of the thread's first element; of the row
  int threads, left;            // chunks from the thread's first one on

  __device__ __forceinline__ HeldPart(const T* row, const Part& part)
      : length(part.length), threads(kThreads > 0 ? kThreads : blockDim.x) {
    const std::int64_t first = part.begin + (kThreads > 0 ? threadIdx.x % kThreads : threadIdx.x);
    const std::int64_t most = kGroupNormHeld * static_cast<std::int64_t>(threads);
    column = first * V - part.shift;
    left = static_cast<int>(part.end - first < most ? part.end - first : most);
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      chunk[u] = {};
      if (has(u)) chunk[u] = part.load(row, this->first(u));
    }
  }

  __device__ __forceinline__ bool has(int u) const { return u * threads < left; }
  // Column of the first element; of an edge chunk it may lie outside the row.
  __device__ __forceinline__ std::int64_t first(int u) const { return column + u * threads * V; }
  // Elements of a chunk that are the row's, and whether the j-th is.
  __device__ __forceinline__ int elements(int u) const {
    if (!has(u)) return 0;
    if (!kEdges) return V;
    const std::int64_t left = length - first(u);
    const int begin = first(u) < 0 ? static_cast<int>(-first(u)) : 0;
    return (left < V ? static_cast<int>(left) : V) - begin;
  }
  __device__ __forceinline__ bool isInRow(int u, int j) const {
    const std::int64_t at = first(u) + j;
    return !kEdges || (at >= 0 && at < length);
  }

  // Of this thread's elements. Those outside the row were loaded as zeros.
  __device__ __forceinline__ Moments moments() const {
    float sum = 0, squares = 0;
    int count = 0;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      float v[V];
      unpack(repack<T, V>(chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) sum += v[j];
      count += elements(u);
    }
    const float mean = count > 0 ? sum / static_cast<float>(count) : 0.0f;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (!has(u)) continue;
      float v[V];
      unpack(repack<T, V>(chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const float distance = isInRow(u, j) ? v[j] - mean : 0.0f;
        squares += distance * distance;
      }
    }
    return {mean, squares, static_cast<float>(count), 0};
  }
};

// Weight and bias of the channels that a thread's chunks begin in. They are read before the sums: behind them
// each would be waited for anew.
template <class T>
struct FirstChannels {
  T weight[kGroupNormHeld], bias[kGroupNormHeld];
  std::int64_t channels, ofGroup;  // of a group; the first of this one

  template <class Held>
  __device__ __forceinline__ FirstChannels(const GroupNormArgs& a, const GroupNormRows& p, const Held& held,
                                           std::int64_t row, int lanes)
      : channels(a.channels / a.groups), ofGroup((row - p.groups.quotient(row) * a.groups) * channels) {
    // One division, and additions from chunk to chunk.
    const std::int64_t begin = held.column > 0 ? held.column : 0, stride = held.threads * lanes;
    const std::int64_t channelStep = p.pixels.quotient(stride), pixelStep = stride - channelStep * a.pixels;
    std::int64_t channel = p.pixels.quotient(begin), pixel = held.column - channel * a.pixels;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      weight[u] = fromFloat<T>(1.0f);
      bias[u] = fromFloat<T>(0.0f);
      if (held.has(u)) {
        if (a.weight != nullptr) weight[u] = __ldg(static_cast<const T*>(a.weight) + ofGroup + channel);
        if (a.bias != nullptr) bias[u] = __ldg(static_cast<const T*>(a.bias) + ofGroup + channel);
      }
      channel += channelStep;
      pixel += pixelStep;
      if (pixel >= a.pixels) {
        pixel -= a.pixels;
        ++channel;
      }
    }
  }

  // Of a channel behind the first; of an edge chunk it may be the next group's, which nobody asks for.
  __device__ __forceinline__ void read(const GroupNormArgs& a, std::int64_t channel, float inverse,
                                       float& scale, float& offset) const {
    if (channel >= channels) return;
    const std::int64_t i = ofGroup + channel;
    scale = inverse * (a.weight != nullptr ? toFloat(__ldg(static_cast<const T*>(a.weight) + i)) : 1.0f);
    offset = a.bias != nullptr ? toFloat(__ldg(static_cast<const T*>(a.bias) + i)) : 0.0f;
  }
};

// Chunks of one channel each.
template <class T, int V, class Held>
__device__ __forceinline__ void storeWholeChannels(const GroupNormArgs& a, const Held& held,
                                                   const FirstChannels<T>& of, T* result, float mean,
                                                   float inverse) {
  withActivation<T>(a.activation, [&](auto act) {
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (!held.has(u)) continue;
      const float scale = inverse * toFloat(of.weight[u]), offset = toFloat(of.bias[u]);
      float v[V];
      unpack(repack<T, V>(held.chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) v[j] = act((v[j] - mean) * scale + offset);
      storeWhole(result + held.first(u), pack<T, V>(v));
    }
  });
}

template <class T, int V, bool kEdges, class Held>
__device__ __forceinline__ void storeNormalized(const GroupNormArgs& a, const GroupNormRows& p,
                                                const Held& held, const FirstChannels<T>& of,
                                                std::int64_t row, const Moments& moments) {
  const float inverse = inverseDeviation(moments, a.eps);
  T* result = static_cast<T*>(a.result) + row * p.length;
  if (!kEdges && p.wholeChannels) return storeWholeChannels<T, V>(a, held, of, result, moments.mean, inverse);
#pragma unroll
  for (int u = 0; u < kGroupNormHeld; ++u) {
    if (!held.has(u)) continue;
    const std::int64_t first = held.first(u), begin = first > 0 ? first : 0;
    std::int64_t channel = p.pixels.quotient(begin), pixel = begin - channel * a.pixels;
    float scale = inverse * toFloat(of.weight[u]), offset = toFloat(of.bias[u]);
    float v[V];
    unpack(repack<T, V>(held.chunk[u]), v);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (pixel == a.pixels) {
        pixel = 0;
        of.read(a, ++channel, inverse, scale, offset);
      }
      v[j] = (v[j] - moments.mean) * scale + offset;
      if (!kEdges || first + j >= 0) ++pixel;
    }
    activate<T>(a.activation, v);
    storeColumns<kEdges>(result, first, p.length, pack<T, V>(v));
  }
}

// Rows of a warp each: a block has kGroupNormWarpRows of them.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(32 * kGroupNormWarpRows, 6)
    groupNormWarpRows(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kGroupNormWarpRows + threadIdx.x / 32;
  if (row >= p.rows) return;
  const T* const x = static_cast<const T*>(a.x) + row * p.length;
  const HeldPart<T, V, kEdges, 32> held(x, partOfRow<T, V, kEdges>(x, p.length, 1, 0));
  const FirstChannels<T> channels(a, p, held, row, V);
  storeNormalized<T, V, kEdges>(a, p, held, channels, row, ofFirstLane(momentsOfLanes<32>(held.moments())));
}

// Which part of which row a block has.
struct RowTask {
  std::int64_t row;
  int part, parts;

  __device__ __forceinline__ RowTask(const GroupNormRows& p, std::int64_t task)
      : row(p.parts.quotient(task)),
        part(static_cast<int>(task - row * p.parts.divisor)),
        parts(static_cast<int>(p.parts.divisor)) {}
};

// A block holds its part.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 3)
    groupNormBlockRows(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p,
                       GroupNormScratch scratch, GroupNormStep step) {
  __shared__ Moments slots[32];
  const RowTask task(p, blockIdx.x);
  const T* const x = static_cast<const T*>(a.x) + task.row * p.length;
  const HeldPart<T, V, kEdges, 0> held(x, partOfRow<T, V, kEdges>(x, p.length, task.parts, task.part));
  const FirstChannels<T> channels(a, p, held, task.row, V);
  Moments moments = momentsOfBlock(held.moments(), slots);
  if (step == GroupNormStep::Cluster) {  // at most a warp has parts: each warp adds them up for itself
    if (threadIdx.x == 0) scratch.moments[blockIdx.x] = moments;
    meetCluster();
    moments = merged(scratch.moments + task.row * task.parts, 1, task.parts,
                     static_cast<int>(threadIdx.x % 32), 32);
    moments = ofFirstLane(momentsOfLanes<kGroupNormCluster>(moments));
  }
  storeNormalized<T, V, kEdges>(a, p, held, channels, task.row, moments);
}

// Calls work(held) for all chunks of a part, as many at a time as a block holds.
template <class T, int V, bool kEdges, class Work>
__device__ __forceinline__ void forHeld(const T* row, RowPart<T, V, kEdges, std::int64_t> part, Work work) {
  const std::int64_t stride = std::int64_t{kGroupNormHeld} * blockDim.x;
  for (; part.begin < part.end; part.begin += stride) work(HeldPart<T, V, kEdges, 0>(row, part));
}

// The first of two launches.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 4)
    groupNormRowMoments(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p,
                        GroupNormScratch scratch) {
  __shared__ Moments slots[32];
  const RowTask task(p, blockIdx.x);
  const T* const x = static_cast<const T*>(a.x) + task.row * p.length;
  Moments moments{};
  forHeld<T, V, kEdges>(x, partOfRow<T, V, kEdges>(x, p.length, task.parts, task.part),
                        [&](const auto& held) { moments = together(moments, held.moments()); });
  moments = momentsOfBlock(moments, slots);
  if (threadIdx.x == 0) scratch.moments[blockIdx.x] = moments;
}

// The second: scratch has the moments of some parts of each row, not necessarily of these.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 3)
    groupNormRowResults(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p,
                        GroupNormScratch scratch) {
  __shared__ Moments slots[32];
  const RowTask task(p, gridDim.x - 1 - blockIdx.x);
  const T* const x = static_cast<const T*>(a.x) + task.row * p.length;
  const Moments moments = momentsOfBlock(merged(scratch.moments + task.row * scratch.parts, 1, scratch.parts,
                                                static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)),
                                         slots);
  forHeld<T, V, kEdges>(x, partOfRow<T, V, kEdges>(x, p.length, task.parts, task.part),
                        [&](const auto& held) {
                          storeNormalized<T, V, kEdges>(a, p, held, FirstChannels<T>(a, p, held, task.row, V),
                                                        task.row, moments);
                        });
}

}  // namespace kadvise
