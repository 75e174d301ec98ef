// Group norm of channels-first memory, where a group of an image lies together.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/row_part.cuh"
#include "kernels/group_norm/parts.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// A part of a row, in the registers of a block, or of a warp (kThreads 32).
template <class T, int V, bool kEdges, int kThreads>
struct HeldPart {
  Chunk<T, V> chunk[kGroupNormHeld];
  RowPart<T, V, kEdges, std::int64_t> part;
  int thread, threads;

  __device__ __forceinline__ HeldPart(const T* row, std::int64_t length, int parts, int number)
      : part(partOfRow<T, V, kEdges>(row, length, parts, number)),
        thread(kThreads > 0 ? threadIdx.x % kThreads : threadIdx.x),
        threads(kThreads > 0 ? kThreads : blockDim.x) {
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      chunk[u] = {};
      if (has(u)) chunk[u] = part.load(row, first(u));
    }
  }

  __device__ __forceinline__ bool has(int u) const {
    return part.begin + thread + static_cast<std::int64_t>(u) * threads < part.end;
  }
  // Column of the first element; of an edge chunk it may lie outside the row.
  __device__ __forceinline__ std::int64_t first(int u) const {
    return (part.begin + thread + static_cast<std::int64_t>(u) * threads) * V - part.shift;
  }
  // Elements of the row in this part.
  __device__ __forceinline__ float count() const {
    const std::int64_t begin = part.begin * V - part.shift, end = part.end * V - part.shift;
    const std::int64_t all = (end < part.length ? end : part.length) - (begin > 0 ? begin : 0);
    return static_cast<float>(all > 0 ? all : 0);
  }

  // Elements outside the row are zeros.
  __device__ __forceinline__ float sum() const {
    float total = 0;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      float v[V];
      unpack(repack<T, V>(chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) total += v[j];
    }
    return total;
  }

  __device__ __forceinline__ float squaresAround(float mean) const {
    float total = 0;
#pragma unroll
    for (int u = 0; u < kGroupNormHeld; ++u) {
      if (!has(u)) continue;
      float v[V];
      unpack(repack<T, V>(chunk[u]), v);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const std::int64_t column = first(u) + j;
        const float distance = !kEdges || (column >= 0 && column < part.length) ? v[j] - mean : 0.0f;
        total += distance * distance;
      }
    }
    return total;
  }
};

// Weight and bias of the channel that an element of a group belongs to.
template <class T>
struct ChannelOf {
  const GroupNormArgs& a;
  std::int64_t firstChannel, channels;  // of the group
  float inverse;
  float scale = 0, offset = 0;

  __device__ __forceinline__ void read(std::int64_t channel) {
    if (channel >= channels) return;  // an edge chunk reaches into the next group
    const std::int64_t i = firstChannel + channel;
    scale = inverse * (a.weight != nullptr ? toFloat(static_cast<const T*>(a.weight)[i]) : 1.0f);
    offset = a.bias != nullptr ? toFloat(static_cast<const T*>(a.bias)[i]) : 0.0f;
  }
};

template <class T, int V, bool kEdges, int kThreads>
__device__ __forceinline__ void storeNormalized(const GroupNormArgs& a, const GroupNormRows& p,
                                                const HeldPart<T, V, kEdges, kThreads>& held,
                                                std::int64_t row, const Moments& moments) {
  const std::int64_t channels = a.channels / a.groups;
  const std::int64_t group = row - p.groups.quotient(row) * a.groups;
  ChannelOf<T> of{a, group * channels, channels, inverseDeviation(moments, a.eps)};
  T* result = static_cast<T*>(a.result) + row * p.length;
#pragma unroll
  for (int u = 0; u < kGroupNormHeld; ++u) {
    if (!held.has(u)) continue;
    const std::int64_t first = held.first(u), begin = first > 0 ? first : 0;
    std::int64_t channel = p.pixels.quotient(begin), pixel = begin - channel * a.pixels;
    of.read(channel);
    float v[V];
    unpack(repack<T, V>(held.chunk[u]), v);
    if (!kEdges && p.wholeChannels) {
#pragma unroll
      for (int j = 0; j < V; ++j) v[j] = (v[j] - moments.mean) * of.scale + of.offset;
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (pixel == a.pixels) {
          pixel = 0;
          of.read(++channel);
        }
        v[j] = (v[j] - moments.mean) * of.scale + of.offset;
        if (!kEdges || first + j >= 0) ++pixel;
      }
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
  const HeldPart<T, V, kEdges, 32> held(static_cast<const T*>(a.x) + row * p.length, p.length, 1, 0);
  const auto count = static_cast<float>(p.length);
  const float mean = sumOfLanes<32>(held.sum()) / count;
  const float squares = sumOfLanes<32>(held.squaresAround(mean));
  storeNormalized(a, p, held, row, Moments{mean, squares, count, 0});
}

template <class Held>
__device__ __forceinline__ Moments momentsOfPart(const Held& held, float2 (*slots)[32]) {
  const float count = held.count();
  const float sum = sumOfBlock(float2{held.sum(), 0}, slots[0]).x;
  const float mean = count > 0 ? sum / count : 0.0f;
  return {mean, sumOfBlock(float2{held.squaresAround(mean), 0}, slots[1]).x, count, 0};
}

// Blocks take the parts of all rows in order.
template <class T, int V, bool kEdges>
__global__ void __launch_bounds__(kGroupNormBlock, 3)
    groupNormBlockRows(const __grid_constant__ GroupNormArgs a, const __grid_constant__ GroupNormRows p,
                       GroupNormScratch scratch, GroupNormStep step) {
  __shared__ float2 slots[4][32];
  const int parts = static_cast<int>(p.parts.divisor);
  const std::int64_t all = p.rows * parts;
  for (std::int64_t at = blockIdx.x; at < all; at += gridDim.x) {
    const std::int64_t task = taskAt(step, at, all), row = p.parts.quotient(task);
    const HeldPart<T, V, kEdges, 0> held(static_cast<const T*>(a.x) + row * p.length, p.length, parts,
                                         static_cast<int>(task - row * parts));
    Moments moments{};
    if (step != GroupNormStep::Result) {
      moments = momentsOfPart(held, slots);
      if (step != GroupNormStep::Whole && threadIdx.x == 0) scratch.moments[task] = moments;
      if (step == GroupNormStep::Sums) continue;
    }
    if (step == GroupNormStep::Cluster) meetCluster();
    if (step != GroupNormStep::Whole) {
      moments = merged<0>(scratch.moments + row * scratch.parts, 1, scratch.parts,
                          static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), slots[2]);
    }
    storeNormalized(a, p, held, row, moments);
  }
}

}  // namespace kadvise
