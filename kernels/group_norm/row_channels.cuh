// Channels first: weights of a group's channels, and a chunk of a row made its result.
#pragma once

#include "kernels/common/activation.cuh"
#include "kernels/common/vector.cuh"
#include "kernels/group_norm/moments.cuh"
#include "kernels/group_norm/plan.h"

namespace kadvise {

// Weights as they lie in memory, which stay in L1: of rows so long that a block meets few channels.
template <class T>
struct ChannelsInMemory {
  const T *weights, *biases, *shifts;  // of the group's first channel; null for none

  __device__ __forceinline__ ChannelsInMemory(const GroupNormArgs& a, const GroupNormRows& p,
                                              std::int64_t row)
      : weights(static_cast<const T*>(a.weight)),
        biases(static_cast<const T*>(a.bias)),
        shifts(static_cast<const T*>(a.shift)) {
    const std::int64_t image = p.groups.quotient(row),
                       first = (row - image * a.groups) * (a.channels / a.groups);
    if (weights != nullptr) weights += first;
    if (biases != nullptr) biases += first;
    if (shifts != nullptr) shifts += (a.shiftsAlike ? 0 : image * a.channels) + first;
  }
  __device__ __forceinline__ float weight(int channel) const {
    return weights != nullptr ? toFloat(__ldg(weights + channel)) : 1.0f;
  }
  __device__ __forceinline__ float bias(int channel) const {
    return biases != nullptr ? toFloat(__ldg(biases + channel)) : 0.0f;
  }
  __device__ __forceinline__ float shift(int channel) const {
    return shifts != nullptr ? toFloat(__ldg(shifts + channel)) : 0.0f;
  }
};

// Weights in shared memory: they were fetched beside x, and are not waited for behind the sums. A barrier
// lies between the construction and the first use.
struct ChannelsShared {
  const float *weights, *biases, *shifts;

  template <class T>
  __device__ __forceinline__ ChannelsShared(const ChannelsInMemory<T>& from, int channels, float* memory)
      : weights(memory),
        biases(memory + channels),
        shifts(from.shifts != nullptr ? memory + 2 * channels : nullptr) {
    for (int c = static_cast<int>(threadIdx.x); c < channels; c += static_cast<int>(blockDim.x)) {
      memory[c] = from.weight(c);
      memory[channels + c] = from.bias(c);
      if (shifts != nullptr) memory[2 * channels + c] = from.shift(c);
    }
  }
  __device__ __forceinline__ float weight(int channel) const { return weights[channel]; }
  __device__ __forceinline__ float bias(int channel) const { return biases[channel]; }
  __device__ __forceinline__ float shift(int channel) const {
    return shifts != nullptr ? shifts[channel] : 0.0f;
  }
};

// A row's numbers, as its blocks have found them.
struct RowScale {
  float mean, inverse;
  __device__ __forceinline__ RowScale(const Moments& m, float eps)
      : mean(m.mean), inverse(inverseDeviation(m, eps)) {}
};

// What a channel's elements become. Of 16 bits the mean is in the offset, which saves an instruction an
// element: what that rounds is far below what the last bit of x makes of
// the result.
template <class T>
struct ChannelScale {
  float mean, scale, offset;

  ChannelScale() = default;
  template <class Channels>
  __device__ __forceinline__ ChannelScale(const RowScale& row, const Channels& channels, int channel)
      : mean(row.mean - channels.shift(channel)),
        scale(row.inverse * channels.weight(channel)),
        offset(channels.bias(channel)) {
    if constexpr (sizeof(T) < 4) offset -= mean * scale;
  }
  __device__ __forceinline__ float operator()(float v) const {
    if constexpr (sizeof(T) == 4) v -= mean;
    return fmaf(v, scale, offset);
  }
};

// Walks through a chunk at column `first` of a row: begin(channel) before the first element of each channel,
// element(j). Of an edge chunk the first may lie before the row, and all beyond its last channel are taken
// for that one's. Index: int where rows are known to be short.
template <int V, bool kEdges, class Index, class Begin, class Element>
__device__ __forceinline__ void alongChannels(const GroupNormArgs& a, const GroupNormRows& p, Index first,
                                              Begin begin, Element element) {
  const Index column = kEdges && first < 0 ? 0 : first;
  int channel = 0;
  if constexpr (sizeof(Index) == 4) channel = static_cast<int>(p.pixels.quotientOfSmall(column));
  else channel = static_cast<int>(p.pixels.quotient(column));
  begin(channel);
  if (!kEdges && p.wholeChannels) {
#pragma unroll
    for (int j = 0; j < V; ++j) element(j);
    return;
  }
  const int last = static_cast<int>(a.channels / a.groups) - 1;
  std::int64_t pixel = column - channel * a.pixels;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (pixel == a.pixels && channel < last) {
      pixel = 0;
      begin(++channel);
    }
    element(j);
    if (!kEdges || first + j >= 0) ++pixel;
  }
}

// The chunk at column `first` of the row whose result that is; of an edge chunk it may lie outside the row.
template <class T, int V, bool kEdges, class Index, class Channels, class Activate>
__device__ __forceinline__ void storeNormalized(const GroupNormArgs& a, const GroupNormRows& p,
                                                const Chunk<T, V>& chunk, Index first, T* result,
                                                const Channels& channels, const RowScale& row, Activate act) {
  float v[V];
  unpack(chunk, v);
  ChannelScale<T> scale;
  alongChannels<V, kEdges>(
      a, p, first, [&](int channel) { scale = ChannelScale<T>(row, channels, channel); },
      [&](int j) { v[j] = act(scale(v[j])); });
  if (!kEdges && p.wholeChannels) return storeWhole(result + first, pack<T, V>(v));
  storeColumns<kEdges>(result, first, static_cast<Index>(p.length), pack<T, V>(v));
}

// What the norm is of: a chunk's elements and the shift of their channels.
template <class T, int V, bool kEdges, class Index>
__device__ __forceinline__ void unpackShifted(const GroupNormArgs& a, const GroupNormRows& p,
                                              const Chunk<T, V>& chunk, Index first,
                                              const ChannelsInMemory<T>& channels, float (&v)[V]) {
  unpack(chunk, v);
  if (channels.shifts == nullptr) return;
  float shift = 0;
  alongChannels<V, kEdges>(
      a, p, first, [&](int channel) { shift = channels.shift(channel); }, [&](int j) { v[j] += shift; });
}

// The mean without the least and the largest.
template <int V>
__device__ __forceinline__ float middleOf(const float (&v)[V]) {
  float sum = v[0], least = v[0], most = v[0];
#pragma unroll
  for (int j = 1; j < V; ++j) {
    sum += v[j];
    least = fminf(least, v[j]);
    most = fmaxf(most, v[j]);
  }
  return (sum - least - most) / (V - 2);
}

// The sums of a thread's chunks, which all are of one row.
template <int V, bool kEdges>
struct RowSums {
  static constexpr int kChains = V < 4 ? V : 4;  // additions that do not wait for each other
  SumsAbout sums[kChains];
  int count = 0;

  // The first of them: from the middle of its elements, so that one that is far from all others does not
  // count; of a chunk that is not wholly in the row from its first element there.
  template <class Index>
  __device__ __forceinline__ void begin(const float (&v)[V], Index first, Index length) {
    float about = v[V - 1];
#pragma unroll
    for (int j = V - 2; j >= 0; --j) {
      if (!kEdges || first + j >= 0) about = v[j];
    }
    if constexpr (V > 2) {
      if (!kEdges || isWhole<V>(first, length)) about = middleOf(v);
    }
#pragma unroll
    for (int k = 0; k < kChains; ++k) sums[k].about = about;
  }
  template <class Index>
  __device__ __forceinline__ void add(const float (&v)[V], Index first, Index length) {
    if (!kEdges || isWhole<V>(first, length)) {
#pragma unroll
      for (int j = 0; j < V; ++j) sums[j % kChains].add(v[j]);
      count += V;
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (first + j < 0 || first + j >= length) continue;
        sums[0].add(v[j]);
        ++count;
      }
    }
  }
  __device__ __forceinline__ Moments moments() const {
    SumsAbout all = sums[0];
#pragma unroll
    for (int k = 1; k < kChains; ++k) all.add(sums[k]);
    all.count = static_cast<float>(count);
    return all.moments();
  }
};

// Which part of which row a block has.
struct RowTask {
  std::int64_t row;
  int part, parts;

  __device__ __forceinline__ RowTask(const GroupNormRows& p, unsigned task)  // as many as there are blocks
      : row(p.parts.quotientOfSmall(task)),
        part(static_cast<int>(task - static_cast<unsigned>(row) * static_cast<unsigned>(p.parts.divisor))),
        parts(static_cast<int>(p.parts.divisor)) {}
};

}  // namespace kadvise
